// Adjoints of ops that move elements: each element goes back to where it came from; those that were not taken get 0, those that were
// taken several times get the sum.
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

NodeRef adjoint_of_expand(const Step& s) {
  std::vector<int> stretched;
  for (int axis = 0; axis < s.y->rank(); ++axis)
    if (s.a()->shape[axis] != s.y->shape[axis]) stretched.push_back(axis);
  return build::reduce(Op::kSum, s.g, stretched, true);
}

NodeRef adjoint_of_reshape(const Step& s) { return build::reshape(s.g, s.a()->shape); }

/// Backwards slices are turned around, steps become gaps of zeros, and zeros surround the rest. One pad and one slice for all axes:
/// the slice cuts the gap behind the last element where it reaches over the end.
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
    // A slice that is empty may start anywhere.
    before.push_back(max(step[axis] < 0 ? start[axis] + (s.y->shape[axis] - 1) * Dim(step[axis]) : start[axis], 0));
    const Dim missing = shape[axis] - before[axis] - g->shape[axis];
    // Where it may be negative: so many zeros that the cut below finds enough in either case.
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
