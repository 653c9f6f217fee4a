#include "schedule/gpu/recipes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "schedule/fusion_limits.h"
#include "schedule/gpu/product_variants.h"
#include "schedule/kernel_structure.h"
#include "schedule/legal.h"

namespace harp {
namespace {

/// Returns how many elements a thread of an elementwise kernel processes, so that the widest of them fill an access.
int grouped_elements(const Program& program, const KernelPlan& kernel) {
  constexpr int kAccessBytes = 16;
  size_t widest = 1;
  const auto meet = [&](int buffer) { widest = std::max(widest, size_of(program.buffers[static_cast<size_t>(buffer)].node->dtype)); };
  for (const int buffer : kernel.reads) meet(buffer);
  for (const StorePlan& store : kernel.stores) meet(store.buffer);
  return std::max(1, kAccessBytes / static_cast<int>(widest));
}

/// Returns how many elements of a row, or columns, make an access of 16 bytes in the widest array that a reduction reads.
int reduced_elements(const Program& program, const KernelPlan& kernel) {
  constexpr int kAccessBytes = 16;
  size_t widest = 1;
  for (const int buffer : kernel.reads) widest = std::max(widest, size_of(program.buffers[static_cast<size_t>(buffer)].node->dtype));
  return std::clamp(kAccessBytes / static_cast<int>(widest), 2, kMaxElementsOfThread);
}

/// Returns how many of the 64 lanes that reduce a row (docs/semantics.md, "Sums") each thread of a group has, so that a wide row takes few
/// threads and accesses of 16 bytes; 1 if the elements of a thread would not be aligned, or if there would be too few threads.
int lanes_of_thread(const Program& program, const KernelPlan& kernel) {
  constexpr int64_t kManyElements = int64_t{1} << 22;  // elements of all rows: with fewer, groups of few threads do not fill a GPU
  constexpr int64_t kLongRow = 1024;
  constexpr int64_t kRegisterBytes = 256;  // most bytes of a row's kept values in each thread (lower/row_values.cpp)
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

/// Returns how many adjacent columns a thread reduces; 1 if they would not be aligned, or if that leaves too few threads.
int columns_of_thread(const Program& program, const KernelPlan& kernel) {
  constexpr int64_t kManyColumns = int64_t{1} << 19;
  const Shape kept = iteration_space(kernel);
  const int columns = reduced_elements(program, kernel);
  return mod(kept.back(), columns).is_constant(0) && proven_at_most(kManyColumns, element_count(kept)) ? columns : 1;
}

/// Returns the schedule for which recipes.h uses the name `each`, made by the rules of the recipe that the kernel was fused for.
Schedule each(const Program& program, const KernelPlan& kernel) {
  const ScheduleRules rules = rules_of(program, kernel).front();
  Schedule s;
  s.recipe = rules.recipe;
  s.partition = s.overlap = false;  // both concern a loop over vectors, which does not exist here
  for (const AxisRules& axis : rules.axes) {
    AxisSchedule& here = s.axes.emplace_back();
    here.kind = axis.threads ? AxisKind::kThread : axis.kind;
    here.tile = axis.max_tile > 0 ? std::max<int64_t>(1, axis.min_tile) : 0;  // a thread computes one column
  }
  if (s.recipe == Template::kElementwise && !s.axes.empty()) s.axes.back().simd_width = grouped_elements(program, kernel);
  if (s.axes.size() > 1 && !kernel.reduces.empty() && !has_arg_extreme(kernel) &&
      kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain)
    s.axes[s.axes.size() - 2].simd_width = columns_of_thread(program, kernel);
  if (may_scan_by_groups(kernel)) s.axes[static_cast<size_t>(scan_axis(kernel))].kind = AxisKind::kThreadGroup;
  if (const int scattered = scatter_axis(kernel); scattered >= 0) s.axes[static_cast<size_t>(scattered)].kind = AxisKind::kThreadGroup;
  if (may_use_groups(kernel)) s.axes.back().kind = AxisKind::kThreadGroup, s.axes.back().simd_width = lanes_of_thread(program, kernel);
  return s;
}

/// Returns the schedule of the recipe `transpose`; none if there is nothing to transpose, or so little that threads would be idle.
std::optional<Schedule> tiles(const Program& program, const KernelPlan& kernel) {
  const std::optional<size_t> rows = transposed_axis(program, kernel);
  if (!rows) return std::nullopt;
  constexpr int64_t kSide = 32;  // a warp accesses as many neighbouring elements
  const bool is_narrow = grouped_elements(program, kernel) >= 8;
  const int64_t elements = is_narrow ? 4 * kSide * kSide : kSide * kSide;  // as many bytes in flight for 8- and 16-bit elements
  const Shape space = iteration_space(kernel);
  const auto most = [&](size_t axis) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::min(range(space[axis]).hi, kMaxTileSide))));
  };
  const int64_t most_rows = std::max<int64_t>(2, most(*rows)), most_columns = std::max<int64_t>(2, most(space.size() - 1));
  int64_t height = std::min(most_rows, is_narrow ? 2 * kSide : kSide), width = std::min(most_columns, elements / height);
  height = std::min(most_rows, elements / width);
  if (height * width < elements / 2) return std::nullopt;  // both axes are short: neighbouring threads share the cache lines of either side
  Schedule s;
  s.recipe = Template::kTranspose;
  s.partition = s.overlap = false;
  s.axes.resize(space.size());
  for (AxisSchedule& axis : s.axes) axis.kind = AxisKind::kThread;
  s.axes[*rows].tile = height, s.axes.back().tile = width;
  s.axes.back().kind = AxisKind::kThreadGroup;
  return s;
}

