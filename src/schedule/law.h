// Defines block sizes of the orders of summation that docs/semantics.md prescribes ("Sums" and "Scans"). They determine the bits of every
// float sum on every machine. The interpreter has its own copies of these constants, so that a wrong value here shows as a difference
// between its results and those of generated code.
#pragma once

#include <cstdint>

namespace harp {

/// The number of lanes (independent running values) of a lanes-order reduction; also the number of elements of a group of a scan.
inline constexpr int64_t kLanes = 64;
/// The number of elements that the lanes accumulate before they are folded into one value. The values of several blocks are combined by the
/// same rule.
inline constexpr int64_t kLaneBlock = 4096;
/// The number of elements that a chain-order reduction (a sum down columns, or of products) adds one after the other. The values of several
/// blocks are combined by the same rule.
inline constexpr int64_t kChainBlock = 256;
/// The number of elements of a block of a scan. The total of each block is computed independently of other blocks; then the running values
/// of each block start from the combined totals of the blocks before it.
inline constexpr int64_t kScannedBlock = 4096;

}  // namespace harp
