// Builds adjoints of movement ops. The gradient of each element of the result is added to the gradient of the source element that it
// copies. A source element that was not read has the gradient 0.
#include "grad/placing.h"
#include "grad/rules.h"
#include "graph/composites.h"

namespace harp::grad {

NodeRef adjoint_of_permute(const Step& s) {
  const std::vector<int>& axes = s.y->as<PermuteAttributes>().axes;
  std::vector<int> inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) inverse[axes[i]] = static_cast<int>(i);
  return build::permute(s.g, inverse);
}

std::vector<int> stretched_axes(NodeRef expand) {
  std::vector<int> stretched;
  for (int axis = 0; axis < expand->rank(); ++axis)
    if (expand->sources[0]->shape[axis] != expand->shape[axis]) stretched.push_back(axis);
  return stretched;
}

NodeRef adjoint_of_expand(const Step& s) { return build::reduce(Op::kSum, s.g, stretched_axes(s.y), true); }

NodeRef adjoint_of_reshape(const Step& s) { return build::reshape(s.g, s.a()->shape); }

/// Moves the elements of g to the positions in the source that the slice read, with zeros everywhere else: flips axes with negative steps,
/// inserts zeros between elements for larger steps, and pads. One pad and one slice serve all axes. The slice also removes the zeros after
/// the last element if they extend past the end.
NodeRef adjoint_of_slice(const Step& s) {
  const auto& [start, step] = s.y->as<SliceAttributes>();
  const Shape& shape = s.a()->shape;
  std::vector<int> backwards;
  for (int axis = 0; axis < s.y->rank(); ++axis)
    if (step[axis] < 0) backwards.push_back(axis);
  NodeRef g = backwards.empty() ? s.g : build::flip(s.g, backwards);
  for (int axis = 0; axis < s.y->rank(); ++axis) g = spaced(g, axis, step[axis] < 0 ? -step[axis] : step[axis]);

  std::vector<Dim> before, after;
  for (int axis = 0; axis < s.y->rank(); ++axis) {
    // The start of an empty slice may be outside the array; the max with 0 keeps the padding valid.
    before.push_back(max(step[axis] < 0 ? start[axis] + (s.y->shape[axis] - 1) * Dim(step[axis]) : start[axis], 0));
    const Dim missing = shape[axis] - before[axis] - g->shape[axis];
    // If the sign of `missing` is unknown, pad by the length of the whole axis, which is enough in both cases; the slice below removes the
    // surplus.
    after.push_back(proven_nonnegative(missing) ? missing : proven_nonnegative(-missing) ? Dim(0) : shape[axis]);
  }
  g = build::pad(g, before, after, scalar_from_int(g->dtype, 0));
  return build::slice_exactly(g, std::vector<Dim>(shape.size(), Dim(0)), shape, std::vector<int64_t>(shape.size(), 1));
}

NodeRef adjoint_of_pad(const Step& s) {
  return build::slice_exactly(s.g, s.y->as<PadAttributes>().before, s.a()->shape, std::vector<int64_t>(s.a()->shape.size(), 1));
}

NodeRef adjoint_of_concat(const Step& s) {
  const int axis = s.y->as<ConcatAttributes>().axis;
  std::vector<Dim> start(s.y->shape.size(), Dim(0));
  for (size_t i = 0; i < s.index; ++i) start[axis] = start[axis] + s.y->sources[i]->shape[axis];
  return build::slice_exactly(s.g, start, s.y->sources[s.index]->shape, std::vector<int64_t>(start.size(), 1));
}

}  // namespace harp::grad
