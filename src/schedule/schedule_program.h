// From the optimised graph to the scheduled program: fuse into kernels, choose templates and schedules, plan memory.
#pragma once

#include <memory>
#include <string_view>

#include "base/target.h"
#include "schedule/chain.h"
#include "schedule/program.h"

namespace harp {

struct ScheduleOptions {
  Target target;
  int simd_width = 0;          // 0: as many lanes as the target's vectors hold; else 1, 2, 4, 8, 16 whatever the dtype
  std::string_view overrides;  // lines of override.h; empty: none
  ChainOptions chains = {};
  bool has_vectors = true;  // else overrides cannot ask for any: plain text
};

/// fuse.cpp (behind row_blocks.cpp, split_reductions.cpp and transform.cpp, and with rowwise.cpp), expand.cpp, chain.cpp and
/// plan_memory.cpp in this order.
Program schedule_graph(std::shared_ptr<Graph> graph, const ScheduleOptions& options);

/// Gives every kernel its variants.
void expand(Program& program, const ScheduleOptions& options);
/// What harp would choose for a kernel by each recipe of rules_of (legal.h), whether or not that recipe pays.
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const ScheduleOptions& options);
/// Makes one generation of the kernels of each chain where that pays, and of arrays that nobody else reads keeps a block a worker.
/// That is for an array of `least` bytes.
void chain_kernels(Program& program, int64_t least);
/// Gives every workspace buffer its offset.
void plan_memory(Program& program);

}  // namespace harp
