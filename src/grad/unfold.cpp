// Builds the adjoint of unfold. Element p of the source is element t of window w wherever w * stride + t * dilation = p, and its gradient
// is the sum of the gradients of all these elements. If these are sums of products, as in a convolution, the gradient is a contraction
// (window_contraction.h). Otherwise it is a sum for which no scatter is needed: it is computed over the rows of a matrix in which each row
// is shifted against the row before it. The shift is the result of a reshape: each row is padded, and the elements are then read as rows of
// a smaller length. This works for constant and for symbolic sizes.
#include <array>

#include "grad/placing.h"
#include "grad/rules.h"
#include "grad/window_contraction.h"
#include "graph/composites.h"

namespace harp::grad {
namespace {

/// Over the last two axes of x, returns result[p] = sum over t of x[t, p - t * by], in ascending t. Each row is padded to the length of the
/// result plus `by`. If the same elements are read as rows of the result's length, each row is shifted by `by` more than the row before it.
NodeRef sum_of_shifted_rows(NodeRef x, int64_t by) {
  const int column_axis = x->rank() - 1, row_axis = x->rank() - 2;
  const Dim rows = x->shape[row_axis], length = x->shape[column_axis];
  const Dim result = length + (rows - 1) * Dim(by);
  Shape shape(x->shape.begin(), x->shape.end() - 2);
  if (rows.is_constant(1)) {
    shape.push_back(length);
    return build::reshape(x, std::move(shape));
  }
  x = padded_after(x, column_axis, rows * Dim(by));
  Shape flat = shape;
  flat.push_back(rows * (result + by));
  x = resized(build::reshape(x, std::move(flat)), row_axis, rows * result);
  shape.insert(shape.end(), {rows, result});
  return build::reduce(Op::kSum, build::reshape(x, std::move(shape)), std::span(&row_axis, 1), false);
}

/// Exchanges the axis with the next one.
NodeRef swapped(NodeRef x, int axis) { return build::moveaxis(x, std::array{axis}, std::array{axis + 1}); }

}  // namespace

/// Element t = q * stride + r of window w is at position (w + q * dilation) * stride + r * dilation of the source. The first step sums over
/// q for each r: row q is shifted by q * dilation windows. Its work is proportional to the number of elements of all windows. The second
/// step moves the sum for each r to its position between the starts of two windows.
NodeRef adjoint_of_unfold(const Step& s) {
  const auto& [axis, size, stride, distance] = s.y->as<UnfoldAttributes>();
  const int64_t dilation = size.is_constant(1) ? 1 : distance;  // the distance between elements of a window, if there are several
  const Shape& shape = s.a()->shape;
  if (const NodeRef contraction = contraction_of_windows(s); contraction != nullptr) return contraction;
  if (size.is_constant(0)) return build::broadcast_to(build::constant_like(s.a(), 0), shape);  // windows of size 0 have no elements
  const Dim windows = s.y->shape[axis];
  // Reorder the axes (outer axes, windows, inner axes, elements of a window) to (outer, inner, elements of a window, windows). The steps
  // below need one more axis, so at rank kMaxRank the outer axes are merged into one axis, and so are the inner axes.
  Shape outer(shape.begin(), shape.begin() + axis), inner(shape.begin() + axis + 1, shape.end());
  if (s.y->rank() == kMaxRank) outer = {element_count(outer)}, inner = {element_count(inner)};
  Shape grouped = outer;
  grouped.push_back(windows);
  grouped.insert(grouped.end(), inner.begin(), inner.end());
  grouped.push_back(size);
  const int first = static_cast<int>(outer.size()), last = static_cast<int>(grouped.size()) - 1;
  NodeRef g = build::moveaxis(build::reshape(s.g, std::move(grouped)), std::array{first}, std::array{last});

  const Dim groups = ceil_div(size, stride);
  g = padded_after(g, last - 1, groups * Dim(stride) - size);
  Shape split(g->shape.begin(), g->shape.end() - 2);
  split.insert(split.end(), {groups, Dim(stride), windows});
  g = swapped(build::reshape(g, std::move(split)), last - 1);  // ..., r, q, windows
  g = sum_of_shifted_rows(g, dilation);                        // ..., r, window positions

  const Dim positions_per_row = g->shape.back();
  Shape joined(g->shape.begin(), g->shape.end() - 2);
  joined.push_back(positions_per_row * Dim(stride));
  if (stride == 1 || dilation == 1)
    g = build::reshape(swapped(g, last - 1), std::move(joined));  // the position is (window position) * stride + r
  else
    g = sum_of_shifted_rows(spaced(g, g->rank() - 1, stride), dilation);
  g = resized(g, g->rank() - 1, shape[axis]);
  return build::reshape(build::moveaxis(g, std::array{g->rank() - 1}, std::array{first}), shape);
}

}  // namespace harp::grad
