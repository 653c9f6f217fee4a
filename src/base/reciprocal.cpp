#include "base/reciprocal.h"

#include <bit>

namespace harp {

uint64_t reciprocal_of(int64_t divisor) {
  if (divisor == 0) return 0;
  const __int128 dividend = __int128{1} << (63 + std::bit_width(static_cast<uint64_t>(divisor - 1)));
  return static_cast<uint64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace harp
