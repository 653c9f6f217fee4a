// When kernels are done in turn for each block of an array (chain.cpp).
#pragma once

#include <cstdint>

namespace harp {

struct ChainOptions {
  int64_t bytes = int64_t{2} << 20;  // of an array that is worth a chain of kernels, more than the second cache holds (tests: less)
  int64_t rows = 64;                 // of a block of rows (row_blocks.h), about; what the other factors have is used so often (tests: less)
};

inline constexpr int64_t kLeastBlocks = 4;      // so many share the memory that a whole array would take
inline constexpr int64_t kMostBlock = 4 << 20;  // bytes: the last cache holds those of some workers
inline constexpr int64_t kMostShare = 64;       // the least array has no more blocks: each is worth a call of each kernel

/// Is it worth it for an array of so many blocks, each of so many bytes, where one of `least` bytes is?
inline bool are_blocks(int64_t blocks, int64_t bytes, int64_t least) {
  return blocks >= kLeastBlocks && bytes > 0 && bytes <= kMostBlock && bytes >= least / kMostShare && bytes * blocks >= least;
}

}  // namespace harp
