#include "schedule/gpu/recipes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "schedule/contraction.h"
#include "schedule/elements_of_thread.h"
#include "schedule/fusion_limits.h"
#include "schedule/gpu/product_variants.h"
#include "schedule/kernel_structure.h"
#include "schedule/legal.h"

namespace harp {
namespace {

/// Returns how many adjacent elements one thread of an elementwise kernel processes: as many as fill one access of 16 bytes to the array
/// with the widest elements.
int grouped_elements(const Program& program, const KernelPlan& kernel) {
  constexpr int kAccessBytes = 16;
  size_t widest = 1;
  const auto meet = [&](int buffer) { widest = std::max(widest, size_of(program.buffers[static_cast<size_t>(buffer)].node->dtype)); };
  for (const int buffer : kernel.reads) meet(buffer);
  for (const StorePlan& store : kernel.stores) meet(store.buffer);
  return std::max(1, kAccessBytes / static_cast<int>(widest));
}

/// Returns how many adjacent elements of a row, or how many adjacent columns, one thread should reduce: as many as fill one access of 16
/// bytes to the array with the widest elements that the reduction reads, but at least 2 and at most kMaxElementsOfThread.
int reduced_elements(const Program& program, const KernelPlan& kernel) {
  constexpr int kAccessBytes = 16;
  size_t widest = 1;
  for (const int buffer : kernel.reads) widest = std::max(widest, size_of(program.buffers[static_cast<size_t>(buffer)].node->dtype));
  return std::clamp(kAccessBytes / static_cast<int>(widest), 2, kMaxElementsOfThread);
}

/// Returns how many of the 64 lanes that reduce a row (docs/semantics.md, "Sums") one thread of a group computes. If a thread computes
/// several lanes, fewer threads reduce a row, and each of them makes accesses of 16 bytes. Returns 1 if the elements of a thread would not
/// be aligned, or if there would be too few threads.
int lanes_of_thread(const Program& program, const KernelPlan& kernel) {
  // If all rows together have fewer elements than this, groups of few threads do not occupy a GPU.
  constexpr int64_t kManyElements = int64_t{1} << 22;
  constexpr int64_t kLongRow = 1024;
  // One thread keeps at most this many bytes of a row's values in registers for later passes (lower/row_values.cpp).
  constexpr int64_t kRegisterBytes = 256;
  const Node& reduce = *kernel.reduces[0];
  Dim length = 1;
  for (const size_t axis : lane_axes(reduce).inner) length *= reduce.sources[0]->shape[axis];
  const int elements = reduced_elements(program, kernel);
  const int64_t lanes = lanes_in_use(reduce);
  if (!mod(length, elements).is_constant(0) || lanes < kLanes) return 1;
  if (!length.is_constant()) return elements;
  const bool is_small = proven_less(element_count(reduce.sources[0]->shape), kManyElements);
  if (is_small && length.constant() >= kLongRow) return 1;
  return kept_bytes(kernel) <= static_cast<double>(kRegisterBytes * lanes / elements) ? elements : 1;
}

/// Returns how many adjacent columns one thread reduces; 1 if several would not be aligned, or if that would leave too few threads.
int columns_of_thread(const Program& program, const KernelPlan& kernel) {
  constexpr int64_t kManyColumns = int64_t{1} << 19;
  const Shape kept = iteration_space(kernel);
  const int columns = reduced_elements(program, kernel);
  return mod(kept.back(), columns).is_constant(0) && proven_at_most(kManyColumns, element_count(kept)) ? columns : 1;
}

/// Tests whether groups of threads should reduce the columns of a chain-order reduction (lower/gpu/group_columns.h). This is so if there
/// are fewer columns than a GPU needs threads, or if so few columns are adjacent in memory that the threads of a warp would read pieces of
/// memory that are far from each other. There must also be enough rows for the threads of a group. Returns false for products of rows and
/// columns, because tiles are better for them.
bool should_reduce_columns_by_groups(const KernelPlan& kernel) {
  constexpr int64_t kFewNeighbours = 16, kFew = int64_t{1} << 15, kFewestRows = 32, kManyRows = 64;
  const std::optional<Contraction> contraction = as_contraction(kernel);
  if (as_product(kernel) || (contraction && contraction->rows)) return false;
  const Node& reduce = *kernel.reduces[0];
  const std::vector<int>& axes = reduce.as<ReduceAttributes>().axes;
  const int last = *std::ranges::max_element(axes);
  Dim neighbours = 1, all = 1;  // neighbours: number of neighbouring columns; all: number of all columns
  for (int axis = 0; axis < reduce.sources[0]->rank(); ++axis) {
    if (std::ranges::find(axes, axis) != axes.end()) continue;
    const Dim& size = reduce.sources[0]->shape[static_cast<size_t>(axis)];
    all *= size;
    if (axis > last) neighbours *= size;
  }
  const Dim rows = term_count(reduce);
  if (range(rows).hi <= kFewestRows) return false;
  return range(all).hi <= kFew || (range(neighbours).hi <= kFewNeighbours && proven_at_most(kManyRows, rows));
}

/// Tests whether the scans of a kernel are along columns so short that one thread should scan each of them. This is so if a group of
/// threads would have too few elements for its threads, or if there are enough columns for all threads of a GPU.
bool has_short_columns(const KernelPlan& kernel) {
  constexpr int64_t kShort = 32, kMedium = 256, kManyColumns = int64_t{1} << 14;
  if (kernel.scans[0]->as<ScanAttributes>().order != ScanOrder::kChain) return false;
  Shape others = iteration_space(kernel);
  const auto axis = others.begin() + scan_axis(kernel);
  const int64_t longest = range(*axis).hi;
  others.erase(axis);
  return longest <= kShort || (longest <= kMedium && proven_at_most(kManyColumns, element_count(others)));
}

/// Returns the schedule of a kernel that is neither a product nor a transpose by tiles. It obeys the rules of the recipe for which the
/// kernel was fused (see the table in recipes.h).
Schedule each(const Program& program, const KernelPlan& kernel) {
  const ScheduleRules rules = rules_of(program, kernel).front();
  Schedule s;
  s.recipe = rules.recipe;
  s.partition = s.overlap = false;  // partition and overlap concern loops over vectors, which GPU kernels do not have
  for (const AxisRules& axis : rules.axes) {
    AxisSchedule& here = s.axes.emplace_back();
    here.kind = axis.threads ? AxisKind::kThread : axis.kind;
    // usually a tile of one column, because a thread computes one column
    here.tile = axis.max_tile > 0 ? std::max<int64_t>(1, axis.min_tile) : 0;
  }
  if (s.recipe == Template::kElementwise && !s.axes.empty()) s.axes.back().simd_width = grouped_elements(program, kernel);
  if (s.axes.size() > 1 && !kernel.reduces.empty() && !has_arg_extreme(kernel) &&
      kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain)
    s.axes[s.axes.size() - 2].simd_width = columns_of_thread(program, kernel);
  if (may_reduce_columns_by_groups(kernel) && should_reduce_columns_by_groups(kernel)) {
    s.axes.back().kind = AxisKind::kThreadGroup;
    if (s.axes.size() > 1) s.axes[s.axes.size() - 2].tile = 0, s.axes[s.axes.size() - 2].simd_width = 1;
  }
  if (may_scan_by_groups(kernel) && !has_short_columns(kernel))
    s.axes[static_cast<size_t>(scan_axis(kernel))].kind = AxisKind::kThreadGroup;
  if (const int scattered = scatter_axis(kernel); scattered >= 0) s.axes[static_cast<size_t>(scattered)].kind = AxisKind::kThreadGroup;
  if (may_use_groups(kernel)) s.axes.back().kind = AxisKind::kThreadGroup, s.axes.back().simd_width = lanes_of_thread(program, kernel);
  return s;
}

constexpr int64_t kSide = 32;  // side of a tile of a transpose: as many neighbouring elements as a warp has threads

/// Returns the schedule of a transpose by tiles of this size. `rows` is the axis along which the loads are contiguous.
Schedule tiled(const KernelPlan& kernel, size_t rows, int64_t height, int64_t width) {
  Schedule s;
  s.recipe = Template::kTranspose;
  s.partition = s.overlap = false;
  s.axes.resize(iteration_space(kernel).size());
  for (AxisSchedule& axis : s.axes) axis.kind = AxisKind::kThread;
  s.axes[rows].tile = height, s.axes.back().tile = width;
  s.axes.back().kind = AxisKind::kThreadGroup;
  return s;
}

/// Returns the schedule of a transpose by tiles; nothing if the kernel transposes nothing, or if its axes are so short that tiles would be
/// mostly empty.
std::optional<Schedule> tiles(const Program& program, const KernelPlan& kernel) {
  const std::optional<size_t> rows = transposed_axis(program, kernel);
  if (!rows) return std::nullopt;
  const bool is_narrow = grouped_elements(program, kernel) >= 8;
  // Tiles of 8-bit and 16-bit elements are larger, so that as many bytes are in flight as for 32-bit elements.
  const int64_t elements = is_narrow ? 4 * kSide * kSide : kSide * kSide;
  const Shape space = iteration_space(kernel);
  const auto most = [&](size_t axis) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::min(range(space[axis]).hi, kMaxTileSide))));
  };
  const int64_t most_rows = std::max<int64_t>(2, most(*rows)), most_columns = std::max<int64_t>(2, most(space.size() - 1));
  int64_t height = std::min(most_rows, is_narrow ? 2 * kSide : kSide), width = std::min(most_columns, elements / height);
  height = std::min(most_rows, elements / width);
  // In this case both axes are short, so neighbouring threads share cache lines in the source and in the destination even without tiles.
  if (height * width < elements / 2) return std::nullopt;
  return tiled(kernel, *rows, height, width);
}

}  // namespace

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions&) {
  if (const auto product = as_product(kernel)) return product_variants(kernel, *product, gpu);
  const std::optional<Schedule> by_tiles = tiles(program, kernel);
  return {{std::nullopt, by_tiles ? *by_tiles : each(program, kernel)}};
}

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions&) {
  std::vector<Schedule> schedules = {each(program, kernel)};
  if (const auto product = as_product(kernel)) {
    schedules.push_back(product_variants(kernel, *product, gpu).back().schedule);
  } else if (const std::optional<size_t> rows = transposed_axis(program, kernel)) {
    const std::optional<Schedule> by_tiles = tiles(program, kernel);
    schedules.push_back(by_tiles ? *by_tiles : tiled(kernel, *rows, kSide, kSide));
  }
  return schedules;
}

