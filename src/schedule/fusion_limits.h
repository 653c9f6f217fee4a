// The limits that fusion gets from the target machine: how large a kernel may become, and when storing, splitting or tiling pays. Fusion
// itself is shared by all backends and contains no numbers of a machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/machine.h"

namespace harp {

struct FusionLimits {
  // --- One kernel
  int ops;          // most operations that it computes
  int depth;        // longest chain of inlined operations
  int joins;        // most concats nested in each other: each concat splits the loop into one part for each of its sources
  size_t arrays;    // most arrays that it reads
  size_t stores;    // most arrays that it writes
  size_t reduces;   // most reductions, or scans: each has its own accumulators
  size_t selected;  // most sources of a concat among which the kernel selects for each element; with more, each source is stored into its
                    // part

  // --- Storing a value instead of computing it again
  double memory_cost;    // cost of loading or storing an element, in units of ops.def's cost column
  int64_t min_elements;  // fewest elements of a value that is stored in a kernel of its own

  // --- One kernel that makes several passes over its rows
  size_t row_reduces, row_stores, passes;
  int64_t kept_bytes;      // most bytes of a row's values that are kept for later passes
  double recomputed_cost;  // largest cost of an element that every pass computes again because it cannot be kept

  // --- Reductions from many elements to few values, which threads share
  int64_t long_row;       // fewest elements of a row that is worth several threads
  int64_t few_long_rows;  // fewest rows that give all threads work; with fewer, long rows are divided among threads

  // Whether the machine has more threads than most kernels have rows. Then a reduction that is long only for some sizes is split too, if it
  // may have at least two blocks (docs/semantics.md, "Sums"), and a long list of block results is split again (split_reductions.h).
  bool many_threads;
  // Whether routines (sort, Fourier transform) are sequences of kernels on a grid (grid_routine.h) instead of functions that workers call.
  bool grid_routines;

  // --- Register tiles of a contraction: fewest rows, columns and terms for which they are faster than adding row after row
  int64_t tile_rows, tile_columns, tile_terms;
  bool integer_products;  // whether sums of products of integers are contractions, too (integer_products.h)

  // --- Kernels that run block by block of an array's first axis (chain.h)
  int64_t min_blocks;       // fewest blocks of an array: with fewer, the blocks that all workers hold at a time would be the whole array
  int64_t max_block_bytes;  // most bytes of a block, so that a cache holds the blocks of several workers
  int64_t max_blocks_of_smallest;  // the bytes of the smallest array that is worth a chain divided by the least bytes of a block, which
                                   // must outweigh the calls of its kernels

  // --- Blocks of rows, which become such a first axis (row_blocks.h)
  int64_t rows_of_tile;    // rows of a register tile. If the rows of a block are no multiple of it, the last tile computes rows that are
                           // not used
  int64_t max_read_again;  // most elements of the other factors, which every block reads again, per element of the block
  int64_t large_arrays;    // smallest matrix that is cut into blocks, as a multiple of the smallest array that is worth a chain
};

/// Returns the limits for a CPU. (cpu/tuning.cpp)
FusionLimits fusion_limits(const Cpu& cpu);
/// Returns the limits for a GPU. (gpu/recipes.cpp)
FusionLimits fusion_limits(const Gpu& gpu);
/// Returns the limits for a machine of any kind. (fuse.cpp)
FusionLimits fusion_limits(const Machine& machine);

}  // namespace harp
