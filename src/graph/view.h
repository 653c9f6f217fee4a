// Describes how to read an array in another arrangement without copying it: shape, strides and offset, counted in elements. A view may
// include padding: then it also has a box (a range of indices per axis) outside of which all elements have a fill value. apply() combines a
// view with a movement node if strides can describe the result.
#pragma once

#include <optional>
#include <span>

#include "graph/graph.h"

namespace harp {

/// The element at index i of a view is read at position offset + Σ i[k]·strides[k] if begin[k] <= i[k] < end[k] for all k; otherwise it is
/// `fill`.
struct View {
  Shape shape, strides;
  Dim offset = 0;
  Shape begin, end;            // the box; for an axis k without bounds, begin is 0 and end is shape[k]
  std::optional<Scalar> fill;  // the value outside the box; exists if at least one axis is bounded

  /// Returns the view that reads a whole array in row-major order.
  static View contiguous(const Shape& shape);

  int rank() const { return static_cast<int>(shape.size()); }
  bool is_bounded(int axis) const { return !begin[axis].is_constant(0) || !(end[axis] == shape[axis]); }
  bool is_contiguous() const;
  bool operator==(const View&) const = default;
};

/// Returns the view of `node`, a Permute, Expand, Reshape, Slice, Pad or Unfold of the array that `view` describes. Returns nothing if
/// strides cannot describe the result, for example for a reshape that splits an axis unevenly or for two pads with different values.
std::optional<View> apply(const View& view, const Node& node);
/// Describes the first node as a view of the last one. Each node except the last one is a movement node whose source is the next node.
std::optional<View> view_through(std::span<const Node* const> nodes);

}  // namespace harp
