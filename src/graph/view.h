// A description of how to read an array without moving it: shape, strides and offset in elements. If padding is part of the view, it also
// holds the box of indices that have an element in the array, and the value at all other indices. apply() combines a view with a movement
// node, if the result can again be described by strides.
#pragma once

#include <optional>
#include <span>

#include "graph/graph.h"

namespace harp {

/// Element i of a view is at offset + Σ i[k]·strides[k] if begin[k] <= i[k] < end[k] for all k; otherwise it is `fill`.
struct View {
  Shape shape, strides;
  Dim offset = 0;
  Shape begin, end;            // within 0..shape[k]; 0 and shape[k] if the axis is not bounded
  std::optional<Scalar> fill;  // set if an axis is bounded

  /// Returns the view that reads an array as it is, in row-major order.
  static View contiguous(const Shape& shape);

  int rank() const { return static_cast<int>(shape.size()); }
  bool is_bounded(int axis) const { return !begin[axis].is_constant(0) || !(end[axis] == shape[axis]); }
  bool is_contiguous() const;
  bool operator==(const View&) const = default;
};

/// Returns the view of `node`, which moves elements of the array that `view` describes (a Permute, Expand, Reshape, Slice, Pad or Unfold of
/// it). Returns nothing if strides cannot describe the result (a reshape that splits a stride, two pads with different values …).
std::optional<View> apply(const View& view, const Node& node);
/// Returns the first node as a view of the last one. Each node except the last one moves elements of the next.
std::optional<View> view_through(std::span<const Node* const> nodes);

}  // namespace harp
