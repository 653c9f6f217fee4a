// Removes every node that no output depends on, such as nodes that earlier passes replaced. It keeps unused inputs, because they are part
// of the program's signature.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph);

/// Returns the graph if the ids of its live nodes ascend in the order of Graph::live_nodes(), else a copy in which they do. Code that
/// builds nodes makes them in an order that partly depends on the C++ compiler: `add(mul(a, b), exp(c))` evaluates its arguments in any
/// order. After in_order the ids, and all that later steps decide by them, follow from the structure of the graph alone.
std::shared_ptr<Graph> in_order(std::shared_ptr<Graph> graph);

}  // namespace harp::opt
