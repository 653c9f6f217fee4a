// From the optimised graph to the scheduled program: fuses nodes into kernels, chooses templates and schedules, plans memory.
#pragma once

#include <memory>
#include <string_view>

#include "base/machine.h"
#include "schedule/chain.h"
#include "schedule/program.h"

namespace harp {

struct ScheduleOptions {
  Machine target;
  int simd_width = 0;          // 0: as many lanes as the target's vectors hold; otherwise 1, 2, 4, 8 or 16, whatever the dtype
  std::string_view overrides;  // lines in the syntax of override.h; empty: none
  ChainOptions chains = {};
  bool has_vectors = true;  // false: plain text, in which overrides cannot request vectors
};

/// Runs fuse.cpp (after row_blocks.cpp, split_reductions.cpp and transform.cpp, and including rowwise.cpp), expand.cpp, chain.cpp and
/// plan_memory.cpp, in this order.
Program schedule_graph(std::shared_ptr<Graph> graph, const ScheduleOptions& options);

/// Gives every kernel its variants.
void expand(Program& program, const ScheduleOptions& options);
/// Returns the default schedule of a kernel for each recipe of rules_of (legal.h), whether or not that recipe pays.
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options);
/// Merges the kernels of each chain into one generation where that pays. Arrays used only inside the chain are reduced to one block for
/// each worker. `least` is the smallest array, in bytes, that is worth a chain.
void chain_kernels(Program& program, int64_t least, const FusionLimits& limits);
/// Gives every workspace buffer its offset.
void plan_memory(Program& program);

}  // namespace harp
