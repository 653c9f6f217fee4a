// What fusion asks about the machine, as numbers: how large a kernel may become, and when storing, splitting or tiling pays. The steps that
// every backend shares get them as an argument and know no machine's numbers themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/machine.h"

namespace harp {

struct FusionLimits {
  // --- One kernel
  int ops;          // most operations that it computes
  int depth;        // longest chain of inlined operations
  int joins;        // most nested concats, because each one splits the loop at its borders
  size_t arrays;    // most arrays that it reads
  size_t stores;    // most arrays that it writes
  size_t reduces;   // most reductions, or scans: each has its own accumulators
  size_t selected;  // most sources of a concat that are selected element by element; with more, each is stored into its part

  // --- Storing a value instead of computing it again
  double memory_cost;    // cost of loading or storing an element, in units of ops.def's cost column
  int64_t min_elements;  // fewer elements are not worth a kernel of their own

  // --- One kernel that makes several passes over its rows
  size_t row_reduces, row_stores, passes;
  int64_t kept_bytes;      // most bytes of a row's values that are kept for later passes
  double recomputed_cost;  // largest cost of an element that every pass computes again because it cannot be kept

  // --- Reductions from many elements to few values, which threads share
  int64_t long_row;       // fewest elements of a row that is worth several threads
  int64_t few_long_rows;  // with fewer rows than this, threads would lack work

  // The machine has more threads than most kernels have rows: reductions that may be long for some sizes are split too, from two blocks of
  // the law on, and long lists of block results again (split_reductions.h).
  bool many_threads;
  // Routines (sort, Fourier transform) are sequences of kernels on a grid (grid_routine.h), not functions that workers call.
  bool grid_routines;

  // --- Register tiles of a contraction: fewest rows, columns and terms for which they are faster than adding row after row
  int64_t tile_rows, tile_columns, tile_terms;

  // --- Kernels that run block by block of an array's first axis (chain.h)
  int64_t min_blocks;       // fewest blocks of an array: with fewer, the blocks of all workers would take the memory of the whole array
  int64_t max_block_bytes;  // most bytes of a block, so that a cache holds the blocks of several workers
  int64_t max_blocks_of_smallest;  // a block has at least 1/this of the bytes of the smallest array that is worth a chain: it must be worth
                                   // a call of each kernel

  // --- Blocks of rows, which become such a first axis (row_blocks.h)
  int64_t rows_of_tile;    // rows of a register tile; rows beyond whole tiles are computed twice
  int64_t max_read_again;  // ratio of the elements of the other factors, which every block reads again, to the elements of the block
  int64_t large_arrays;    // size of an array that is worth cutting, as a multiple of the smallest array that is worth a chain
};

/// Returns the limits for a CPU. (cpu/tuning.cpp)
FusionLimits fusion_limits(const Cpu& cpu);
/// Returns the limits for a GPU. (gpu/recipes.cpp)
FusionLimits fusion_limits(const Gpu& gpu);
/// Returns the limits for a machine of any kind. (fuse.cpp)
FusionLimits fusion_limits(const Machine& machine);

}  // namespace harp
