#include "opt/remove_dead_code.h"

#include <algorithm>

#include "opt/rewrite.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph) {
  return rewrite(graph, [](Graph&, const Node* node) { return node; });
}

std::shared_ptr<Graph> in_order(std::shared_ptr<Graph> graph) {
  if (std::ranges::is_sorted(graph->live_nodes(), {}, &Node::id)) return graph;
  return remove_dead_code(*graph);
}

}  // namespace harp::opt
