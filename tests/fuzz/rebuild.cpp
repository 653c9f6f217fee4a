#include "fuzz/rebuild.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/build.h"
#include "graph/composites.h"

namespace harp::fuzz {

std::string Rebuild::cut_name(const Node* node) { return cat("cut", node->id); }

std::shared_ptr<Graph> Rebuild::with_outputs(const std::vector<GraphOutput>& outputs) {
  try {
    auto result = std::make_shared<Graph>(graph_.options(), graph_.name(), graph_.shared_dims());
    std::vector<bool> is_needed(graph_.nodes().size(), false);
    for (const GraphOutput& output : outputs) is_needed[output.node->id] = true;
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend(); ++node) {
      if (!is_needed[node->id] || &*node == cut_ || &*node == constant_) continue;
      if (&*node == bypassed_)
        is_needed[node->sources[source_]->id] = true;
      else
        for (const Node* source : node->sources) is_needed[source->id] = true;
    }
    for (const Node& node : graph_.nodes())
      if (is_needed[node.id]) copies_[node.id] = copy(*result, node);
    for (const GraphOutput& output : outputs) result->add_output(output.name, copies_[output.node->id]);
    return result;
  } catch (const Error&) {
    return nullptr;
  }
}

const Node* Rebuild::copy(Graph& to, const Node& node) {
  if (&node == cut_) return to.add_input(cut_name(&node), node.dtype, node.shape);
  if (&node == constant_) return build::full(to, node.shape, scalar_from_int(node.dtype, 1));
  if (&node == bypassed_) return copies_[node.sources[source_]->id];
  if (node.op == Op::kInput) return to.add_input(node.as<InputAttributes>().name, node.dtype, node.shape);
  if (node.sources.empty()) return to.intern(node.op, node.dtype, node.shape, {}, node.attributes);
  std::vector<const Node*> sources;
  for (const Node* source : node.sources) sources.push_back(copies_[source->id]);
  return build::with_sources(to, &node, std::move(sources));
}

}  // namespace harp::fuzz
