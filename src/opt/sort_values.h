// Makes Sort nodes. graph/sorting.cpp builds a sort as a gather by an argsort of integer keys, which are computed from the array. If only
// that gather reads the argsort, this pass replaces both by a Sort node. A Sort orders the values themselves: it neither carries indices
// along nor stores keys. The pass recognises an argsort by building it again and comparing nodes. It runs before passes that rewrite
// integer arithmetic, because they change the keys.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> sort_values(const Graph& graph);
/// True if the pass may replace this node.
bool may_sort_values(const Node& node);

}  // namespace harp::opt
