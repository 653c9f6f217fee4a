// Compares two arrays bit for bit. All NaNs count as equal, because harp's semantics does not define their bits.
#pragma once

#include <span>
#include <string>

#include "ops/dtype.h"

namespace harp::tune {

/// Describes the first difference, for example "element 5 is 0x3f800000 instead of 0x40000000". Returns "" if the arrays are equal.
std::string first_difference(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected);

}  // namespace harp::tune
