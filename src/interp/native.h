// Calls of functions of the host's, by libffi.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Error{kNative} where the function says that it failed.
Array evaluate_native(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
