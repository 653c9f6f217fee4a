// Defines the number by which a dividend is multiplied to divide it by a divisor that many divisions have in common.
#pragma once

#include <cstdint>

namespace harp {

/// Returns ceil(2^(63 + k) / divisor), where 2^k is the least power of two that is at least the divisor. For all a with 0 <= a < 2^63,
/// floor(a / divisor) = floor(a * reciprocal / 2^(63 + k)), because rounding up adds less than a / 2^(63 + k) < 1 / 2^k <= 1 / divisor to
/// the quotient. Returns 0 if the divisor is 0. The divisor must not be negative.
uint64_t reciprocal_of(int64_t divisor);

}  // namespace harp
