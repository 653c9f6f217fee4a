// Declares integer arithmetic for sizes that are constants.
#pragma once

#include <cstdint>

namespace harp {

/// Returns n / d rounded up, for n >= 0 and d > 0.
constexpr int64_t ceil_div(int64_t n, int64_t d) { return (n + d - 1) / d; }

}  // namespace harp
