#include "schedule/few_columns.h"

#include <algorithm>
#include <bit>

#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp {

int64_t pieces_of_row(int64_t size, int64_t lanes) {
  int64_t pieces = size / lanes, left = size % lanes;
  for (; left >= kFewestOfVector; left -= static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(left)))) ++pieces;
  return pieces + left;
}

bool has_few_columns(const Node& node, const FusionLimits& limits) {
  if (!is_reduce(node.op) || is_arg_extreme(node.op) || node.as<ReduceAttributes>().order != ReduceOrder::kChain) return false;
  const Node& source = *node.sources[0];
  const int64_t lanes = limits.vector_bytes / static_cast<int64_t>(size_of(working_dtype(source.dtype)));
  const std::vector<int>& axes = node.as<ReduceAttributes>().axes;
  Dim columns = 1;
  for (size_t axis = static_cast<size_t>(*std::ranges::max_element(axes)) + 1; axis < source.shape.size(); ++axis)
    columns *= source.shape[axis];
  if (lanes <= 1 || !columns.is_constant() || columns.constant() < 1 || columns.constant() > kMaxShortAxis) return false;
  // Columns of at most kMaxShortAxis elements may be unrolled, so that vectors run along another axis anyway.
  if (range(term_count(node)).hi <= kMaxShortAxis || range(element_count(source.shape)).hi < limits.few_columns_elements) return false;
  return 2 * columns.constant() < lanes * pieces_of_row(columns.constant(), lanes);
}

bool has_few_results(const Node& node, const FusionLimits& limits) {
  return has_few_columns(node, limits) && proven_at_most(element_count(node.shape), kMaxShortAxis);
}

}  // namespace harp
