// Makes the scheduled program from the optimised graph: fuses nodes into kernels, chooses their schedules, and plans the memory.
#pragma once

#include <memory>
#include <string_view>

#include "base/machine.h"
#include "schedule/chain.h"
#include "schedule/program.h"

namespace harp {

struct ScheduleOptions {
  Machine target;
  // The number of vector lanes. 0: as many as fit a vector of the target; otherwise 1, 2, 4, 8 or 16 for every dtype.
  int simd_width = 0;
  std::string_view overrides;  // overrides of schedules, in the syntax of override.h; may be empty
  ChainOptions chains = {};
  // Whether the generated code is C without vector types (PipelineOptions::plain_text); overrides must then not request vectors. Never set
  // for a GPU, whose schedules need no vector types for `simd` (elements_of_thread.h).
  bool plain_text = false;
};

/// Runs fuse() (which includes the rewrites before it and rowwise.cpp), expand(), chain_kernels() and plan_memory(), in this order.
Program schedule_graph(std::shared_ptr<Graph> graph, const ScheduleOptions& options);

/// Gives every kernel its variants: schedules with the conditions under which they are used.
void expand(Program& program, const ScheduleOptions& options);
/// Returns a default schedule of the kernel for each recipe (Template) that can lower it (rules_of() in legal.h), even if that recipe is
/// slower than others.
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options);
/// Makes the kernels of each chain (chain.cpp) one generation, where that pays: each worker then runs all kernels of the chain for one
/// block of the arrays' first axis, then for another block. Of an array that only the kernels of the chain use, only one block for each
/// worker is stored. `least`: size in bytes of the smallest array that is worth a chain.
void chain_kernels(Program& program, int64_t least, const FusionLimits& limits);
/// Sets the position of every buffer in the workspace.
void plan_memory(Program& program);

}  // namespace harp
