// The compile option `check_indices`: whatever takes or changes elements by data checks its indices first.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// With `wanted` the graph in which optional checks are checks, and a check_index stands below every take_along_axis and scatter. What
/// they take by is looked at where it is made: the views that only repeat or rearrange it stay above the check, so that it is done once an
/// index. Without: the graph without its optional checks.
std::shared_ptr<Graph> settle_checks(std::shared_ptr<Graph> graph, bool wanted);

}  // namespace harp::opt
