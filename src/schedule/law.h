// Block sizes of the law's summation order (docs/semantics.md, "Sums" and "Scans"). They determine the bits of every float sum on every
// machine. The interpreter has its own copies of these constants, so that a wrong value here shows as different results.
#pragma once

#include <cstdint>

namespace harp {

/// Lanes (independent running values) of a lanes-order reduction, and elements of a group of a scan.
inline constexpr int64_t kLanes = 64;
/// Elements that the lanes accumulate before they are folded and the result is added to the sum of blocks.
inline constexpr int64_t kLaneBlock = 4096;
/// Elements that a chain (down columns, or of products) adds in sequence before the result is added to the sum of blocks.
inline constexpr int64_t kChainBlock = 256;
/// Elements of a block of a scan, whose running values are computed independently.
inline constexpr int64_t kScannedBlock = 4096;

}  // namespace harp
