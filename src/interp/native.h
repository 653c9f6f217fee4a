// Calls native functions of the host program through libffi.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Calls the function of a native node. Throws Error{kNative} if the function returns a status other than 0.
Array evaluate_native(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
