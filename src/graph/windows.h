// Describes windows over the last axes of an array, for unfold, convolutions and pools: their sizes, strides and padding are checked here.
#pragma once

#include "graph/composites.h"

namespace harp::build {

/// The size, stride, dilation and padding of the windows along one axis.
struct Window {
  Dim size = 1;
  int64_t stride = 1, dilation = 1;
  Padding padding;

  /// Returns the number of elements from the first to the last element of a window, including those that the dilation skips.
  Dim reach() const { return Dim(dilation) * (size - 1) + 1; }
};

/// Returns one window per axis; a list with one entry applies to all axes. Throws Error{kShape} naming op if a list has another length,
/// Error{kRange} if a stride or dilation is below 1.
std::vector<Window> window_list(std::string_view op, size_t axes, std::span<const Dim> size, std::span<const int64_t> stride,
                                std::span<const int64_t> dilation, std::span<const Padding> padding);

/// Returns the `count` axes first, first + 1, …
std::vector<int> axes_from(int first, int count);

/// Throws Error{kShape} naming op: window `w` is larger than this axis of x with the padding of `w`, which may be negative.
[[noreturn]] void fail_reach(std::string_view op, NodeRef x, size_t axis, const Window& w);

/// Adds the padding of windows[i] to axis first + i; negative padding removes elements. Throws Error{kShape} if a window is larger than its
/// padded axis for all values of the shape variables.
NodeRef pad_for(std::string_view op, NodeRef x, int first, std::span<const Window> windows, Scalar fill);

/// Returns the windows of x along these axes. The elements of the windows are along new last axes, in the order of `axes`.
NodeRef unfold_windows(std::string_view op, NodeRef x, std::span<const int> axes, std::span<const Window> windows);

}  // namespace harp::build