Schedule schedule_of(const Program& program, const KernelPlan& kernel) {
  if (std::optional<Schedule> tiled = tiles(program, kernel)) return *tiled;
  return each(program, kernel);
}

}  // namespace

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions&) {
  if (const auto product = as_product(kernel)) return product_variants(kernel, *product, gpu, schedule_of(program, kernel));
  return {{std::nullopt, schedule_of(program, kernel)}};
}

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions&) {
  std::vector<Schedule> schedules = {schedule_of(program, kernel)};
  if (const auto product = as_product(kernel))
    if (const std::vector<Variant> variants = product_variants(kernel, *product, gpu, schedules[0]);
        variants.back().schedule.recipe == Template::kContraction)
      schedules.push_back(variants.back().schedule);
  return schedules;
}

FusionLimits fusion_limits(const Gpu&) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  return {
      // Limits of the compiler's time, as for CPUs (cpu/tuning.cpp).
      .ops = 1000,
      .depth = 400,
      .joins = 16,
      .arrays = 64,
      .stores = 16,
      .reduces = 8,
      .selected = 4,
      .memory_cost = 4,
      .min_elements = 4096,
      // A group of threads keeps a row in registers, or in its part of the shared memory; a processor should have room for several groups.
      .row_reduces = 16,
      .row_stores = 32,
      .passes = 8,
      .kept_bytes = 32 << 10,
      .recomputed_cost = 64,
      // A row is long enough to be split among threads or groups from two blocks on (docs/semantics.md, "Sums"), unless there are enough
      // rows for all threads of a large GPU.
      .long_row = 1 << 13,
      .few_long_rows = 1 << 16,
      .many_threads = true,
      .grid_routines = true,
      .tile_rows = 4,
      .tile_columns = 8,
      .tile_terms = 16,
      .integer_products = true,
      // Kernels do not pass blocks to each other through a cache.
      .min_blocks = kNever,
      .max_block_bytes = 0,
      .max_blocks_of_smallest = 64,
      .rows_of_tile = 8,
      .max_read_again = 4,
      .large_arrays = 4,
  };
}

}  // namespace harp
