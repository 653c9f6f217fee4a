// Constructors of movement nodes: permute, expand, reshape, pad, unfold. Slices are in build_slice.cpp. A movement that changes nothing
// returns its source.
#include <algorithm>

#include "base/error.h"
#include "graph/build.h"
#include "graph/check.h"

namespace harp::build {

int normalize_axis(std::string_view op, int64_t axis, int rank) {
  HARP_CHECK(axis >= -rank && axis < rank, Code::kShape, op, ": axis ", axis, " is out of range for rank ", rank,
             rank == 0 ? " (a scalar has no axes)" : cat(" (", -rank, "..", rank - 1, ")"));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> normalize_axes(std::string_view op, std::span<const int> axes, int rank) {
  std::vector<int> result;
  std::vector<bool> seen(rank, false);
  for (int axis : axes) {
    const int normal = normalize_axis(op, axis, rank);
    HARP_CHECK(!seen[normal], Code::kShape, op, ": axis ", normal, " is named twice in [", join(axes, ", "), "]");
    seen[normal] = true;
    result.push_back(normal);
  }
  return result;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t i = 0; i < rank; ++i) {  // aligns the shapes at their last axes
    const Dim x = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    const Dim y = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    HARP_CHECK(x == y || x.is_constant(1) || y.is_constant(1), Code::kShape, "Cannot broadcast shapes ", to_string(a), " and ",
               to_string(b), ": axis ", rank - 1 - i, " of the result would be ", to_string(x), " and ", to_string(y),
               x.is_constant() && y.is_constant() ? "" : "; only an axis of constant size 1 can be broadcast");
    result[rank - 1 - i] = x.is_constant(1) ? y : x;
  }
  return result;
}

NodeRef permute(NodeRef source, std::span<const int> axes) {
  Graph& graph = check_node("permute", source);
  const int rank = source->rank();
  HARP_CHECK(static_cast<int>(axes.size()) == rank, Code::kShape, "permute: ", axes.size(), " axes for ", label(source), " of shape ",
             to_string(source->shape), "; each of its ", rank, " axes must be named once");
  std::vector<int> order = normalize_axes("permute", axes, rank);
  if (std::is_sorted(order.begin(), order.end())) return source;
  Shape shape;
  for (int axis : order) shape.push_back(source->shape[axis]);
  return graph.intern(Op::kPermute, source->dtype, std::move(shape), {source}, PermuteAttributes{std::move(order)});
}

NodeRef expand(NodeRef source, Shape shape) {
  Graph& graph = check_node("expand", source);
  HARP_CHECK(static_cast<int>(shape.size()) == source->rank(), Code::kShape, "expand: ", label(source), " has shape ",
             to_string(source->shape), ", which has a different number of axes than ", to_string(shape), "; use broadcast_to to add axes");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const Dim have = source->shape[axis];
    if (shape[axis].is_constant(-1)) shape[axis] = have;
    HARP_CHECK(shape[axis] == have || have.is_constant(1), Code::kShape, "expand: axis ", axis, " of ", label(source), " has size ",
               to_string(have), " and cannot become ", to_string(shape[axis]), "; only an axis of constant size 1 can be broadcast");
  }
  if (shape == source->shape) return source;
  check_shape("expand", graph, source->dtype, shape);
  return graph.intern(Op::kExpand, source->dtype, std::move(shape), {source});
}

NodeRef broadcast_to(NodeRef source, const Shape& shape) {
  Graph& graph = check_node("broadcast_to", source);
  check_shape("broadcast_to", graph, source->dtype, shape);
  const size_t rank = source->shape.size();
  bool fits = rank <= shape.size();
  for (size_t i = 0; fits && i < rank; ++i) {
    const Dim have = source->shape[i];
    fits = have.is_constant(1) || have == shape[shape.size() - rank + i];
  }
  HARP_CHECK(fits, Code::kShape, "broadcast_to: ", label(source), " of shape ", to_string(source->shape), " does not broadcast to ",
             to_string(shape));
  Shape padded(shape.size() - rank, Dim(1));
  padded.insert(padded.end(), source->shape.begin(), source->shape.end());
  return expand(reshape(source, std::move(padded)), shape);
}

