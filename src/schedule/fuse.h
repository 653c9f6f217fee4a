// Graph -> kernels: groups what is stored into kernels and sorts them into generations (by Kahn's order).
#pragma once

#include <memory>

#include "schedule/chain.h"
#include "schedule/program.h"

namespace harp {

/// Kernels, buffers and generations of the optimised graph, after it has been cut and split into what is fused (row_blocks.h,
/// split_reductions.h, transform.h); offsets and schedules are still empty.
Program fuse(std::shared_ptr<Graph> graph, const ChainOptions& chains);
/// Its last step: merges kernels that go over the same rows, and gives every kernel with reductions its passes. (rowwise.cpp)
void group_rows(Program& program);

}  // namespace harp
