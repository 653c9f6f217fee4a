// Removes every node that no output depends on, such as nodes that earlier passes replaced. Unused inputs are kept, because they are part
// of the program's signature.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph);

/// If the ids of the live nodes ascend in the order of Graph::live_nodes(), returns the graph; else returns a copy with ids in this order.
/// The order in which nodes are created can depend on the C++ compiler, because the arguments of add(mul(a, b), exp(c)) are evaluated in
/// any order. After in_order(), the ids, and all decisions of later steps that use them, depend only on the structure of the graph.
std::shared_ptr<Graph> in_order(std::shared_ptr<Graph> graph);

}  // namespace harp::opt
