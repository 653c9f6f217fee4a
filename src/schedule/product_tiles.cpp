#include "schedule/product_tiles.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp {
namespace {

constexpr int64_t kMaxTileBytes = 64 << 10;    // maximum bytes of the results of a tile, which stay in registers
constexpr int64_t kMaxSharedBytes = 99 << 10;  // shared memory of a thread block on the smallest supported GPU

bool is_power(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

Shape sizes_of(const Shape& space, const std::vector<size_t>& axes) {
  Shape sizes;
  for (const size_t axis : axes) sizes.push_back(space[axis]);
  return sizes;
}

}  // namespace

std::optional<Product> as_product(const KernelPlan& kernel) {
  if (kernel.reduces.size() != 1 || kernel.passes.size() != 1 || !kernel.passes[0].row_stores.empty()) return std::nullopt;
  const Node& reduce = *kernel.reduces[0];
  const auto& attributes = reduce.as<ReduceAttributes>();
  const std::span<const Node* const> factors = operands_of(reduce);
  if (attributes.order != ReduceOrder::kChain || !attributes.product || factors.size() != 2) return std::nullopt;
  const Shape &shape = reduce.sources[0]->shape, space = iteration_space(kernel);
  Product found{factors[0], factors[1], {}, {}, {}, {}, {}, {}, 1, 1, term_count(reduce)};
  size_t position = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis].is_constant(1) || std::ranges::find(attributes.axes, static_cast<int>(axis)) != attributes.axes.end()) continue;
    const bool in_first = varies(factors[0], axis), in_second = varies(factors[1], axis);
    (in_first == in_second ? found.batch : in_first ? found.rows : found.columns).push_back(position++);
  }
  if (found.rows.empty() || found.columns.empty()) return std::nullopt;
  // Results that are adjacent in memory must be in the same row, so the last axis must be an axis of the columns.
  if (found.rows.back() > found.columns.back()) {
    std::swap(found.rows, found.columns);
    std::swap(found.row_factor, found.column_factor);
  }
  found.row_shape = sizes_of(space, found.rows), found.column_shape = sizes_of(space, found.columns);
  found.batch_shape = sizes_of(space, found.batch);
  found.row_count = element_count(found.row_shape), found.column_count = element_count(found.column_shape);
  return found;
}

DType dtype_of_sums(const KernelPlan& kernel) { return accumulator_dtype(*kernel.reduces[0]); }
int64_t bytes_of_result(const KernelPlan& kernel) { return static_cast<int64_t>(size_of(dtype_of_sums(kernel))); }

int64_t shared_bytes_of(const ProductTile& tile, int64_t bytes) {
  constexpr int64_t kPadding = 64;  // largest padding after the elements of each term, in bytes, of both factors together
  const int64_t totals = tile.split == kChainBlock ? 0 : tile.rows * tile.columns * bytes;
  return totals + std::max<int64_t>(2, tile.stages) * tile.terms * ((tile.rows + tile.columns) * bytes + kPadding);
}

bool fits_mma(const ProductTile& tile) {
  return tile.columns_of_thread >= 2 && tile.rows % (8 * tile.rows_of_thread) == 0 && tile.columns % (4 * tile.columns_of_thread) == 0 &&
         tile.rows_of_thread <= 8 && tile.columns_of_thread <= 16 && tile.terms % 4 == 0;
}

ProductTile tile_of(const Schedule& schedule, const Product& product) {
  const AxisSchedule &rows = schedule.axes[product.rows.back()], &columns = schedule.axes[product.columns.back()],
                     &terms = schedule.axes.back();
  return {rows.tile, columns.tile, rows.unroll, columns.unroll, terms.tile, terms.split, terms.stages};
}

void check_tile(const KernelPlan& kernel, const ProductTile& tile, std::string_view where) {
  const auto require = [&](bool holds, const auto&... rule) { HARP_CHECK(holds, Code::kInvalidArgument, where, ": ", rule...); };
  for (const int64_t size : {tile.rows, tile.columns, tile.rows_of_thread, tile.columns_of_thread, tile.terms})
    require(is_power(size), "tile and unroll of the rows, the columns and the terms of a product are powers of two, not ", size);
  require(tile.rows_of_thread <= tile.rows && tile.columns_of_thread <= tile.columns,
          "a thread computes at most the whole tile, not unroll=", tile.rows_of_thread, " of ", tile.rows,
          " rows and unroll=", tile.columns_of_thread, " of ", tile.columns, " columns");
  const int64_t threads = tile.threads(), bytes = bytes_of_result(kernel);
  require(threads >= 32 && threads <= 1024, "tile / unroll of rows and columns makes blocks of ", threads,
          " threads; 32 to 1024 are allowed");
  require(std::max({tile.rows, tile.columns, tile.terms}) <= threads,
          "a tile has at most as many rows, columns and terms as threads, which are ", threads);
  require(tile.terms <= kChainBlock && std::min(tile.rows, tile.columns) * tile.terms >= threads, "axis ", kernel.reduces.size(),
          " has tile=", tile.terms, " terms; there are at most ", kChainBlock,
          ", and so many that each thread copies an element of each factor");
  const int64_t results = tile.rows * tile.columns * bytes;
  require(results <= kMaxTileBytes && results / threads <= 256, "a tile of ", tile.rows, " x ", tile.columns,
          " results does not fit the registers of ", threads, " threads");
  require(tile.stages == 0 || (is_power(tile.stages) && tile.stages >= 2 && tile.stages <= kMaxProductStages),
          "the terms of a product have 2, 4 or 8 stages in shared memory, not stages=", tile.stages);
  require(shared_bytes_of(tile, bytes) <= kMaxSharedBytes, "a tile of ", tile.rows, " x ", tile.columns, " results and ",
          std::max<int64_t>(2, tile.stages), " x ", tile.terms, " terms does not fit the shared memory");
  require(tile.split == 0 || tile.split == kChainBlock || tile.split == kMaxProductTerms,
          "the terms of a product are split into slices of ", kChainBlock, " or ", kMaxProductTerms, " terms, not by split=", tile.split);
}

}  // namespace harp
