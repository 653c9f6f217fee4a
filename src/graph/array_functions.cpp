// Builds NumPy functions from a few views, joins and reductions: differences, counts, membership, rotations.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

}  // namespace

NodeRef diff(NodeRef x, int64_t n, int axis) {
  check_node("diff", x);
  HARP_CHECK(is_bool(x->dtype) || accepts(Operands::kNumber, x->dtype), Code::kDType, "diff: ", label(x), " is ", name(x->dtype),
             "; it must be bool or a number");
  HARP_CHECK(n >= 0 && n <= 64, Code::kRange, "diff: n is ", n, "; it must be from 0 to 64");
  const int along = normalize_axis("diff", axis, x->rank());
  const auto once = [&](NodeRef v) {
    const Dim count = harp::max(v->shape[static_cast<size_t>(along)] - 1, 0);
    const Dim first = harp::min(v->shape[static_cast<size_t>(along)], 1);
    const NodeRef later = part_along(v, along, first, count), earlier = part_along(v, along, 0, count);
    return is_bool(v->dtype) ? elementwise(Op::kNe, {later, earlier}) : sub(later, earlier);
  };
  const DType dtype = x->dtype;
  // Differences of differences are computed in the working dtype (f32 for f16), so that the result is rounded to x's dtype only once.
  if (n > 1 && is_float(dtype)) x = cast(x, working_dtype(dtype));
  for (int64_t i = 0; i < n; ++i) x = once(x);
  return cast(x, dtype);
}

NodeRef count_nonzero(NodeRef x, const Axes& axes, bool keepdims) {
  check_node("count_nonzero", x);
  const NodeRef is_nonzero = is_bool(x->dtype) ? x : elementwise(Op::kNe, {x, constant_like(x, 0)});
  return sum(cast(is_nonzero, DType::kI64), axes, keepdims);
}

NodeRef cross(NodeRef a, NodeRef b, int axis) {
  const NodeRef operands[] = {a, b};
  const DType dtype = common_dtype("cross", Operands::kNumber, operands);
  HARP_CHECK(axis < 0 || a->rank() == b->rank(), Code::kShape, "cross: axis ", axis, " of ", labels(operands), " with shapes ",
             shapes_of(operands), "; the ranks differ, so count the axis from the end (-1)");
  const int a_axis = normalize_axis("cross", axis, a->rank()), b_axis = normalize_axis("cross", axis, b->rank());
  HARP_CHECK(a->shape[static_cast<size_t>(a_axis)].is_constant(3) && b->shape[static_cast<size_t>(b_axis)].is_constant(3), Code::kShape,
             "cross: ", labels(operands), " have shapes ", shapes_of(operands), "; axis ", axis, " of both must have size 3");
  const Shape shape = broadcast_shapes(a->shape, b->shape);
  const DType working = is_float(dtype) ? working_dtype(dtype) : dtype;
  a = broadcast_to(cast(a, working), shape), b = broadcast_to(cast(b, working), shape);
  const int along = normalize_axis("cross", axis < 0 ? axis : axis - a->rank(), static_cast<int>(shape.size()));
  const auto component = [&](int first, int second) {
    const NodeRef plus = mul({part_along(a, along, first, 1), part_along(b, along, second, 1)});
    return sub(plus, mul({part_along(a, along, second, 1), part_along(b, along, first, 1)}));
  };
  const NodeRef components[] = {component(1, 2), component(2, 0), component(0, 1)};
  return cast(concat(components, along), dtype);
}

NodeRef diag(NodeRef x, int64_t k) {
  Graph& graph = check_node("diag", x);
  HARP_CHECK(x->rank() == 1 || x->rank() == 2, Code::kShape, "diag: ", label(x), " has shape ", to_string(x->shape),
             "; it must have 1 axis (the result is a matrix with this diagonal) or 2 (the result is its diagonal)");
  if (x->rank() == 2) return diagonal("diag", x, k, 0, 1);
  HARP_CHECK(k > INT32_MIN && k <= INT32_MAX, Code::kRange, "diag: k is ", k, "; it must fit 32 bits");
  const Dim size = x->shape[0] + Dim(k < 0 ? -k : k);
  // Broadcast the elements to a matrix: row i repeats element i, or column i does if the diagonal is below the main one. Then set all
  // elements off the diagonal to 0.
  const Dim none[] = {0}, rest[] = {Dim(k < 0 ? -k : k)};
  const NodeRef line = pad(x, none, rest, scalar_from_double(x->dtype, 0));
  const Shape shape = {size, size};
  check_shape("diag", graph, x->dtype, shape);
  const NodeRef values = k < 0 ? broadcast_to(line, shape) : broadcast_to(reshape(line, {size, 1}), shape);
  NodeRef row = cast(arange(graph, size), DType::kI64);
  const NodeRef column = broadcast_to(row, shape);
  if (k != 0) row = add({row, constant(graph, scalar_from_int(DType::kI64, k))});
  const NodeRef is_diagonal = eq({broadcast_to(reshape(row, {size, 1}), shape), column});
  return where({is_diagonal, values, constant_like(x, 0)});
}

NodeRef isin(NodeRef elements, NodeRef test_elements, bool invert) {
  const NodeRef operands[] = {elements, test_elements};
  const DType dtype = common_dtype("isin", Operands::kAny, operands);
  HARP_CHECK(elements->rank() < kMaxRank, Code::kShape, "isin: ", label(elements), " has ", kMaxRank, " axes; at most ", kMaxRank - 1,
             " are allowed");
  elements = cast(elements, dtype);
  const NodeRef list = flatten(cast(test_elements, dtype), 0, -1);
  Shape pairs = elements->shape, single = elements->shape;
  pairs.push_back(list->shape[0]), single.push_back(1);
  const NodeRef is_equal = eq({broadcast_to(reshape(elements, single), pairs), broadcast_to(list, pairs)});
  const NodeRef is_member = any(is_equal, std::vector<int>{-1}, false);
  return invert ? unary(Op::kBitNot, is_member) : is_member;
}

NodeRef rot90(NodeRef x, int64_t k, int axis1, int axis2) {
  check_node("rot90", x);
  const int first = normalize_axis("rot90", axis1, x->rank()), second = normalize_axis("rot90", axis2, x->rank());
  HARP_CHECK(first != second, Code::kShape, "rot90: axes ", axis1, " and ", axis2, " of ", label(x), " are the same axis");
  const int64_t quarter_turns = (k % 4 + 4) % 4;
  if (quarter_turns == 0) return x;
  if (quarter_turns == 2) return flip(x, std::vector<int>{first, second});
  std::vector<int> exchanged(x->shape.size());
  for (int i = 0; i < x->rank(); ++i) exchanged[static_cast<size_t>(i)] = i == first ? second : i == second ? first : i;
  if (quarter_turns == 1) return permute(flip(x, std::vector<int>{second}), exchanged);
  return flip(permute(x, exchanged), std::vector<int>{second});
}

}  // namespace harp::build
