// The adjoint of unfold: element p of the source is element t of window w wherever w * stride + t * dilation = p, and gets the sum of
// all these. Without a scatter, for any sizes, known or not: rows of a matrix that lie one element apart (stored one element longer
// than they are read) are summed.
#include <array>

#include "grad/placing.h"
#include "grad/rules.h"
#include "graph/composites.h"

namespace harp::grad {
namespace {

/// Over the last two axes, result[p] = sum over t of x[t, p - t * by], in ascending t. The rows are padded to the length of the result
/// plus `by`; the same elements read as rows of the length of the result move by `by` more in each row.
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

/// The axis changes places with the one after it.
NodeRef swapped(NodeRef x, int axis) { return build::moveaxis(x, std::array{axis}, std::array{axis + 1}); }

}  // namespace

/// With t = q * stride + r the place is (w + q * dilation) * stride + r * dilation: first the windows are summed over q, each q shifted by
/// `dilation` windows, so that the work is that of the elements of all windows; then r picks the place between two windows.
NodeRef adjoint_of_unfold(const Step& s) {
  const auto& [axis, size, stride, dilation] = s.y->as<UnfoldAttributes>();
  const Shape& shape = s.a()->shape;
  if (size.is_constant(0)) return build::broadcast_to(build::constant_like(s.a(), 0), shape);  // no window has an element
  const Dim windows = s.y->shape[axis];
  // outer axes, windows, inner axes, window  ->  outer, inner, window, windows; one more axis is needed on the way.
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
  g = sum_of_shifted_rows(g, dilation);                        // ..., r, places of windows

  const Dim places = g->shape.back();
  Shape joined(g->shape.begin(), g->shape.end() - 2);
  joined.push_back(places * Dim(stride));
  if (stride == 1 || dilation == 1)
    g = build::reshape(swapped(g, last - 1), std::move(joined));  // r is the place itself
  else
    g = sum_of_shifted_rows(spaced(g, g->rank() - 1, stride), dilation);
  g = resized(g, g->rank() - 1, shape[axis]);
  return build::reshape(build::moveaxis(g, std::array{g->rank() - 1}, std::array{first}), shape);
}

}  // namespace harp::grad
