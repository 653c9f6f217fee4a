// Decides how products run on a GPU (matrix products, batched matrix products, convolutions): which axes of a sum of products are its rows
// and columns, and by which tiles thread blocks compute it (lower/gpu/product.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "schedule/program.h"

namespace harp {

/// A sum of products C[batch, row, column] = sum over terms of A[batch, row, term] * B[batch, term, column]. The batch, the rows and the
/// columns may each be several axes, in the order of the kernel's axes. For example, the rows of a convolution are its pictures, lines and
/// pixels.
struct Product {
  const Node *row_factor, *column_factor;    // A does not vary along the columns, B does not vary along the rows
  std::vector<size_t> batch, rows, columns;  // axes of iteration_space(); rows and columns each have at least one
  Shape row_shape, column_shape, batch_shape;
  Dim row_count, column_count, terms;
};
/// Returns the product that a kernel computes, or nothing if it computes anything else.
std::optional<Product> as_product(const KernelPlan& kernel);

/// The tile of results that a thread block computes. All sizes are powers of two.
struct ProductTile {
  int64_t rows, columns;                      // size of the tile
  int64_t rows_of_thread, columns_of_thread;  // size of the part that each thread computes
  int64_t terms;                              // number of terms that are in shared memory at a time
  int64_t split = 0;                          // number of terms of a slice (gpu/product_slices.h); 0: the terms are not split
  int64_t stages = 0;                         // stages (terms of one step) of asynchronous copies; 0: factors are copied through registers
  int64_t threads() const { return rows / rows_of_thread * (columns / columns_of_thread); }
};
/// Returns the dtype in which the results of a product are accumulated.
DType dtype_of_sums(const KernelPlan& kernel);
/// Returns the size in bytes of a result while it is accumulated.
int64_t bytes_of_result(const KernelPlan& kernel);
/// Returns an upper bound for the shared memory, in bytes, that a block of threads needs. `bytes`: the size of an element of a factor, and
/// of a result while it is accumulated.
int64_t shared_bytes_of(const ProductTile& tile, int64_t bytes);
/// Tests whether tensor cores can compute the tile. The results of each warp must consist of whole blocks of 8 x 8, of which each thread
/// computes two, and the terms of each step must consist of whole groups of four, which one instruction adds.
bool fits_mma(const ProductTile& tile);
/// Reads the tile from the schedule. The last axis of the rows and the last axis of the columns have the size of the tile (`tile`) and of a
/// thread's part (`unroll`); the last axis of the schedule, the terms, has the number of terms (`tile`), the size of a slice (`split`) and
/// the number of stages (`stages`).
ProductTile tile_of(const Schedule& schedule, const Product& product);
/// Throws Error{kInvalidArgument} if thread blocks cannot compute the kernel by tiles of this size. The message begins with `where`.
void check_tile(const KernelPlan& kernel, const ProductTile& tile, std::string_view where);

inline constexpr int kMaxProductTile = 256;      // maximum number of rows, of columns and of terms of a tile
inline constexpr int64_t kMaxProductStages = 8;  // maximum number of stages of asynchronous copies
/// A block of threads sums at most this many terms, of a product or of a slice of its terms: two levels of blocks of the summation order
/// (docs/semantics.md, "Sums").
inline constexpr int64_t kMaxProductTerms = kChainBlock * kChainBlock;

}  // namespace harp
