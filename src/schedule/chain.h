// Contains the parameters of chains: sequences of kernels that run together, block after block of their arrays (chain.cpp).
#pragma once

#include <cstdint>

#include "schedule/fusion_limits.h"

namespace harp {

struct ChainOptions {
  // Size in bytes of the smallest array that is worth a chain. The default is more than an L2 cache holds; tests set a smaller size.
  int64_t bytes = int64_t{2} << 20;
  // Approximate number of rows in a block of rows (row_blocks.h). A matrix product reads its other operand once for each block, and uses
  // each element of that operand for all rows of the block, so larger blocks read less memory. Tests set a smaller number.
  int64_t rows = 64;
};

/// Tests whether a chain (kernels that together process one block of their arrays after the other) pays for an array of `blocks` blocks of
/// `bytes` bytes each. `least`: size in bytes of the smallest array that is worth a chain.
inline bool are_blocks(int64_t blocks, int64_t bytes, int64_t least, const FusionLimits& limits) {
  return blocks >= limits.min_blocks && bytes > 0 && bytes <= limits.max_block_bytes && bytes >= least / limits.max_blocks_of_smallest &&
         bytes * blocks >= least;
}

}  // namespace harp
