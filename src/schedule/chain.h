// Parameters of chains: kernels that run block by block of an array (chain.cpp).
#pragma once

#include <cstdint>

#include "schedule/fusion_limits.h"

namespace harp {

struct ChainOptions {
  int64_t bytes = int64_t{2} << 20;  // smallest array that is worth a chain: more than L2 holds (tests use less)
  int64_t rows = 64;                 // approximate number of rows in a block of rows (row_blocks.h). Each block reads the other factors
                                     // once and uses each of their elements for all its rows, so more rows mean less reading (tests use
                                     // less)
};

/// Tests whether a chain pays for an array of `blocks` blocks of `bytes` bytes each. `least`: bytes of the smallest array for which a chain
/// pays.
inline bool are_blocks(int64_t blocks, int64_t bytes, int64_t least, const FusionLimits& limits) {
  return blocks >= limits.min_blocks && bytes > 0 && bytes <= limits.max_block_bytes && bytes >= least / limits.max_blocks_of_smallest &&
         bytes * blocks >= least;
}

}  // namespace harp
