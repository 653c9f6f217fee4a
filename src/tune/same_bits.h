// Are two arrays the same, bit for bit? All NaNs count as one: the law gives them no bits.
#pragma once

#include <span>
#include <string>

#include "ops/dtype.h"

namespace harp::tune {

/// "": they are; else the first difference: "element 5 is 0x3f800000 instead of 0x40000000".
std::string first_difference(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected);

}  // namespace harp::tune
