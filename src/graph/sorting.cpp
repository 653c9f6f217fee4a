// Builds the nodes of sorts. The only primitive is the argsort of an array of integers along its last axis. Other arrays are first
// converted to integer keys. A sort gathers the elements of the array by the argsort of its keys.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

NodeRef integer(Graph& graph, DType dtype, int64_t value) { return constant(graph, scalar_from_int(dtype, value)); }

/// Checks that the elements of x have an order.
void check_order(std::string_view op, NodeRef x) {
  HARP_CHECK(accepts(Operands::kOrdered, x->dtype), Code::kDType, op, ": ", label(x), " is ", name(x->dtype), "; expected ",
             describe(Operands::kOrdered));
}

/// Converts x to integer keys that have the same order. A float's key is the integer value of its bits without the sign bit, negated if the
/// float is negative, so both zeros have the same key. NaN has the greatest key.
NodeRef ordered(std::string_view op, NodeRef x) {
  check_order(op, x);
  if (is_bool(x->dtype)) return cast(x, DType::kU8);
  if (is_int(x->dtype)) return x;
  Graph& graph = check_node(op, x);
  const size_t size = size_of(x->dtype);
  const DType dtype = size == 2 ? DType::kI16 : size == 4 ? DType::kI32 : DType::kI64;
  const int64_t least = std::numeric_limits<int64_t>::min() >> (64 - 8 * size);
  const NodeRef bits = bitcast(x, dtype), zero = integer(graph, dtype, 0);
  const NodeRef distance = sub(integer(graph, dtype, least), bits);  // for a negative float: minus the value of its other bits
  const NodeRef key = elementwise(Op::kWhere, {elementwise(Op::kLt, {bits, zero}), distance, bits});
  return elementwise(Op::kWhere, {elementwise(Op::kIsNan, {x}), integer(graph, dtype, -1 - least), key});
}

/// Tests whether the element `met` comes before the element `wanted` in the order of ordered(), or, if `or_equal`, is not after it.
NodeRef comes_before(std::string_view op, NodeRef met, NodeRef wanted, bool or_equal) {
  if (!is_float(met->dtype) || is_half(met->dtype))
    return elementwise(or_equal ? Op::kLe : Op::kLt, {ordered(op, met), ordered(op, wanted)});
  // comparisons with a NaN are false, and a NaN comes after all numbers
  if (or_equal) return elementwise(Op::kBitOr, {elementwise(Op::kLe, {met, wanted}), elementwise(Op::kIsNan, {wanted})});
  const NodeRef is_number = elementwise(Op::kEq, {met, met}), is_after = elementwise(Op::kLe, {wanted, met});
  return elementwise(Op::kBitAnd, {is_number, elementwise(Op::kBitNot, {is_after})});
}

NodeRef argsort_rows(NodeRef keys) {
  Graph& graph = check_node(name(Op::kArgSort), keys);
  check_shape(name(Op::kArgSort), graph, DType::kI64, keys->shape);
  return graph.intern(Op::kArgSort, DType::kI64, keys->shape, {keys});
}

}  // namespace

NodeRef argsort(NodeRef x, std::optional<int> axis, bool descending) {
  const std::string_view op = name(Op::kArgSort);
  check_node(op, x);
  if (!axis) return argsort(flatten(x, 0, -1), 0, descending);
  const int along = normalize_axis(op, *axis, x->rank());
  NodeRef keys = ordered(op, x);
  // ~k is a strictly decreasing function of k, so this reverses the order of the keys, while equal keys stay in their order.
  if (descending) keys = elementwise(Op::kBitNot, {keys});
  return moveaxis(argsort_rows(moveaxis(keys, std::array{along}, std::array{-1})), std::array{-1}, std::array{along});
}

NodeRef sort(NodeRef x, std::optional<int> axis, bool descending) {
  check_node("sort", x);
  if (!axis) return sort(flatten(x, 0, -1), 0, descending);
  const int along = normalize_axis("sort", *axis, x->rank());
  return take_along_axis(x, argsort(x, along, descending), along);
}

