// Defines the limits of fusion, which depend on the target machine: how large a kernel may become, and when storing, splitting or tiling
// pays. Fusion itself is shared by all backends and contains no machine-dependent numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/machine.h"

namespace harp {

/// A limit that is the same for every machine has its value here.
struct FusionLimits {
  // --- One kernel. These limits bound the time to compile it, which grows faster than linearly with its size: a C compiler takes a minute
  // for a kernel that reads a thousand arrays.
  int ops = 1000;      // maximum number of operations that a kernel computes
  int depth = 400;     // longest chain of dependent operations that a kernel computes without storing a value in between
  int joins = 16;      // maximum nesting depth of concats in a kernel; each concat splits the loop into one part for each of its sources
  size_t arrays = 64;  // maximum number of arrays that a kernel reads
  size_t stores = 16;  // maximum number of arrays that a kernel writes
  size_t reduces = 8;  // maximum number of reductions, or of scans, of a kernel; each has its own accumulators
  // Maximum number of sources of a concat for which one kernel computes the whole result and selects the source of each element. If a
  // concat has more sources, each source is stored into its part of the result separately.
  size_t selected = 4;

  // --- Storing a value instead of computing it again
  double memory_cost = 4;  // cost of loading or storing an element, in units of an addition (the cost column of ops.def)
  // Fewest elements for which a value is stored by a kernel of its own. Example: the max of a [2000, 1000] array that concatenates two
  // arrays takes 3.5 ms on a CPU if the kernel of the max selects the source of each element, and 0.2 ms if a kernel of its own stores the
  // concatenation first.
  int64_t min_elements = 4096;

  // The largest number by which an elementwise kernel may divide the index of its loop of vectors, because the loop is unrolled by this
  // number (ir/unroll_divisor.cpp). Reshapes that need larger divisors, or other kernels, are stored (rearranged.h). 1: none.
  int64_t unrolled_divisor;

  // --- One kernel that makes several passes over its rows
  size_t row_reduces = 16, row_stores = 32, passes = 8;
  int64_t kept_bytes;           // maximum bytes of the values of one row that are kept in scratch memory for later passes
  double recomputed_cost = 64;  // largest cost of a value that every pass computes again because its row is too long to be kept
  // Whether a kernel for rows of unknown length has a variant for rows of at most kLaneBlock elements, which keeps their values although
  // longer rows might not fit in kept_bytes.
  bool keeps_short_rows;

  // --- Reductions down so few columns that a row of them does not fill a vector (few_columns.h)
  int64_t vector_bytes;          // bytes of a vector; 0 on a GPU, where the threads of a warp take the place of lanes
  int64_t few_columns_elements;  // fewest elements of an array for which a separate kernel, whose vectors run along the rows, pays

  // --- Reductions of many elements to few values, whose elements are divided among threads
  int64_t long_row;       // fewest elements combined into one result (elements of a row) for which dividing them among several threads pays
  int64_t few_long_rows;  // fewest rows that give all threads work; if there are fewer, each long row is divided among threads

  // Whether the machine has more threads than most kernels have rows, as a GPU has. A reduction that is long only for some values of the
  // shape variables is then split too, provided that it may have at least two blocks (docs/semantics.md, "Sums"). If the block results are
  // many, their reduction is split again (split_reductions.h).
  bool many_threads;
  // The least size of a kernel's first axis that gives all threads work, because threads divide that axis. (Not used with many_threads,
  // where each element has a thread.)
  int64_t first_axis;
  // Whether a routine (sort, Fourier transform) is a sequence of kernels on a GPU grid (grid_routine.h). Otherwise it is a function that
  // the worker threads call.
  bool grid_routines;
  // Whether groups of threads execute scans, as on a GPU (kernel_structure.h). If so, scans share a kernel only if a group can execute them
  // together, because otherwise a single thread would scan each row.
  bool grouped_scans;

  // --- Contractions: fewest rows, columns and terms for which register tiles are faster than adding one row of products after the other
  int64_t tile_rows, tile_columns, tile_terms;
  // Of a known number of terms below tile_terms: fewest terms and rows for which tiles are faster, if there are columns for a whole vector.
  int64_t few_terms, few_terms_rows;
  // Replaces tile_rows if the columns are windows of a convolution with more terms than a block of the summation order (kChainBlock).
  int64_t window_rows;
  bool joins_columns;     // whether the columns may be several axes along which a factor is packed (product_axes.h)
  bool integer_products;  // whether sums of products of integers count as contractions too (integer_products.h)
  // Whether the kernel of a product also computes and stores values that depend only on the sums of the product, however cheap they are to
  // compute again, if another product reads these values (materialise.h).
  bool finishes_products;

  // --- Scatters of many updates (sorted_scatters.h): fewest updates along the axis of a scatter_add of floats for which it may pay to sort
  // them by the elements to which they are added. 0: they are never sorted.
  int64_t sorted_updates;

  // --- Sums of shifted rows (shifted_rows.h): maximum number of elements of arrays that one expression loads. Generated code contains the
  // expression once for each set of rows that are padding at some position, so the time to compile it grows fast with this number. 0: none.
  int64_t shifted_loads;

  // --- Chains of kernels, which process one block of an array's first axis at a time (chain.h)

  // Fewest blocks of an array for which a chain (chain.h) pays. With fewer blocks, the blocks that all workers process at the same time
  // would be the whole array, so the chain would save no memory.
  int64_t min_blocks;
  // Maximum bytes of a block, so that a cache has room for the blocks of several workers.
  int64_t max_block_bytes;
  // The size of the smallest array that is worth a chain (chain.h), divided by this number, is the smallest size of a block. The work on a
  // smaller block would not outweigh the calls of the chain's kernels.
  int64_t max_blocks_of_smallest;

  // --- Cutting matrices into blocks of rows, so that these blocks become the first axis (row_blocks.h)

  // The number of rows of a register tile. If the number of rows of a block is not a multiple of this number, the last tile of the block
  // computes rows that are not used.
  int64_t rows_of_tile;
  // Cutting a matrix into blocks of rows pays only if the other factors of its products have at most this many elements for each element of
  // a block, because every block reads these factors again.
  int64_t max_read_again;
  // The smallest matrix that is cut into blocks, as a multiple of the size of the smallest array that is worth a chain
  // (ChainOptions::bytes).
  int64_t large_arrays;
};

/// Returns the limits for a CPU. (cpu/tuning.cpp)
FusionLimits fusion_limits(const Cpu& cpu);
/// Returns the limits for a GPU. (gpu/recipes.cpp)
FusionLimits fusion_limits(const Gpu& gpu);
/// Returns the limits for a machine of any kind. (fuse.cpp)
FusionLimits fusion_limits(const Machine& machine);

}  // namespace harp
