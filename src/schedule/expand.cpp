// Gives each kernel its variants, that is, schedules with the conditions under which they are used. The code for the target's kind of
// machine chooses them (cpu/recipes.h, gpu/recipes.h), unless the API or the tuner overrides a schedule.
#include <variant>

#include "base/table_limit.h"
#include "base/text.h"
#include "schedule/cpu/recipes.h"
#include "schedule/fuse.h"
#include "schedule/gpu/grid_scan.h"
#include "schedule/gpu/product_slices.h"
#include "schedule/gpu/recipes.h"
#include "schedule/legal.h"
#include "schedule/override.h"
#include "schedule/schedule_program.h"
#include "schedule/sort_keys.h"

namespace harp {

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options) {
  return std::visit([&](const auto& hardware) { return usual_schedules(program, kernel, hardware, options); }, options.target.hardware);
}

void expand(Program& program, const ScheduleOptions& options) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    KernelPlan& kernel = program.kernels[k];
    check_time(program.graph->dims());
    kernel.variants =
        std::visit([&](const auto& hardware) { return variants_of(program, kernel, hardware, options); }, options.target.hardware);
    for (size_t v = 0; v < kernel.variants.size(); ++v) check_variant(program, kernel, v, kernel.variants[v].schedule, cat("kernel_", k));
  }
  apply_overrides(program, parse_overrides(options.overrides), options.plain_text);
}

Program schedule_graph(std::shared_ptr<Graph> graph, const ScheduleOptions& options) {
  const FusionLimits limits = fusion_limits(options.target);
  Program program = fuse(std::move(graph), options.chains, limits);
  program.target = options.target;
  expand(program, options);
  if (options.target.gpu() != nullptr) {
    add_scan_buffers(program);
    add_slice_buffers(program);
  } else {
    skip_unread_keys(program);
  }
  chain_kernels(program, options.chains.bytes, limits);
  plan_memory(program);
  return program;
}

}  // namespace harp
