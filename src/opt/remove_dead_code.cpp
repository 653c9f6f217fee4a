#include "opt/remove_dead_code.h"

#include "opt/rewrite.h"

namespace harp::opt {

std::unique_ptr<Graph> remove_dead_code(const Graph& graph) {
  return rewrite(graph, [](Graph&, const Node* node) { return node; });
}

}  // namespace harp::opt
