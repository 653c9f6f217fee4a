// Builds the arithmetic of complex arrays from real nodes. No op of the op table computes with complex elements. The constructor of an op
// extracts the parts (real, imag), computes with them as docs/semantics.md defines, and combines the results (complex_from_parts).
// Therefore the interpreter, the optimiser, gradients and all lower layers only move complex arrays and extract their parts.
#pragma once

#include "graph/composites.h"

namespace harp::build {

struct Parts {
  NodeRef re, im;
};
/// Extracts the parts of a complex array.
Parts parts_of(NodeRef z);
NodeRef from_parts(Parts parts);

/// Computes a sum of products of complex arrays as four sums of products of real arrays. sum(x, y) must return the sum of the products of
/// two real arrays.
template <class Sum>
NodeRef sum_of_products(NodeRef a, NodeRef b, Sum sum) {
  const Parts x = parts_of(a), y = parts_of(b);
  const NodeRef reals = sum(x.re, y.re), imaginaries = sum(x.im, y.im);
  const NodeRef re = sub(reals, imaginaries), crossed = sum(x.re, y.im);
  return from_parts({re, elementwise(Op::kAdd, {crossed, sum(x.im, y.re)})});
}

/// Builds an op of family Elementwise that accepts complex dtypes. The operands have one complex dtype (Where's condition is bool), and
/// each has the result's shape or rank 0.
NodeRef complex_elementwise(Op op, std::span<const NodeRef> operands);

/// Casts an array of any dtype to a complex dtype. Casting from a complex to a real dtype is an error, Error{kDType}.
NodeRef complex_cast(NodeRef source, DType dtype);

/// Builds the Sum or Prod of a complex array over `axes`, which are ascending and are removed from the shape. complex_reduce_exactly() sums
/// in the order that the attributes state, and supports only Sum.
NodeRef complex_reduce(Op op, NodeRef source, std::span<const int> axes);
NodeRef complex_reduce_exactly(Op op, NodeRef source, const ReduceAttributes& attributes);

/// Builds the CumSum or CumProd of a complex array along one axis. complex_scan_exactly() supports only CumSum.
NodeRef complex_scan(Op op, NodeRef source, int axis, bool reverse);
NodeRef complex_scan_exactly(Op op, NodeRef source, const ScanAttributes& attributes);

}  // namespace harp::build
