// Implements the compile option `check_indices`: every gather and scatter checks its indices first.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// If `wanted`, returns a graph in which every optional check (CheckAttributes::optional) is made obligatory, and in which a CheckIndex
/// node checks the indices of every take_along_axis and scatter. If the indices are repeated or rearranged by views, the check is made
/// before the views, so that each index is checked once. If not `wanted`, returns the graph without its optional checks.
std::shared_ptr<Graph> settle_checks(std::shared_ptr<Graph> graph, bool wanted);

}  // namespace harp::opt
