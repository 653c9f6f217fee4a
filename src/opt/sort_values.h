// Replaces an argsort and a gather by a Sort node. graph/sorting.cpp builds a sort as an argsort of integer keys, which are computed from
// the array, and a gather of the array by that argsort. If only the gather reads the argsort, this pass replaces both by a Sort node, which
// sorts the values themselves: indices and keys need not be stored. A gather by a slice of the argsort, such as the values of topk, becomes
// the same slice of the sorted values. The pass recognises an argsort by building it again and comparing nodes. It runs before passes that
// rewrite integer arithmetic, because they would change the keys.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> sort_values(const Graph& graph);
/// True if the pass may replace this node.
bool may_sort_values(const Node& node);

}  // namespace harp::opt
