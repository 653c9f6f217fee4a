// Groups the nodes of a graph into kernels (fusion), and the kernels into generations (sets of kernels that do not depend on each other). A
// kernel belongs to a later generation than all kernels whose results it reads.
#pragma once

#include <memory>

#include "schedule/chain.h"
#include "schedule/fusion_limits.h"
#include "schedule/program.h"

namespace harp {

/// Returns the kernels, buffers and generations of the optimised graph. Before fusion, rewrites the graph (schedule/README.md lists these
/// rewrites under "before fusion"). Does not set the offsets of buffers or the schedules of kernels.
Program fuse(std::shared_ptr<Graph> graph, const ChainOptions& chains, const FusionLimits& limits);
/// Does the last step of fusion: merges kernels that process the same rows, and divides every kernel with reductions into passes.
/// (rowwise.cpp)
void group_rows(Program& program, const FusionLimits& limits);

}  // namespace harp
