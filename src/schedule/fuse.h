// Graph -> kernels: groups stored nodes into kernels and sorts them into generations (Kahn's algorithm).
#pragma once

#include <memory>

#include "schedule/chain.h"
#include "schedule/fusion_limits.h"
#include "schedule/program.h"

namespace harp {

/// Returns the kernels, buffers and generations of the optimised graph, after row blocks, split reductions and transforms have been applied
/// (row_blocks.h, split_reductions.h, transform.h). Offsets of buffers and schedules of kernels are not set yet.
Program fuse(std::shared_ptr<Graph> graph, const ChainOptions& chains, const FusionLimits& limits);
/// The last step of fusion: merges kernels over the same rows, and divides every kernel with reductions into passes. (rowwise.cpp)
void group_rows(Program& program, const FusionLimits& limits);

}  // namespace harp
