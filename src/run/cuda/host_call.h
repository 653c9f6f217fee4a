// Calls of the host's functions from a launch plan, by libffi.
#pragma once

#include <functional>
#include <span>

#include "run/cuda/plan.h"

namespace harp::cuda {

/// Calls the function. `array` returns the address in the host's memory of argument number i, an array. Throws Error{kNative} if the
/// function reports a failure.
void call_host_function(const Plan& plan, const HostCall& call, std::span<const int64_t> values,
                        const std::function<void*(size_t i)>& array);

}  // namespace harp::cuda
