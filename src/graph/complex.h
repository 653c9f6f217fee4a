// Arithmetic of complex arrays, built of real nodes. No operation of the op table computes with complex elements: its constructor takes the
// parts apart (real, imag), computes with those as docs/semantics.md says, and puts them together (complex_from_parts). So the
// interpreter, the optimiser, gradients and everything below know complex arrays only as something that is moved and taken apart.
#pragma once

#include "graph/composites.h"

namespace harp::build {

struct Parts {
  NodeRef re, im;
};
/// Of a complex array.
Parts parts_of(NodeRef z);
NodeRef from_parts(Parts parts);

/// A sum of products of complex arrays as four sums of products of real ones: `sum` makes one of two factors.
template <class Sum>
NodeRef sum_of_products(NodeRef a, NodeRef b, Sum sum) {
  const Parts x = parts_of(a), y = parts_of(b);
  const NodeRef reals = sum(x.re, y.re), imaginaries = sum(x.im, y.im);
  const NodeRef re = sub(reals, imaginaries), crossed = sum(x.re, y.im);
  return from_parts({re, elementwise(Op::kAdd, {crossed, sum(x.im, y.re)})});
}

/// An op of family Elementwise that accepts complex dtypes. The operands have one complex dtype (Where's condition is bool) and are of the
/// result's shape or rank 0.
NodeRef complex_elementwise(Op op, std::span<const NodeRef> operands);

/// To another complex dtype from any, or from a complex one to another; to a real one is Error{kDType}.
NodeRef complex_cast(NodeRef source, DType dtype);

/// Sum and Prod over axes that are sorted; the reduced axes are dropped. With attributes: a sum in that order.
NodeRef complex_reduce(Op op, NodeRef source, std::span<const int> axes);
NodeRef complex_reduce_exactly(Op op, NodeRef source, const ReduceAttributes& attributes);

/// CumSum and CumProd along one axis.
NodeRef complex_scan(Op op, NodeRef source, int axis, bool reverse);
NodeRef complex_scan_exactly(Op op, NodeRef source, const ScanAttributes& attributes);

}  // namespace harp::build
