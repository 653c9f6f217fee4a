#include "opt/check_indices.h"

#include <algorithm>

#include "base/text.h"
#include "graph/build.h"
#include "graph/check.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

bool has_indices(const Node* node) { return node->op == Op::kGather || is_scatter(node->op); }

/// True if the node contains every element of its source at least once and no others, so that the source can be checked instead of the
/// node.
bool keeps_all(const Node* node) { return node->op == Op::kReshape || node->op == Op::kExpand || node->op == Op::kPermute; }

bool is_optional_check(const Node* node) { return node->op == Op::kCheckIndex && node->as<CheckAttributes>().optional; }

const Node* drop_optional(Graph&, const Node* node) { return is_optional_check(node) ? node->sources[0] : node; }

const Node* check(Graph& graph, const Node* node) {
  if (is_optional_check(node)) {
    const CheckAttributes& a = node->as<CheckAttributes>();
    return build::check_index(node->sources[0], a.size, a.what, a.asker);
  }
  if (!has_indices(node)) return node;
  const int axis = node->as<GatherAttributes>().axis;
  const Node* x = node->sources[0];
  std::vector<const Node*> views;
  const Node* indices = node->sources[1];
  for (; keeps_all(indices); indices = indices->sources[0]) views.push_back(indices);
  if (indices->op == Op::kCheckIndex) return node;
  // The error message of a gather names only the axis and not the operation, because take, take_along_axis and x[i] all create Gather
  // nodes.
  const std::string what = cat(node->op == Op::kGather ? "" : cat(name(node->op), ": "), "axis ", axis, " of ", label(x));
  indices = build::check_index(indices, x->shape[static_cast<size_t>(axis)], what);
  for (; !views.empty(); views.pop_back()) indices = build::with_sources(graph, views.back(), {indices});
  std::vector<const Node*> sources = node->sources;
  sources[1] = indices;
  return build::with_sources(graph, node, std::move(sources));
}

}  // namespace

std::shared_ptr<Graph> settle_checks(std::shared_ptr<Graph> graph, bool wanted) {
  if (wanted) return rewrite(*graph, check);
  const std::deque<Node>& nodes = graph->nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node& node) { return is_optional_check(&node); })) return graph;
  return rewrite(*graph, drop_optional);
}

}  // namespace harp::opt
