// Builds the running max and min, each with the index of the element that is the extreme, as torch.cummax and cummin.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// Finds the elements that equal the running extreme at their own position, or that are NaN. The running max of the indices of these
/// elements gives the index of the extreme up to each position.
std::vector<NodeRef> with_indices(Op op, std::string_view name, NodeRef x, std::optional<int> axis) {
  Graph& graph = check_node(name, x);
  if (!axis) return with_indices(op, name, flatten(x, 0, -1), 0);
  const int along = normalize_axis(name, *axis, x->rank());
  const NodeRef values = cumulative(op, x, along, false, false);
  NodeRef is_newest = eq({x, values});
  if (is_float(x->dtype)) is_newest = elementwise(Op::kBitOr, {is_newest, unary(Op::kIsNan, x)});
  const Dim length = x->shape[static_cast<size_t>(along)];
  Shape line(x->shape.size(), Dim(1));
  line[static_cast<size_t>(along)] = length;
  const NodeRef numbers = broadcast_to(reshape(arange(graph, length), std::move(line)), x->shape);
  const NodeRef indices = cumulative(Op::kCumMax, where({is_newest, numbers, constant_like(numbers, -1)}), along, false, false);
  return {values, cast(indices, DType::kI64)};
}

}  // namespace

std::vector<NodeRef> cummax_with_indices(NodeRef x, std::optional<int> axis) {
  return with_indices(Op::kCumMax, "cummax_with_indices", x, axis);
}
std::vector<NodeRef> cummin_with_indices(NodeRef x, std::optional<int> axis) {
  return with_indices(Op::kCumMin, "cummin_with_indices", x, axis);
}

}  // namespace harp::build
