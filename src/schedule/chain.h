// Parameters of chains: kernels that run block by block of an array (chain.cpp).
#pragma once

#include <cstdint>

namespace harp {

struct ChainOptions {
  int64_t bytes = int64_t{2} << 20;  // smallest array that is worth a chain: more than the second cache holds (tests use less)
  int64_t rows = 64;                 // approximate rows of a block of rows (row_blocks.h), and so the number of uses of each element of the
                                     // other factors (tests use less)
};

inline constexpr int64_t kLeastBlocks = 4;      // fewest blocks: together they would take the memory of a whole array
inline constexpr int64_t kMostBlock = 4 << 20;  // in bytes: the last-level cache holds the blocks of several workers
inline constexpr int64_t kMostShare = 64;       // most blocks of the smallest array: each block must be worth a call of each kernel

/// Tests whether a chain pays for an array of `blocks` blocks of `bytes` bytes each, if an array of `least` bytes is worth one.
inline bool are_blocks(int64_t blocks, int64_t bytes, int64_t least) {
  return blocks >= kLeastBlocks && bytes > 0 && bytes <= kMostBlock && bytes >= least / kMostShare && bytes * blocks >= least;
}

}  // namespace harp
