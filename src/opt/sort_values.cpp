#include "opt/sort_values.h"

#include <algorithm>
#include <array>

#include "graph/build.h"
#include "graph/composites.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Returns a list that contains, for each node id, how many times other nodes and the outputs of the graph read the node.
std::vector<int> count_readers(const Graph& graph) {
  std::vector<int> readers(graph.nodes().size(), 0);
  for (const Node* node : graph.live_nodes())
    for (const Node* source : node->sources) ++readers[source->id];
  for (const GraphOutput& output : graph.outputs()) ++readers[output.node->id];
  return readers;
}

/// True if the node is a gather and nothing else reads the argsort that gives its indices. Bool arrays are excluded: any nonzero byte means
/// true, so equal bools may have different bytes.
bool takes_by_own_order(const Node& node, const std::vector<int>& readers) {
  if (node.op != Op::kGather || is_bool(node.dtype)) return false;
  const Node* indices = node.sources[1];
  for (; indices->op == Op::kPermute || indices->op == Op::kSlice; indices = indices->sources[0])
    if (readers[indices->id] > 1) return false;
  return indices->op == Op::kArgSort && readers[indices->id] == 1;
}

/// Tests whether the slice selects elements along this axis only, and takes all elements along every other axis, in their order.
bool slices_only(const Node& slice, int axis) {
  const auto& attributes = slice.as<SliceAttributes>();
  for (size_t i = 0; i < slice.shape.size(); ++i) {
    const bool is_whole = attributes.start[i].is_constant(0) && attributes.step[i] == 1 && slice.shape[i] == slice.sources[0]->shape[i];
    if (static_cast<int>(i) != axis && !is_whole) return false;
  }
  return true;
}

/// If the indices of the gather are the argsort of the array x from which it gathers, returns x sorted. If they are a slice of that argsort
/// along the sorted axis, returns the same slice of x sorted. Otherwise returns the gather. To compare, the function builds the argsort of
/// x again: nodes are interned, so this returns the existing node.
const Node* sorted(Graph& graph, const Node* gather) {
  const Node *x = gather->sources[0], *indices = gather->sources[1];
  const int axis = gather->as<GatherAttributes>().axis;
  if (!accepts(Op::kSort, x->dtype)) return gather;
  const Node* slice = indices->op == Op::kSlice ? indices : nullptr;
  if (slice != nullptr && !slices_only(*slice, axis)) return gather;
  const Node* order = slice != nullptr ? slice->sources[0] : indices;
  for (const bool descending : {false, true}) {
    if (build::argsort(x, axis, descending) != order) continue;
    const Node* rows = build::moveaxis(x, std::array{axis}, std::array{-1});
    const Node* result = graph.intern(Op::kSort, x->dtype, rows->shape, {rows}, SortAttributes{descending});
    const Node* all = build::moveaxis(result, std::array{-1}, std::array{axis});
    if (slice == nullptr) return all;
    const auto& attributes = slice->as<SliceAttributes>();
    return build::slice_exactly(all, attributes.start, slice->shape, attributes.step);
  }
  return gather;
}

}  // namespace

bool may_sort_values(const Node& node) { return node.op == Op::kArgSort; }

std::unique_ptr<Graph> sort_values(const Graph& graph) {
  auto result = without_nodes(graph);
  const std::vector<int> readers = count_readers(graph);
  rewrite_nodes(graph, graph.live_nodes(), *result,
                [&](const Node* node, const Node* copy) { return takes_by_own_order(*node, readers) ? sorted(*result, copy) : copy; });
  return result;
}

}  // namespace harp::opt
