#include "opt/join_slices.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Returns the slice if `source` is a slice or a reshape of a slice; else null.
const Node* slice_of(const Node* source) {
  if (source->op == Op::kReshape) source = source->sources[0];
  return source->op == Op::kSlice ? source : nullptr;
}

/// Returns the axis along which two slices of one array start at different elements. Returns nothing if the slices also differ along
/// another axis.
std::optional<size_t> differing_axis(const Node& a, const Node& b) {
  const auto &x = a.as<SliceAttributes>(), &y = b.as<SliceAttributes>();
  std::optional<size_t> found;
  for (size_t axis = 0; axis < x.start.size(); ++axis) {
    if (x.start[axis] == y.start[axis]) {
      if (!(a.shape[axis] == b.shape[axis]) || x.step[axis] != y.step[axis]) return std::nullopt;
      continue;
    }
    if (found) return std::nullopt;
    found = axis;
  }
  return found;
}

/// Returns the step of the slice along the axis. Returns nothing for a single element, which fits into a slice of any step.
std::optional<int64_t> step_along(const Node& slice, size_t axis) {
  if (slice.shape[axis].is_constant(1)) return std::nullopt;
  return slice.as<SliceAttributes>().step[axis];
}

/// Returns count * step, the distance from the first of `count` elements to the element that would follow them. Returns nothing if it may
/// not fit 64 bits.
std::optional<Dim> distance_of(const Dim& count, int64_t step) {
  int64_t distance = 0;
  if (!count.is_constant()) return step >= INT32_MIN && step <= INT32_MAX ? std::optional(count * Dim(step)) : std::nullopt;
  return __builtin_mul_overflow(count.constant(), step, &distance) ? std::nullopt : std::optional(Dim(distance));
}

bool is_one(const Dim& size) { return size.is_constant(1); }

/// True if the two shapes are equal when axes of size 1 are ignored. Products of sizes are not compared, because they may not fit 64 bits.
bool are_same_but_for_ones(std::span<const Dim> a, std::span<const Dim> b) {
  auto i = a.begin(), j = b.begin();
  while (true) {
    i = std::find_if_not(i, a.end(), is_one);
    j = std::find_if_not(j, b.end(), is_one);
    if (i == a.end() || j == b.end()) return i == a.end() && j == b.end();
    if (!(*i++ == *j++)) return false;
  }
}

/// True if a slice of this size takes all elements of the array in order, along axis `first` and all axes after it.
bool takes_all(const SliceAttributes& slice, const Shape& size, const Node& array, size_t first = 0) {
  for (size_t axis = first; axis < size.size(); ++axis)
    if (!slice.start[axis].is_constant(0) || slice.step[axis] != 1 || !(size[axis] == array.shape[axis])) return false;
  return true;
}

/// Adjacent sources of a concat that are slices of one array (or reshapes of slices) and can be replaced by one larger slice.
class Run {
 public:
  Run(const Node* first, size_t along) : first_(first), slice_(slice_of(first)), along_(along), length_(first->shape[along]) {}

  /// If the elements of the concat's next source follow those of the run, adds it to the run and returns true.
  bool add(const Node* source) {
    const Node* next = slice_of(source);
    if (slice_ == nullptr || next == nullptr || next->sources[0] != slice_->sources[0]) return false;
    const std::optional<size_t> axis = differing_axis(*slice_, *next);
    if (!axis || (has_axis_ && *axis != axis_)) return false;
    const Dim distance = next->as<SliceAttributes>().start[*axis] - slice_->as<SliceAttributes>().start[*axis];
    const Dim taken = has_axis_ ? taken_ : slice_->shape[*axis];
    const std::optional<int64_t> before = has_axis_ ? step_ : step_along(*slice_, *axis), after = step_along(*next, *axis);
    if (before && after && *before != *after) return false;
    if (!before && !after && !distance.is_constant()) return false;
    const int64_t step = before ? *before : after ? *after : distance.constant();
    if (distance_of(taken, step) != distance || (!has_axis_ && !can_grow(*axis, step))) return false;
    has_axis_ = true;
    axis_ = *axis;
    step_ = step;
    taken_ = taken + next->shape[*axis];
    length_ += source->shape[along_];
    return true;
  }

