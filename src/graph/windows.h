// Windows over the last axes of an array, as unfold, convolutions and pools take them: sizes, steps and padding, checked once.
#pragma once

#include "graph/composites.h"

namespace harp::build {

/// The window of one axis.
struct Window {
  Dim size = 1;
  int64_t stride = 1, dilation = 1;
  Padding padding;

  /// Elements from the first to the last of a window.
  Dim reach() const { return Dim(dilation) * (size - 1) + 1; }
};

/// One window an axis; lists of one entry stand for all axes. Error{kShape} naming op for lists of other lengths, Error{kRange} for
/// strides and dilations below 1.
std::vector<Window> window_list(std::string_view op, size_t axes, std::span<const Dim> size, std::span<const int64_t> stride,
                                std::span<const int64_t> dilation, std::span<const Padding> padding);

/// first, first + 1, … `count` of them.
std::vector<int> axes_from(int first, int count);

/// The axes from `first` on with the windows' padding around; negative padding takes elements away. Error{kShape} if a window is surely
/// larger than its padded axis.
NodeRef pad_for(std::string_view op, NodeRef x, int first, std::span<const Window> windows, Scalar fill);

/// The window axes come last, in the order of the axes.
NodeRef unfold_windows(std::string_view op, NodeRef x, std::span<const int> axes, std::span<const Window> windows);

}  // namespace harp::build
