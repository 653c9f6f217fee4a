// Identities of arithmetic, a table of small rules by op. On floats only those docs/semantics.md allows (x*1, x+(-0), -(-x), …), because
// every output keeps its bits; on integers and bool whatever two's complement arithmetic makes true.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> simplify_algebra(const Graph& graph);
/// Is it a node that the pass may replace?
bool may_simplify_algebra(const Node& node);

}  // namespace harp::opt