FusionLimits fusion_limits(const Gpu&) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  return {
      // A group of threads keeps a row in registers or in its part of the shared memory. A multiprocessor should have room for several
      // groups.
      .unrolled_divisor = 1,
      .kept_bytes = 32 << 10,
      .keeps_short_rows = false,
      .vector_bytes = 0,
      .few_columns_elements = 0,
      // A row is split among several threads or groups if it has at least two blocks (docs/semantics.md, "Sums"), unless there are enough
      // rows to give all threads of a large GPU work.
      .long_row = 1 << 13,
      .few_long_rows = 1 << 16,
      .many_threads = true,
      .first_axis = 0,
      .grid_routines = true,
      .grouped_scans = true,
      .tile_rows = 4,
      .tile_columns = 8,
      .tile_terms = 16,
      .few_terms = 0,
      .few_terms_rows = 0,
      .window_rows = 4,
      .joins_columns = false,  // not measured
      .integer_products = true,
      // A product on a GPU computes its factors while it copies their tiles to shared memory.
      .finishes_products = false,
      // Sorting takes at least three more launches. In the same time, 1,024 groups of threads can read 16,384 indices each (64 MiB in all).
      // Not measured.
      .sorted_updates = 1 << 14,
      .shifted_loads = 0,  // not measured
      // There are no chains on a GPU, because kernels do not pass blocks to each other through a cache.
      .min_blocks = kNever,
      .max_block_bytes = 0,
      .max_blocks_of_smallest = 64,
      .rows_of_tile = 8,
      .max_read_again = 4,
      .large_arrays = 4,
  };
}

}  // namespace harp
