// Defines the number by which a dividend is multiplied to divide it by a divisor that many divisions have in common.
#pragma once

#include <bit>
#include <cstdint>

namespace harp {

/// Returns ceil(2^(63 + k) / divisor), where 2^k is the least power of two that is at least the divisor. For all a with 0 <= a < 2^63,
/// floor(a / divisor) = floor(a * reciprocal / 2^(63 + k)), because rounding up adds less than a / 2^(63 + k) < 1 / 2^k <= 1 / divisor to
/// the quotient. Returns 0 if the divisor is 0. The divisor must not be negative.
inline uint64_t reciprocal_of(int64_t divisor) {
  if (divisor == 0) return 0;
  const __int128 dividend = __int128{1} << (63 + std::bit_width(static_cast<uint64_t>(divisor - 1)));
  return static_cast<uint64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace harp
