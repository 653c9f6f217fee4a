#include "opt/rewrite.h"

#include "base/error.h"
#include "base/visits.h"

namespace harp::opt {
namespace {

/// Limit for successive replacements of one node. At the limit, the node is correct but could perhaps be simplified further.
constexpr int kRewritesPerNode = 64;

const Node* apply(Graph& graph, Rule rule, const Node* node) {
  for (int i = 0; i < kRewritesPerNode; ++i) {
    const size_t known_nodes = graph.nodes().size();
    const Node* replacement = rule(graph, node);
    HARP_ASSERT(replacement->dtype == node->dtype && replacement->shape == node->shape, "a rule replaced ", graph.describe(node), " by ",
                graph.describe(replacement));
    // A node that existed before this call of the rule needs no further call, because the rule has already been applied to it.
    const bool is_new = replacement->id >= known_nodes;
    node = replacement;
    if (!is_new) break;
  }
  return node;
}

}  // namespace

std::unique_ptr<Graph> without_nodes(const Graph& graph) {
  return std::make_unique<Graph>(graph.options(), graph.name(), graph.shared_dims());
}

void rewrite_nodes(const Graph& graph, std::span<const Node* const> live, Graph& result, const Replacement& replacement) {
  // replaced[id]: the node that replaces the old graph's node with this id
  std::vector<const Node*> replaced(graph.nodes().size(), nullptr);
  // copied[id]: the copy of the old graph's node with this id, before its replacement
  std::vector<const Node*> copied(graph.nodes().size(), nullptr);
  for (const Node* input : graph.inputs()) {
    const Node* copy = result.add_input(input->as<InputAttributes>().name, input->dtype, input->shape);
    replaced[input->id] = copied[input->id] = copy;
  }
  for (const Node* node : live) {
    if (node->op == Op::kInput) continue;
    const bool is_product = sums_products(*node);
    std::vector<const Node*> sources;
    sources.reserve(node->sources.size());
    for (const Node* source : node->sources) sources.push_back((is_product ? copied : replaced)[source->id]);
    const Node* copy = result.intern(node->op, node->dtype, node->shape, std::move(sources), node->attributes);
    copied[node->id] = copy;
    replaced[node->id] = replacement(node, copy);
    result.set_node_name(replaced[node->id], graph.node_name(node));
  }
  for (const GraphOutput& output : graph.outputs()) result.add_output(output.name, replaced[output.node->id]);
}

std::unique_ptr<Graph> rewrite(const Graph& graph, Rule rule) {
  auto result = without_nodes(graph);
  count_visits(graph.dims(), graph.nodes().size());
  rewrite_nodes(graph, graph.live_nodes(), *result, [&](const Node*, const Node* copy) { return apply(*result, rule, copy); });
  return result;
}

const Node* stretched(Graph& graph, const Node* x, const Shape& shape) {
  if (x->shape == shape) return x;
  HARP_ASSERT(x->rank() == 0, graph.describe(x), " cannot stretch to ", to_string(shape));
  const Shape ones(shape.size(), Dim(1));
  const Node* reshaped = graph.intern(Op::kReshape, x->dtype, ones, {x});
  return shape == ones ? reshaped : graph.intern(Op::kExpand, x->dtype, shape, {reshaped});
}

const Node* uniform(Graph& graph, const Scalar& value, const Shape& shape) {
  return stretched(graph, graph.intern(Op::kConstant, value.dtype, {}, {}, ConstantAttributes{value}), shape);
}

const Scalar* uniform_value(const Node* node) {
  constexpr int kDepth = 4;
  for (int i = 0; i < kDepth; ++i) {
    if (node->op == Op::kConstant) return &node->as<ConstantAttributes>().value;
    const bool keeps_values = is_movement(node->op) && node->op != Op::kPad;
    if (!keeps_values && node->op != Op::kContiguous) return nullptr;
    node = node->sources[0];
  }
  return nullptr;
}

}  // namespace harp::opt
