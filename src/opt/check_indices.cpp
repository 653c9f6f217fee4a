#include "opt/check_indices.h"

#include "base/text.h"
#include "graph/build.h"
#include "graph/check.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

bool has_indices(const Node* node) { return node->op == Op::kGather || is_scatter(node->op); }

/// Does every element of the source stand in the node, perhaps more than once?
bool keeps_all(const Node* node) { return node->op == Op::kReshape || node->op == Op::kExpand || node->op == Op::kPermute; }

const Node* check(Graph& graph, const Node* node) {
  if (!has_indices(node)) return node;
  const int axis = node->as<GatherAttributes>().axis;
  const Node* x = node->sources[0];
  std::vector<const Node*> views;
  const Node* indices = node->sources[1];
  for (; keeps_all(indices); indices = indices->sources[0]) views.push_back(indices);
  if (indices->op == Op::kCheckIndex) return node;
  const std::string what = cat(node->op == Op::kGather ? "take" : name(node->op), ": axis ", axis, " of ", label(x));
  indices = build::check_index(indices, x->shape[static_cast<size_t>(axis)], what);
  for (; !views.empty(); views.pop_back()) indices = build::with_sources(graph, views.back(), {indices});
  std::vector<const Node*> sources = node->sources;
  sources[1] = indices;
  return build::with_sources(graph, node, std::move(sources));
}

}  // namespace

std::unique_ptr<Graph> check_indices(const Graph& graph) { return rewrite(graph, check); }

}  // namespace harp::opt
