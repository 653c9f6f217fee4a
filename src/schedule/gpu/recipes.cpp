#include "schedule/gpu/recipes.h"

#include <algorithm>
#include <limits>

#include "schedule/fusion_limits.h"
#include "schedule/legal.h"

namespace harp {
namespace {

/// Returns how many elements a thread of an elementwise kernel takes, so that the widest of them fill an access.
int grouped_elements(const Program& program, const KernelPlan& kernel) {
  constexpr int kAccessBytes = 16;
  size_t widest = 1;
  const auto meet = [&](int buffer) { widest = std::max(widest, size_of(program.buffers[static_cast<size_t>(buffer)].node->dtype)); };
  for (const int buffer : kernel.reads) meet(buffer);
  for (const StorePlan& store : kernel.stores) meet(store.buffer);
  return std::max(1, kAccessBytes / static_cast<int>(widest));
}

/// The schedule `each`, from the rules of the recipe that the kernel was fused for.
Schedule each(const Program& program, const KernelPlan& kernel) {
  const ScheduleRules rules = rules_of(program, kernel).front();
  Schedule s;
  s.recipe = rules.recipe;
  s.partition = s.overlap = false;  // both are about the parts of a loop over vectors
  for (const AxisRules& axis : rules.axes) {
    AxisSchedule& here = s.axes.emplace_back();
    here.kind = axis.threads ? AxisKind::kThread : axis.kind;
    here.tile = axis.max_tile > 0 ? std::max<int64_t>(1, axis.min_tile) : 0;  // a thread computes one column
  }
  if (s.recipe == Template::kElementwise && !s.axes.empty()) s.axes.back().simd_width = grouped_elements(program, kernel);
  return s;
}

}  // namespace

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu&, const ScheduleOptions&) {
  return {{std::nullopt, each(program, kernel)}};
}

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu&, const ScheduleOptions&) {
  return {each(program, kernel)};
}

FusionLimits fusion_limits(const Gpu&) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  return {
      // The compiler's time, as for CPUs (cpu/tuning.cpp).
      .ops = 1000,
      .depth = 400,
      .joins = 16,
      .arrays = 64,
      .stores = 16,
      .reduces = 8,
      .selected = 4,
      .memory_cost = 4,
      .min_elements = 4096,
      // A thread that keeps a row for later passes has only memory to keep it in; so rows are short.
      .row_reduces = 16,
      .row_stores = 32,
      .passes = 8,
      .kept_bytes = 4096,
      .recomputed_cost = 64,
      // A row is worth several threads from two of the law's blocks on, unless there are rows for all threads of a large GPU.
      .long_row = 1 << 13,
      .few_long_rows = 1 << 16,
      .tile_rows = 4,
      .tile_columns = 8,
      .tile_terms = 16,
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
