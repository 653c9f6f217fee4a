// Applies arithmetic identities from a table of small rules for each op. On floats it uses only identities that keep every bit and that
// docs/semantics.md allows (x*1, x+(-0), -(-x), …). On integers and bool it uses any identity of two's complement arithmetic.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> simplify_algebra(const Graph& graph);
/// True if the pass may replace this node.
bool may_simplify_algebra(const Node& node);

}  // namespace harp::opt
