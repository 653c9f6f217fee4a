// Pads arrays by amounts that may be negative, for pad, convolutions and pools.
#pragma once

#include "graph/build.h"

namespace harp::build {

/// Pads x with `value`: before[i] and after[i] elements on axis i. An amount that is negative for all values of the shape variables removes
/// elements of x instead, before anything is added. Throws Error{kShape} naming op if x has too few elements, or if there is not one amount
/// per axis.
NodeRef pad_or_crop(std::string_view op, NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value);

}  // namespace harp::build