  /// Returns the node that replaces the sources of the run.
  const Node* replacement(Graph& graph) const {
    if (!has_axis_) return first_;
    const Node* joined = slice_->sources[0];
    SliceAttributes slice = slice_->as<SliceAttributes>();
    Shape taken = slice_->shape, shape = first_->shape;
    slice.step[axis_] = *step_;
    taken[axis_] = taken_;
    shape[along_] = length_;
    if (!takes_all(slice, taken, *joined))
      joined = graph.intern(Op::kSlice, joined->dtype, std::move(taken), {joined}, std::move(slice));
    else if (joined->op == Op::kReshape && !(joined->shape == shape))
      joined = joined->sources[0];
    return joined->shape == shape ? joined : graph.intern(Op::kReshape, joined->dtype, std::move(shape), {joined});
  }

 private:
  /// Tests two conditions: one larger slice has the same elements in the same order as the concat of the slices, and reading it needs few
  /// divisions.
  ///
  /// Order: `axis` is the axis along which the slices differ, and along_ is the axis of the concat. The slice's axes before `axis` and the
  /// source's axes before along_ must have the same sizes, apart from axes of size 1. Then, for each index of these axes, both the larger
  /// slice and the concat contain the parts one after the other.
  ///
  /// Divisions: if a reshape merges `axis` with later axes, finding an element may need a division. This is cheap if axes after along_
  /// remain, because one division then serves a whole row of elements. No division is needed if the slices are consecutive parts of the
  /// array that take all elements of the later axes.
  bool can_grow(size_t axis, int64_t step) const {
    const std::span<const Dim> shape = first_->shape, taken = slice_->shape;
    if (!are_same_but_for_ones(shape.first(along_), taken.first(axis))) return false;
    const bool merges = !are_same_but_for_ones(shape.subspan(along_ + 1), taken.subspan(axis + 1));
    if (!merges || !std::ranges::all_of(shape.subspan(along_ + 1), is_one)) return true;
    return step == 1 && takes_all(slice_->as<SliceAttributes>(), slice_->shape, *slice_->sources[0], axis + 1);
  }

  const Node *first_, *slice_;  // first_: the first source of the run; slice_: slice_of(first_)
  size_t along_;                // the axis of the concat
  Dim length_;                  // size of the run along the axis of the concat
  // has_axis_ is true if the run has more than one source. The other members are then set: axis_ is the axis of the array along which the
  // slices follow each other, and step_ and taken_ are the step and the number of elements of the joined slice along that axis.
  bool has_axis_ = false;
  size_t axis_ = 0;
  std::optional<int64_t> step_;
  Dim taken_;
};

size_t axis_of(const Node& concat) { return static_cast<size_t>(concat.as<ConcatAttributes>().axis); }

const Node* with_joined_slices(Graph& graph, const Node* node) {
  if (!may_join_slices(*node)) return node;
  std::vector<const Node*> parts;
  Run run(node->sources[0], axis_of(*node));
  for (const Node* source : std::span(node->sources).subspan(1)) {
    if (run.add(source)) continue;
    parts.push_back(run.replacement(graph));
    run = Run(source, axis_of(*node));
  }
  parts.push_back(run.replacement(graph));
  return parts.size() == 1 ? parts[0] : graph.intern(Op::kConcat, node->dtype, node->shape, std::move(parts), node->attributes);
}

}  // namespace

bool may_join_slices(const Node& node) {
  if (node.op != Op::kConcat) return false;
  for (size_t i = 0; i + 1 < node.sources.size(); ++i)
    if (Run(node.sources[i], axis_of(node)).add(node.sources[i + 1])) return true;
  return false;
}

std::unique_ptr<Graph> join_slices(const Graph& graph) { return rewrite(graph, with_joined_slices); }

}  // namespace harp::opt
