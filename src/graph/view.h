// How an array is seen without moving it: shape, strides and offset in elements, and, where a pad is part of the view, the box of
// indices that have an element and the value of all others. Views compose with movement nodes as long as they stay linear.
#pragma once

#include <optional>
#include <span>

#include "graph/graph.h"

namespace harp {

/// Element i of a view lies at offset + Σ i[k]·strides[k] if begin[k] <= i[k] < end[k] for all k; else it is `fill`.
struct View {
  Shape shape, strides;
  Dim offset = 0;
  Shape begin, end;            // within 0..shape[k]; 0 and shape[k] where the axis is not bounded
  std::optional<Scalar> fill;  // set as soon as an axis is bounded

  /// Row-major.
  static View contiguous(const Shape& shape);

  int rank() const { return static_cast<int>(shape.size()); }
  bool is_bounded(int axis) const { return !begin[axis].is_constant(0) || !(end[axis] == shape[axis]); }
  bool is_contiguous() const;
  bool operator==(const View&) const = default;
};

/// The view of `node`, which moves elements of the array seen through `view` (a Permute, Expand, Reshape, Slice, Pad or Unfold of
/// it): nothing where that is no linear view (a reshape that splits strides, two pads with different values …).
std::optional<View> apply(const View& view, const Node& node);
/// The first of the nodes as a view of the last, each but that moving elements of the next.
std::optional<View> view_through(std::span<const Node* const> nodes);

}  // namespace harp
