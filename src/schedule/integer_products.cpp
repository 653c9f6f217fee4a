#include "schedule/integer_products.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "opt/rewrite.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"

namespace harp {
namespace {

/// If the node is a sum of products of integers that the graph does not mark by ReduceAttributes::product, and register tiles may pay for
/// it, returns the attributes that make it a contraction. Otherwise returns nothing.
std::optional<ReduceAttributes> attributes_of_product(const Node& node, const FusionLimits& limits) {
  if (node.op != Op::kSum || node.sources[0]->op != Op::kMul || !is_int(node.dtype)) return std::nullopt;
  Node product = node;
  auto& attributes = std::get<ReduceAttributes>(product.attributes);
  const bool is_chain = attributes.order == ReduceOrder::kChain;
  attributes.order = ReduceOrder::kChain;
  attributes.product = true;
  // If register tiles do not pay, contiguous terms are reduced faster in lanes order than in chain order (docs/semantics.md, "Sums").
  if (is_chain ? !as_contraction(product) : !wants_tiles(product, limits)) return std::nullopt;
  return std::move(attributes);
}

}  // namespace

std::shared_ptr<Graph> mark_integer_products(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  if (!limits.integer_products) return whole;
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  // indexed by node id: the new attributes; nullopt: the node is not changed
  std::vector<std::optional<ReduceAttributes>> marked(graph.nodes().size());
  for (const Node* node : live) marked[node->id] = attributes_of_product(*node, limits);
  if (std::ranges::none_of(marked, [](const auto& attributes) { return attributes.has_value(); })) return whole;
  auto result = opt::without_nodes(graph);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    const std::optional<ReduceAttributes>& product = marked[node->id];
    return product ? result->intern(copy->op, copy->dtype, copy->shape, copy->sources, *product) : copy;
  });
  return result;
}

}  // namespace harp