std::vector<NodeRef> topk(NodeRef x, Dim k, std::optional<int> axis, bool largest) {
  check_node("topk", x);
  if (!axis) return topk(flatten(x, 0, -1), k, 0, largest);
  const auto along = static_cast<size_t>(normalize_axis("topk", *axis, x->rank()));
  const Dim size = x->shape[along];
  HARP_CHECK(!k.is_constant() || k.constant() >= 0, Code::kRange, "topk: k is ", to_string(k), "; it must be at least 0");
  HARP_CHECK(!proven_less(size, k), Code::kShape, "topk: k is ", to_string(k), ", but axis ", along, " of ", label(x), " has ",
             to_string(size), " elements");
  const NodeRef order = argsort(x, static_cast<int>(along), largest);
  Shape first = x->shape;
  first[along] = k;
  const NodeRef indices = slice_exactly(order, Shape(first.size(), Dim(0)), first, std::vector<int64_t>(first.size(), 1));
  return {take_along_axis(x, indices, static_cast<int>(along)), indices};
}

/// Binary search for all values at once. After k steps the result of each value is one of the size / 2^k + 1 positions from `first` on.
/// This number is the same for all values, so a step needs only one comparison and one addition for each value. The number of steps is
/// enough for the greatest size that the axis can have. If the size is known only at run time, most of these steps may find only one
/// position left, and change nothing. Therefore the result for sizes below 2^k is taken after k steps, for some numbers k, and generated
/// code can omit the steps after them (ir/branch_stores.cpp).
///
/// A key is computed for each element that the search meets: to compute those of the whole array would take longer than a few searches. Of
/// f32 and f64 no keys are needed: comes_before() compares the numbers themselves.
///
/// Positions are i32 where they fit and the elements are not wider, so that a vector has as many positions as elements.
NodeRef searchsorted(NodeRef sorted, NodeRef values, std::string_view side) {
  constexpr std::string_view op = "searchsorted";
  Graph& graph = check_node(op, sorted);
  check_nodes(op, {{sorted, values}});
  HARP_CHECK(side == "left" || side == "right", Code::kInvalidArgument, op, ": side is \"", side, "\"; it must be left or right");
  HARP_CHECK(sorted->rank() == 1, Code::kShape, op, ": ", label(sorted), " has shape ", to_string(sorted->shape),
             "; it must have one axis");
  HARP_CHECK(sorted->dtype == values->dtype, Code::kDType, op, ": ", label(sorted), " is ", name(sorted->dtype), ", ", label(values), " ",
             name(values->dtype), "; they must have the same dtype");
  check_order(op, values);
  const Dim size = sorted->shape[0];
  const bool is_narrow = size_of(values->dtype) <= sizeof(int32_t) && range(size).hi <= std::numeric_limits<int32_t>::max();
  const DType dtype = is_narrow ? DType::kI32 : DType::kI64;
  const auto whole = [&](NodeRef x) { return expand(reshape(x, Shape(values->shape.size(), Dim(1))), values->shape); };
  const NodeRef length = cast(build::size(graph, size), dtype), zero = integer(graph, dtype, 0);
  NodeRef first = whole(zero);
  std::vector<NodeRef> after = {first};  // after[k]: `first` after k steps
  for (Dim left = size; range(left).hi > 0; left = floor_div(left, 2)) {
    // The smaller half of the remaining positions. It is 0 if there is only one; then the step adds 0, whatever it compares.
    const Dim half = floor_div(left + 1, 2);
    const NodeRef last = cast(build::size(graph, max(half - 1, 0)), dtype), met = take(sorted, elementwise(Op::kAdd, {first, last}), 0);
    const NodeRef before = comes_before(op, met, values, side == "right");
    first = elementwise(Op::kAdd, {first, elementwise(Op::kWhere, {before, cast(build::size(graph, half), dtype), zero})});
    after.push_back(first);
  }
  for (size_t k = after.size() - 1; k-- > 1;) {
    // Steps between these numbers grow by about 1.4, so at most 0.4 of the executed steps change nothing.
    constexpr size_t kEnds[] = {1, 2, 3, 4, 6, 8, 11, 16, 22, 31, 44};
    const bool is_end = std::ranges::find(kEnds, k) != std::end(kEnds), is_possible = range(size).lo >> k == 0;
    if (is_end && is_possible)
      first = elementwise(Op::kWhere, {elementwise(Op::kLt, {length, integer(graph, dtype, int64_t{1} << k)}), after[k], first});
  }
  return cast(first, DType::kI64);
}

}  // namespace harp::build
