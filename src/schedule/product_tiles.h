// Products on a GPU (matrix products, batched ones, convolutions): how the axes of a sum of products become rows and columns, and by which
// tiles blocks of threads compute it (lower/gpu/product.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "schedule/program.h"

namespace harp {

/// A sum of products C[batch, row, column] = sum over terms of A[batch, row, term] * B[batch, term, column]. Rows, columns and the batch
/// may each be several axes, in the order of the kernel's axes: the rows of a convolution are its pictures, lines and pixels.
struct Product {
  const Node *row_factor, *column_factor;    // A does not vary along the columns, B not along the rows
  std::vector<size_t> batch, rows, columns;  // axes of iteration_space(); rows and columns have at least one
  Shape row_shape, column_shape, batch_shape;
  Dim row_count, column_count, terms;
};
/// Returns the product that a kernel computes, or nothing if it computes anything else.
std::optional<Product> as_product(const KernelPlan& kernel);

/// The tile of results that a block of threads computes. Sizes are powers of two.
struct ProductTile {
  int64_t rows, columns;                      // of the tile
  int64_t rows_of_thread, columns_of_thread;  // results of each thread
  int64_t terms;                              // terms that are in shared memory at a time
  int64_t threads() const { return rows / rows_of_thread * (columns / columns_of_thread); }
};
/// Returns the bytes of a result while it is computed.
int64_t bytes_of_result(const KernelPlan& kernel);
/// Tests whether tensor cores can compute the tile: a warp computes tiles of 8 x 8 results, each thread two results of each, and each
/// instruction four terms.
bool fits_mma(const ProductTile& tile);
/// The tile is part of the schedule: of its last row axis and its last column axis (tile, unroll), and of its last axis, the terms (tile).
ProductTile tile_of(const Schedule& schedule, const Product& product);
/// Throws Error{kInvalidArgument} if blocks of threads cannot compute such tiles. The message begins with `where`.
void check_tile(const KernelPlan& kernel, const Product& product, const ProductTile& tile, std::string_view where);

inline constexpr int kMaxProductTile = 256;  // most rows, columns or terms of a tile
/// Most terms for which a product has two levels of blocks (docs/semantics.md, "Sums"), as many as tiles support.
inline constexpr int64_t kMaxProductTerms = kChainBlock * kChainBlock;

}  // namespace harp
