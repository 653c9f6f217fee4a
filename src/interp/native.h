// Calls of the host's native functions, by libffi.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Throws Error{kNative} if the function reports a failure.
Array evaluate_native(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
