// Block sizes of the summation order that docs/semantics.md, "the law", prescribes ("Sums" and "Scans"). They determine the bits of every
// float sum on every machine. The interpreter has its own copies of these constants, so that a wrong value here shows as a difference
// between its results and those of generated code.
#pragma once

#include <cstdint>

namespace harp {

/// Lanes (independent running values) of a lanes-order reduction, and elements of a group of a scan.
inline constexpr int64_t kLanes = 64;
/// Elements that the lanes accumulate before they are folded; the result is then added to the sum of the earlier blocks.
inline constexpr int64_t kLaneBlock = 4096;
/// Elements that a chain (a sum down columns, or of products) adds one after the other; the result is then added to the sum of the earlier
/// blocks.
inline constexpr int64_t kChainBlock = 256;
/// Elements of a block of a scan, whose running values are computed independently.
inline constexpr int64_t kScannedBlock = 4096;

}  // namespace harp
