// The compile option `check_indices`: whatever takes or adds by data checks its indices first.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// The graph with a check_index below every take_along_axis and scatter. What they take by is looked at where it is made: the views
/// that only repeat or rearrange it stay above the check, so that it is done once an index.
std::unique_ptr<Graph> check_indices(const Graph& graph);

}  // namespace harp::opt
