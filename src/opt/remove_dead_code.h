// Removes every node that no output depends on, such as nodes that earlier passes replaced. It keeps unused inputs, because they are part
// of the program's signature.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph);

}  // namespace harp::opt
