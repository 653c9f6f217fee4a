// Padding with a value, or by continuing the array as numpy.pad does (repeating or mirroring it). A continuation of up to one period is a
// view of the array. For a longer one, the source position of each element is computed, and the elements are gathered. A negative amount
// removes elements.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/pad.h"

namespace harp::build {
namespace {

/// True if an amount is negative for all values of the shape variables, so that elements are removed. An amount that is negative only for
/// some values counts as padding; a run with such a value fails.
bool is_crop(Dim amount) { return range(amount).hi < 0; }
Dim crop_of(Dim amount) { return is_crop(amount) ? -amount : Dim(0); }
Dim growth_of(Dim amount) { return is_crop(amount) ? Dim(0) : amount; }

void check_amount(std::string_view op, const Graph& graph, Dim amount, std::string_view what) {
  check_expression(op, graph, amount, what);
  if (!is_crop(amount)) check_dim(op, graph, amount, what);
}

void check_amounts(std::string_view op, NodeRef x, std::span<const Dim> before, std::span<const Dim> after) {
  const Graph& graph = check_node(op, x);
  HARP_CHECK(before.size() == x->shape.size() && after.size() == x->shape.size(), Code::kShape, op, ": ", before.size(),
             " amounts before and ", after.size(), " after for ", label(x), " of shape ", to_string(x->shape), "; expected one per axis");
  for (size_t axis = 0; axis < before.size(); ++axis) {
    check_amount(op, graph, before[axis], cat("the amount before axis ", axis));
    check_amount(op, graph, after[axis], cat("the amount after axis ", axis));
  }
}

/// Removes `before` elements at the start of the axis and `after` at its end.
NodeRef cropped(std::string_view op, NodeRef x, int axis, Dim before, Dim after) {
  if (before.is_constant(0) && after.is_constant(0)) return x;
  const Dim length = x->shape[static_cast<size_t>(axis)], left = length - before - after;
  HARP_CHECK(range(left).hi >= 0, Code::kShape, op, ": negative padding takes ", to_string(before), " elements from the start of axis ",
             axis, " and ", to_string(after), " from its end, but ", label(x), " of shape ", to_string(x->shape), " has ",
             to_string(length), " there");
  return part_along(x, axis, before, left);
}

/// Returns the `amount` elements by which `mode` extends the axis: before its start if is_before, else after its end. Requires that
/// is_one_view() is true for this amount.
NodeRef border(NodeRef x, int axis, Dim amount, bool is_before, std::string_view mode) {
  const Dim length = x->shape[static_cast<size_t>(axis)];
  if (mode == "edge") {
    Shape shape = x->shape;
    shape[static_cast<size_t>(axis)] = amount;
    return expand(part_along(x, axis, is_before ? Dim(0) : length - 1, 1), std::move(shape));
  }
  if (mode == "wrap") return part_along(x, axis, is_before ? length - amount : Dim(0), amount);
  const int64_t skipped = mode == "reflect" ? 1 : 0;  // "reflect" does not repeat the element at the edge
  return part_along(x, axis, is_before ? amount - 1 + skipped : length - 1 - skipped, amount, -1);
}

/// True if `amount` elements are proven to be at most one period of the continuation, so that a single view of the axis contains them.
bool is_one_view(Dim amount, Dim length, std::string_view mode) {
  if (amount.is_constant(0)) return true;
  if (mode == "edge") return proven_positive(length);
  return proven_at_most(amount, mode == "reflect" ? length - 1 : length);
}

/// Returns, for each of `count` elements of the continued axis (the first one is `before` elements before the array), the position in the
/// axis from which it is copied.
NodeRef continued_positions(NodeRef x, int axis, Dim before, Dim count, std::string_view mode) {
  Graph& graph = check_node("pad", x);
  const Dim length = x->shape[static_cast<size_t>(axis)];
  const auto number = [&](Dim value) { return size(graph, value); };
  const NodeRef from_start = cast(arange(graph, count), DType::kI64);
  const NodeRef at = sub(from_start, number(before));
  if (mode == "wrap") return elementwise(Op::kRem, {at, number(length)});
  if (mode == "edge") return elementwise(Op::kMin, {elementwise(Op::kMax, {at, number(0)}), number(length - 1)});
  // The modes "reflect" and "symmetric" repeat the axis forwards and then backwards; both together are one period.
  const Dim period = mode == "reflect" ? max(Dim(2) * (length - 1), Dim(1)) : Dim(2) * length;
  const Dim last = mode == "reflect" ? Dim(2) * (length - 1) : Dim(2) * length - 1;
  const NodeRef there = elementwise(Op::kRem, {at, number(period)});
  return elementwise(Op::kMin, {there, sub(number(last), there)});
}

/// Continues one axis in both directions as `mode` says. Element 0 of the result corresponds to position -before of the axis.
NodeRef continued(NodeRef x, int axis, Dim before, Dim after, std::string_view mode) {
  const Dim length = x->shape[static_cast<size_t>(axis)], grown_before = growth_of(before), grown_after = growth_of(after);
  if (grown_before.is_constant(0) && grown_after.is_constant(0)) return cropped("pad", x, axis, crop_of(before), crop_of(after));
  HARP_CHECK(!length.is_constant(0), Code::kShape, "pad: mode=", mode, " needs an element; axis ", axis, " of ", label(x), " of shape ",
             to_string(x->shape), " has none");
  if (is_one_view(grown_before, length, mode) && is_one_view(grown_after, length, mode)) {
    std::vector<NodeRef> parts;
    if (!grown_before.is_constant(0)) parts.push_back(border(x, axis, grown_before, true, mode));
    parts.push_back(x);
    if (!grown_after.is_constant(0)) parts.push_back(border(x, axis, grown_after, false, mode));
    return cropped("pad", concat(parts, axis), axis, crop_of(before), crop_of(after));
  }
  const Dim count = length + before + after;
  check_dim("pad", *x->graph, count, cat("the size of axis ", axis, " of the result"));
  NodeRef positions = continued_positions(x, axis, before, count, mode);
  if (!proven_positive(length)) positions = check_index(positions, length, cat("pad: axis ", axis, " of ", label(x)), "the padded axis");
  return take(x, positions, axis);
}

}  // namespace

NodeRef pad_or_crop(std::string_view op, NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value) {
  check_amounts(op, x, before, after);
  std::vector<Dim> grown_before, grown_after;
  for (size_t axis = 0; axis < before.size(); ++axis) {
    x = cropped(op, x, static_cast<int>(axis), crop_of(before[axis]), crop_of(after[axis]));
    grown_before.push_back(growth_of(before[axis]));
    grown_after.push_back(growth_of(after[axis]));
  }
  return pad(x, grown_before, grown_after, value);
}

NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, Scalar value, std::string_view mode) {
  check_node("pad", x);
  if (mode == "constant") return pad_or_crop("pad", x, before, after, value);
  constexpr std::string_view kModes[] = {"edge", "reflect", "symmetric", "wrap"};
  HARP_CHECK(std::find(std::begin(kModes), std::end(kModes), mode) != std::end(kModes), Code::kInvalidArgument, "pad: mode is \"", mode,
             "\"; it must be constant, edge, reflect, symmetric or wrap");
  check_amounts("pad", x, before, after);
  for (int axis = 0; axis < x->rank(); ++axis)
    x = continued(x, axis, before[static_cast<size_t>(axis)], after[static_cast<size_t>(axis)], mode);
  return x;
}

NodeRef pad_mode(NodeRef x, std::span<const Dim> before, std::span<const Dim> after, NodeRef value, std::string_view mode) {
  Graph& graph = check_node("pad", x);
  if (value == nullptr || mode != "constant") return pad_mode(x, before, after, scalar_from_int(x->dtype, 0), mode);
  HARP_CHECK(value->rank() == 0, Code::kShape, "pad: the value is ", label(value), " of shape ", to_string(value->shape),
             "; it must be a scalar");
  const DType dtype = common_dtype("pad", Operands::kAny, std::array{x, value});
  x = cast(x, dtype);
  value = cast(value, dtype);
  if (value->op == Op::kConstant) return pad_or_crop("pad", x, before, after, value->as<ConstantAttributes>().value);
  const NodeRef padded = pad_or_crop("pad", x, before, after, scalar_from_int(dtype, 0));
  const NodeRef is_of_x =
      pad_or_crop("pad", full(graph, x->shape, Scalar::of(DType::kBool, true)), before, after, Scalar::of(DType::kBool, false));
  return elementwise(Op::kWhere, {is_of_x, padded, value});
}

}  // namespace harp::build
