// Calls functions of the host application from a launch plan. Their signatures are known only at run time, so the calls use libffi.
#pragma once

#include <functional>
#include <span>

#include "run/cuda/plan.h"

namespace harp::cuda {

/// Calls the function. For argument number i, if it is an array, `array(i)` returns the address in host memory. Throws Error{kNative} if
/// the function reports a failure.
void call_host_function(const Plan& plan, const HostCall& call, std::span<const int64_t> values,
                        const std::function<void*(size_t i)>& array);

}  // namespace harp::cuda
