// How the law adds up (docs/semantics.md, "Sums" and "Scans"): what shows in the bits of every float sum, on every machine. The interpreter
// has numbers of its own, so that a mistake here is one that its results tell of.
#pragma once

#include <cstdint>

namespace harp {

/// Running values that a reduction along rows has side by side, and elements of a group of a scan.
inline constexpr int64_t kLanes = 64;
/// Elements that those take before their sum is folded and added to the sum of such blocks.
inline constexpr int64_t kLaneBlock = 4096;
/// Elements that a chain, down columns or of products, adds one after the other before that sum is added to the sum of such blocks.
inline constexpr int64_t kChainBlock = 256;
/// Elements of a scan whose running values are made by themselves.
inline constexpr int64_t kScannedBlock = 4096;

}  // namespace harp
