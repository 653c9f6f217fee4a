// Compares two arrays bit for bit. All NaNs are equal, because the semantics do not define their bits.
#pragma once

#include <span>
#include <string>

#include "ops/dtype.h"

namespace harp::tune {

/// Describes the first difference: "element 5 is 0x3f800000 instead of 0x40000000"; "" if there is none.
std::string first_difference(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected);

}  // namespace harp::tune