namespace {

/// Returns the size for which -1 stands in a reshape: the size that keeps the number of elements.
Dim inferred_size(NodeRef source, const Shape& shape, size_t unknown) {
  Dim others = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (axis != unknown) others = others * shape[axis];
  const Dim count = element_count(source->shape);
  HARP_CHECK(!others.is_constant(0), Code::kShape, "reshape: -1 in ", to_string(shape), " is ambiguous, because another axis has size 0 (",
             label(source), " has shape ", to_string(source->shape), ")");
  const auto size = exact_quotient(count, others);
  HARP_CHECK(size.has_value(), Code::kShape, "reshape: cannot infer -1 in ", to_string(shape), " for ", label(source), " of shape ",
             to_string(source->shape), ": ", to_string(count), " elements are not ",
             count.is_constant() && others.is_constant() ? "" : "known to be ", "a multiple of ", to_string(others));
  return *size;
}

}  // namespace

NodeRef reshape(NodeRef source, Shape shape) {
  Graph& graph = check_node("reshape", source);
  if (shape == source->shape) return source;
  const size_t unknown = std::find(shape.begin(), shape.end(), Dim(-1)) - shape.begin();
  if (unknown < shape.size()) {
    HARP_CHECK(std::count(shape.begin(), shape.end(), Dim(-1)) == 1, Code::kShape, "reshape: more than one -1 in ", to_string(shape));
    Shape known = shape;
    known[unknown] = 1;
    check_shape("reshape", graph, source->dtype, known);
    shape[unknown] = inferred_size(source, shape, unknown);
  }
  check_shape("reshape", graph, source->dtype, shape);
  if (shape == source->shape) return source;
  const Dim before = element_count(source->shape), after = element_count(shape);
  HARP_CHECK(before == after, Code::kShape, "reshape: ", label(source), " has shape ", to_string(source->shape), " (", to_string(before),
             " elements), ", to_string(shape), " has ", to_string(after),
             before.is_constant() && after.is_constant() ? "" : "; the two must be the same expression");
  return graph.intern(Op::kReshape, source->dtype, std::move(shape), {source});
}

NodeRef pad(NodeRef source, std::span<const Dim> before, std::span<const Dim> after, Scalar value) {
  Graph& graph = check_node("pad", source);
  const size_t rank = source->shape.size();
  HARP_CHECK(before.size() == rank && after.size() == rank, Code::kShape, "pad: ", before.size(), " amounts before and ", after.size(),
             " after for ", label(source), " of shape ", to_string(source->shape), "; expected one per axis");
  HARP_CHECK(value.dtype == source->dtype, Code::kDType, "pad: the value is ", name(value.dtype), ", but ", label(source), " is ",
             name(source->dtype));
  Shape shape = source->shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    check_dim("pad", graph, before[axis], cat("the amount before axis ", axis));
    check_dim("pad", graph, after[axis], cat("the amount after axis ", axis));
    shape[axis] += before[axis] + after[axis];
  }
  auto is_zero = [](Dim d) { return d.is_constant(0); };
  if (std::all_of(before.begin(), before.end(), is_zero) && std::all_of(after.begin(), after.end(), is_zero)) return source;
  check_shape("pad", graph, source->dtype, shape);
  return graph.intern(Op::kPad, source->dtype, std::move(shape), {source},
                      PadAttributes{{before.begin(), before.end()}, {after.begin(), after.end()}, value});
}

NodeRef unfold(NodeRef source, int axis, Dim size, int64_t stride, int64_t dilation) {
  Graph& graph = check_node("unfold", source);
  const int along = normalize_axis("unfold", axis, source->rank());
  check_dim("unfold", graph, size, "the window size");
  HARP_CHECK(stride >= 1 && dilation >= 1, Code::kRange, "unfold: stride ", stride, " and dilation ", dilation, " must be at least 1");
  const Dim have = source->shape[along];
  // number of elements from the first to the last one of a window; 0 or less if the window has no elements
  const Dim reach = Dim(dilation) * (size - 1) + 1;
  HARP_CHECK(range(have - reach).hi >= 0, Code::kShape, "unfold: a window reaches over ", to_string(reach), " elements, axis ", along,
             " of ", label(source), " has ", to_string(have));
  Shape shape = source->shape;
  shape[along] = max(Dim(0), floor_div(have - reach, stride) + 1);
  shape.push_back(size);
  check_shape("unfold", graph, source->dtype, shape);
  return graph.intern(Op::kUnfold, source->dtype, std::move(shape), {source}, UnfoldAttributes{along, size, stride, dilation});
}

}  // namespace harp::build
