// Padding whose amounts may be negative, as convolutions and pools share it with pad.
#pragma once

#include "graph/build.h"

namespace harp::build {

/// x with `value` around: before[i] and after[i] elements on axis i. An amount that is surely negative takes as many elements of x away
/// instead, before anything is added. Error{kShape} naming op if there are not as many, or if there is not one amount an axis.
NodeRef pad_or_crop(std::string_view op, NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value);

}  // namespace harp::build
