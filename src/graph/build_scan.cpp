// Constructors of scans. They choose the order in which a scan combines elements (docs/semantics.md, "Scans"). The order decides the bits
// of the result, so no pass changes it.
#include <numeric>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"

namespace harp::build {

NodeRef scan_exactly(Op op, NodeRef source, ScanAttributes attributes) {
  HARP_ASSERT(is_scan(op), name(op), " is not a scan");
  Graph& graph = check_node(name(op), source);
  HARP_CHECK(accepts(op, source->dtype), Code::kDType, name(op), ": takes ", describe(info(op).operands), ", got ", name(source->dtype),
             " (", label(source), ")", dtype_advice(name(op), info(op).operands, source->dtype));
  attributes.axis = normalize_axis(name(op), attributes.axis, source->rank());
  if (is_complex(source->dtype)) return complex_scan_exactly(op, source, attributes);
  return graph.intern(op, source->dtype, source->shape, {source}, attributes);
}

/// Builds scan(permute(x)) as permute(scan(x)), so that the bits of the result do not depend on the permutation.
NodeRef scan(Op op, NodeRef source, int axis, bool reverse) {
  check_node(name(op), source);
  const int along = normalize_axis(name(op), axis, source->rank());
  if (is_complex(source->dtype) && accepts(op, source->dtype)) return complex_scan(op, source, along, reverse);
  // Follow the sources from `source` through all Permute nodes to the array `base`, which is no Permute. base_axis_of maps an axis of
  // `source` to the corresponding axis of `base`.
  std::vector<int> base_axis_of(source->shape.size());
  std::iota(base_axis_of.begin(), base_axis_of.end(), 0);
  NodeRef base = source;
  for (; base->op == Op::kPermute; base = base->sources[0])
    for (int& p : base_axis_of) p = base->as<PermuteAttributes>().axes[static_cast<size_t>(p)];
  const int base_axis = base_axis_of[static_cast<size_t>(along)];
  const ScanOrder order = base_axis == base->rank() - 1 ? ScanOrder::kTree : ScanOrder::kChain;
  const NodeRef scanned = scan_exactly(op, base, {base_axis, order, reverse});
  return base == source ? scanned : permute(scanned, base_axis_of);
}

NodeRef cumulative(Op op, NodeRef x, std::optional<int> axis, bool exclusive, bool reverse, std::optional<ScanOrder> order) {
  check_node(name(op), x);
  if (!axis) return cumulative(op, flatten(x, 0, -1), 0, exclusive, reverse, order);
  const NodeRef inclusive = order ? scan_exactly(op, x, {*axis, *order, reverse}) : scan(op, x, *axis, reverse);
  if (!exclusive) return inclusive;
  // An exclusive scan is the inclusive scan, shifted by one element: the identity comes first and the last element is dropped. In a reverse
  // scan the identity comes last and the first element is dropped.
  const size_t along = static_cast<size_t>(normalize_axis(name(op), *axis, x->rank()));
  const std::vector<Dim> nothing(x->shape.size(), Dim(0));
  std::vector<Dim> one = nothing;
  one[along] = 1;
  std::vector<SliceSpec> all_but_one(x->shape.size());
  (reverse ? all_but_one[along].start : all_but_one[along].stop) = Dim(reverse ? 1 : -1);
  return slice(pad(inclusive, reverse ? nothing : one, reverse ? one : nothing, identity_of(op, x->dtype)), all_but_one);
}

}  // namespace harp::build
