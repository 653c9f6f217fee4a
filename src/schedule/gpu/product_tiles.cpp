#include "schedule/gpu/product_tiles.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "schedule/contraction.h"

namespace harp {
namespace {

constexpr int64_t kThreads = 256;              // threads of a block
constexpr int64_t kBusyProcessors = 132;       // multiprocessors of a large GPU: with fewer tiles, some have nothing to do
constexpr int64_t kLeastLanes = 16;            // fewest rows or columns of a tile
constexpr int64_t kLeastTile = 32 * 32;        // fewest results of a tile that is made smaller to fill the GPU
constexpr int64_t kMaxTileBytes = 64 << 10;    // of the results of a tile, which stay in registers
constexpr int64_t kMaxSharedBytes = 99 << 10;  // shared memory of a block on the smallest GPU

bool is_power(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

Shape sizes_of(const Shape& space, const std::vector<size_t>& axes) {
  Shape sizes;
  for (const size_t axis : axes) sizes.push_back(space[axis]);
  return sizes;
}

int64_t bytes_of_result(const KernelPlan& kernel) {
  const DType dtype = kernel.reduces[0]->dtype;
  return static_cast<int64_t>(size_of(is_bool(dtype) ? DType::kI32 : working_dtype(dtype)));
}

Dim tiles_of(const Product& product, int64_t rows, int64_t columns) {
  return element_count(product.batch_shape) * ceil_div(product.row_count, rows) * ceil_div(product.column_count, columns);
}

/// Completes a tile of these sizes: what each thread computes, and how many terms are in shared memory at a time. A thread copies at least
/// one element of each factor.
ProductTile complete(int64_t rows, int64_t columns, int64_t bytes) {
  const int64_t results = rows * columns / kThreads, longer = int64_t{1} << (std::countr_zero(static_cast<uint64_t>(results)) + 1) / 2;
  const int64_t elements = 4096 / bytes;  // of the longer factor: one access of 16 bytes for each thread
  const int64_t terms = std::clamp<int64_t>(std::max(elements / std::max(rows, columns), kThreads / std::min(rows, columns)), 8, 32);
  return {rows, columns, rows >= columns ? longer : results / longer, rows >= columns ? results / longer : longer, terms};
}

/// Does the same for a tile that tensor cores compute: a warp has 32 x 32 results of a large tile, so that it reads few elements of shared
/// memory, and 16 x 16 results of others, so that there are many warps.
ProductTile complete_mma(int64_t rows, int64_t columns, int64_t bytes) {
  const bool is_large = std::min(rows, columns) >= 64;
  const int64_t rows_of_thread = is_large ? 4 : 2, columns_of_thread = 2 * rows_of_thread;
  const int64_t threads = rows / rows_of_thread * (columns / columns_of_thread), elements = 4096 / bytes;
  const int64_t terms = std::clamp<int64_t>(std::max(elements / std::max(rows, columns), threads / std::min(rows, columns)), 8, 32);
  return {rows, columns, rows_of_thread, columns_of_thread, terms};
}

/// Tests whether 64 f32 results are too many for a thread: on GPUs of few threads for each processor, and where the compiler spills
/// registers.
bool has_small_tiles(const Gpu& gpu) { return gpu.capability == 86 || gpu.capability == 89 || gpu.capability >= 120; }

/// Tests whether two blocks of 128 x 64 results of f64, each with 90 KB of shared memory, fit a processor.
bool has_large_mma_tiles(const Gpu& gpu) { return gpu.capability >= 90; }

Schedule schedule_of(const KernelPlan& kernel, const Product& product, const ProductTile& tile) {
  Schedule s;
  s.recipe = Template::kContraction;
  s.partition = s.overlap = false;
  s.axes.resize(iteration_space(kernel).size() + 1);
  for (AxisSchedule& axis : s.axes) axis.kind = AxisKind::kThread;
  AxisSchedule &rows = s.axes[product.rows.back()], &columns = s.axes[product.columns.back()];
  rows.kind = columns.kind = AxisKind::kThreadGroup;
  rows.tile = tile.rows, rows.unroll = static_cast<int>(tile.rows_of_thread);
  columns.tile = tile.columns, columns.unroll = static_cast<int>(tile.columns_of_thread);
  s.axes.back().kind = AxisKind::kReduce;
  s.axes.back().tile = tile.terms;
  return s;
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
  // Results that are adjacent in memory are in one row.
  if (found.rows.back() > found.columns.back()) {
    std::swap(found.rows, found.columns);
    std::swap(found.row_factor, found.column_factor);
  }
  found.row_shape = sizes_of(space, found.rows), found.column_shape = sizes_of(space, found.columns);
  found.batch_shape = sizes_of(space, found.batch);
  found.row_count = element_count(found.row_shape), found.column_count = element_count(found.column_shape);
  return found;
}

bool fits_mma(const ProductTile& tile) {
  return tile.columns_of_thread >= 2 && tile.rows % (8 * tile.rows_of_thread) == 0 && tile.columns % (4 * tile.columns_of_thread) == 0 &&
         tile.rows_of_thread <= 8 && tile.columns_of_thread <= 16 && tile.terms % 4 == 0;
}

ProductTile tile_of(const Schedule& schedule, const Product& product) {
  const AxisSchedule &rows = schedule.axes[product.rows.back()], &columns = schedule.axes[product.columns.back()];
  return {rows.tile, columns.tile, rows.unroll, columns.unroll, schedule.axes.back().tile};
}

void check_tile(const KernelPlan& kernel, const Product& product, const ProductTile& tile, std::string_view where) {
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
  require(results + 2 * tile.terms * (tile.rows + tile.columns + 32) * bytes <= kMaxSharedBytes, "a tile of ", tile.rows, " x ",
          tile.columns, " results and ", tile.terms, " terms does not fit the shared memory");
  require(range(product.terms).lo <= kMaxProductTerms, "a product by tiles has at most ", kMaxProductTerms, " terms");
}

std::vector<Variant> product_variants(const KernelPlan& kernel, const Product& product, const Gpu& gpu, const Schedule& otherwise) {
  std::vector<Variant> variants;
  if (range(product.terms).lo > kMaxProductTerms) return {{std::nullopt, otherwise}};
  if (range(product.terms).hi > kMaxProductTerms) variants.push_back({product.terms - kMaxProductTerms - 1, otherwise});
  const int64_t bytes = bytes_of_result(kernel), most = bytes > 4 ? 64 : 128;
  const bool has_mma = gpu.f64_mma && working_dtype(kernel.reduces[0]->dtype) == DType::kF64;
  // Sizes that are known only at run time take registers.
  const bool is_small = has_small_tiles(gpu), has_strides = !product.terms.is_constant() && !product.column_count.is_constant();
  const auto lanes = [&](Dim count, int64_t most) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(range(count).hi, kLeastLanes, most))));
  };
  int64_t rows = lanes(product.row_count, has_mma && has_large_mma_tiles(gpu) ? 2 * most : most),
          columns = lanes(product.column_count, is_small || has_strides ? std::min<int64_t>(64, most) : most);
  const auto halve = [&] { (rows > columns ? rows : columns) /= 2; };
  const auto tiled = [&] {
    return schedule_of(kernel, product, has_mma ? complete_mma(rows, columns, bytes) : complete(rows, columns, bytes));
  };
  while (rows * columns > kLeastTile && proven_less(tiles_of(product, rows, columns), kBusyProcessors)) halve();
  const Dim spare = tiles_of(product, rows, columns) - kBusyProcessors;
  if (rows * columns > kLeastTile && !proven_nonnegative(spare)) {  // depends on sizes that are known at run time
    variants.push_back({spare, tiled()});
    while (rows * columns > kLeastTile) halve();
  }
  variants.push_back({std::nullopt, tiled()});
  return variants;
}

}  // namespace harp
