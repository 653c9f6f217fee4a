// Drops every node that no output needs, such as those earlier passes have replaced. Inputs stay, used or not: they are part of
// the program's signature.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph);

}  // namespace harp::opt
