#include "grad/placing.h"

#include "graph/composites.h"

namespace harp::grad {
namespace {

Scalar zero(NodeRef x) { return scalar_from_int(x->dtype, 0); }

}  // namespace

NodeRef padded_after(NodeRef x, int axis, Dim count) {
  const std::vector<Dim> before(x->shape.size(), Dim(0));
  std::vector<Dim> after = before;
  after[axis] = count;
  return build::pad(x, before, after, zero(x));
}

NodeRef resized(NodeRef x, int axis, Dim size) {
  const Dim have = x->shape[axis];
  // If it is unknown which of the two sizes is larger, padding by `size` is enough in both cases.
  if (!proven_at_most(size, have)) x = padded_after(x, axis, proven_at_most(have, size) ? size - have : size);
  Shape shape = x->shape;
  shape[axis] = size;
  return build::slice_exactly(x, std::vector<Dim>(shape.size(), Dim(0)), shape, std::vector<int64_t>(shape.size(), 1));
}

NodeRef spaced(NodeRef x, int axis, int64_t step) {
  if (step == 1) return x;
  // Add an axis after `axis`, and pad it with the zeros. The rank must not exceed kMaxRank, so at rank kMaxRank the axes before `axis` are
  // first merged into one axis, and so are the axes after it.
  Shape outer(x->shape.begin(), x->shape.begin() + axis), inner(x->shape.begin() + axis + 1, x->shape.end());
  Shape result = x->shape;
  result[axis] = result[axis] * Dim(step);
  if (x->rank() == kMaxRank) outer = {element_count(outer)}, inner = {element_count(inner)};
  Shape split = outer;
  split.insert(split.end(), {x->shape[axis], Dim(1)});
  split.insert(split.end(), inner.begin(), inner.end());
  const int gap_axis = static_cast<int>(outer.size()) + 1;
  return build::reshape(padded_after(build::reshape(x, std::move(split)), gap_axis, step - 1), std::move(result));
}

NodeRef positions(Graph& graph, const Shape& shape, int axis) {
  Shape column(shape.size(), Dim(1));
  column[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)];
  return build::broadcast_to(build::reshape(build::arange(graph, column[static_cast<size_t>(axis)]), column), shape);
}

}  // namespace harp::grad
