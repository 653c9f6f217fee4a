// Graph -> kernels: groups what is stored into kernels and sorts them into generations (08-lowering, "Fusion"; Kahn's order).
#pragma once

#include <memory>

#include "schedule/chain.h"
#include "schedule/program.h"

namespace harp {

/// Kernels, buffers and generations of the optimised graph; offsets and schedules are still empty.
Program fuse(std::shared_ptr<Graph> graph, const ChainOptions& chains);
/// Its last step: merges kernels that go over the same rows, and gives every kernel with reductions its passes. (rowwise.cpp)
void group_rows(Program& program);

}  // namespace harp
