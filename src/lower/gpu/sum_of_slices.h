// Makes the second kernel of a product on a GPU whose terms are split into slices (schedule/gpu/product_slices.h), and the stores by which
// the first kernel passes it the sums of the slices through a scratch buffer. A thread adds the sums of one result over all slices, in the
// order of docs/semantics.md ("Sums"): the sums of 256 slices at a time, then 256 of these block results at a time, and so on.
//
//   thread r in 0 .. results:
//     declare acc0 = 0
//     for batch in 0 .. slices / 8:
//       unroll step in 0 .. 8:
//         set acc0 += scratch[(8 * batch + step) * results + r]        # neighbouring threads read neighbouring elements
//     the epilogue of the product, and its stores
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Returns the statement by which the first kernel stores a sum over the terms of slice number `slice`. `position` is the position of the
/// result in the iteration space.
ir::Stmt* store_in_slice(KernelContext& context, Sym slice, const Index& position, const ir::UOp* sum);
/// Lowers the second kernel.
void lower_sum_of_slices(KernelContext& context);

}  // namespace harp::lower
