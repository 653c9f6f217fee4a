#include "schedule/gpu/product_variants.h"

#include <algorithm>
#include <bit>

#include "schedule/gpu/product_slices.h"

namespace harp {
namespace {

constexpr int64_t kThreads = 256;        // threads of a block
constexpr int64_t kLeastLanes = 16;      // fewest rows or columns of a tile
constexpr int64_t kLeastTile = 32 * 32;  // tiles of at most this many results are not halved to get more tiles
// Fewest terms that are split into slices. With fewer, the second kernel would take longer than the first one saves.
constexpr int64_t kLeastSplitTerms = 4 * kChainBlock;

/// The number of rows and columns of a tile.
struct Sides {
  int64_t rows, columns;
  bool is_least() const { return rows * columns <= kLeastTile; }
  void halve() { (rows > columns ? rows : columns) /= 2; }
};

Dim tiles_of(const Product& product, const Sides& tile) {
  return element_count(product.batch_shape) * ceil_div(product.row_count, tile.rows) * ceil_div(product.column_count, tile.columns);
}

/// Returns the number of stages for asynchronous copies of the factors; a stage is a part of shared memory with the terms of one step.
/// There are enough stages for 32 terms, but at least 2 and at most 4. Returns 2 if the shared memory of a multiprocessor would not have
/// room for two blocks of threads with that many stages. (Two blocks should run on each multiprocessor, so that one computes while the
/// other waits.)
int64_t stages_of(ProductTile tile, int64_t bytes, const Gpu& gpu) {
  constexpr int64_t kTerms = 32;
  constexpr int64_t kReserved = 1024;  // bytes of shared memory that CUDA takes from each block
  tile.stages = std::clamp<int64_t>(kTerms / tile.terms, 2, 4);
  return 2 * (shared_bytes_of(tile, bytes) + kReserved) <= gpu.shared_bytes ? tile.stages : 2;
}

/// Completes a tile of rows x columns results: determines the results that each thread computes, and the number of terms that are in shared
/// memory at a time. Each thread copies at least one element of each factor. `bytes`: size of an element.
ProductTile complete(int64_t rows, int64_t columns, int64_t bytes) {
  const int64_t results = rows * columns / kThreads, longer = int64_t{1} << (std::countr_zero(static_cast<uint64_t>(results)) + 1) / 2;
  // The number of elements of the larger factor that are copied at a time, if each thread makes one access of 16 bytes.
  const int64_t elements = 4096 / bytes;
  const int64_t terms = std::clamp<int64_t>(std::max(elements / std::max(rows, columns), kThreads / std::min(rows, columns)), 8, 32);
  return {rows, columns, rows >= columns ? longer : results / longer, rows >= columns ? results / longer : longer, terms};
}

/// Like complete(), for a tile that tensor cores compute. In a large tile, a warp computes 32 x 32 results, so that it reads few elements
/// from shared memory. In other tiles a warp computes 16 x 16 results, so that there are many warps.
ProductTile complete_mma(int64_t rows, int64_t columns, int64_t bytes) {
  const bool is_large = std::min(rows, columns) >= 64;
  const int64_t rows_of_thread = is_large ? 4 : 2, columns_of_thread = 2 * rows_of_thread;
  const int64_t threads = rows / rows_of_thread * (columns / columns_of_thread), elements = 4096 / bytes;
  const int64_t terms = std::clamp<int64_t>(std::max(elements / std::max(rows, columns), threads / std::min(rows, columns)), 8, 32);
  return {rows, columns, rows_of_thread, columns_of_thread, terms};
}

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
  s.axes.back().split = tile.split;
  s.axes.back().stages = tile.stages;
  return s;
}

}  // namespace

std::vector<Variant> product_variants(const KernelPlan& kernel, const Product& product, const Gpu& gpu) {
  const int64_t bytes = bytes_of_result(kernel), most = bytes > 4 ? 64 : 128;
  const bool has_mma = gpu.f64_mma && working_dtype(kernel.reduces[0]->dtype) == DType::kF64;
  // Sizes that are known only at run time occupy registers, so for them the tiles have fewer columns.
  const bool has_strides = !product.terms.is_constant() && !product.column_count.is_constant();
  const int64_t processors = gpu.processors;  // with fewer tiles than this, some multiprocessors would be idle
  const auto lanes = [&](Dim count, int64_t most) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(range(count).hi, kLeastLanes, most))));
  };
  const Sides largest = {lanes(product.row_count, has_mma && gpu.large_f64_mma_tiles ? 2 * most : most),
                         lanes(product.column_count, gpu.small_tiles || has_strides ? std::min<int64_t>(64, most) : most)};
  const auto schedule = [&](const Sides& sides, int64_t split) {
    ProductTile tile = has_mma ? complete_mma(sides.rows, sides.columns, bytes) : complete(sides.rows, sides.columns, bytes);
    tile.split = split;
    tile.stages = stages_of(tile, bytes, gpu);
    return schedule_of(kernel, product, tile);
  };
  // Returns a schedule with slices of `split` terms. Its tiles are the largest of which there are enough to occupy the GPU for all sizes,
  // or the smallest ones if there are never enough.
  const auto split_schedule = [&](int64_t split) {
    Sides sides = largest;
    while (!sides.is_least() && !proven_at_most(processors, tiles_of(product, sides) * slice_count(product, split))) sides.halve();
    return schedule(sides, split);
  };

  std::vector<Variant> variants;
  // Adds a variant for the sizes for which `guard` >= 0. Returns true if these are all sizes, so that no further variant is needed.
  const auto add = [&](Dim guard, const auto& make) {
    if (proven_nonnegative(Dim(-1) - guard)) return false;
    if (proven_nonnegative(guard)) {
      variants.push_back({std::nullopt, make()});
      return true;
    }
    variants.push_back({guard, make()});
    return false;
  };
  Sides sides = largest;
  while (!sides.is_least() && proven_less(tiles_of(product, sides), processors)) sides.halve();
  const Dim spare = tiles_of(product, sides) - processors;
  const Sides larger = sides;
  if (!proven_nonnegative(spare))
    while (!sides.is_least()) sides.halve();

  const Dim is_small = Dim(processors) - tiles_of(product, sides) * 2, is_long = product.terms - kLeastSplitTerms;
  if (add(min(is_small, is_long), [&] { return split_schedule(kChainBlock); })) return variants;
  if (add(product.terms - kMaxProductTerms - 1, [&] { return split_schedule(kMaxProductTerms); })) return variants;
  // Whether there are enough of the larger tiles to occupy the GPU depends on sizes that are known only at run time, so these tiles get a
  // variant of their own.
  if (larger.rows != sides.rows || larger.columns != sides.columns) variants.push_back({spare, schedule(larger, 0)});
  variants.push_back({std::nullopt, schedule(sides, 0)});
  return variants;
}

}  // namespace harp
