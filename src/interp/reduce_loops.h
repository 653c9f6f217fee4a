// The innermost loops of reductions. Only these loops are compiled for each operation and dtype. They take addresses and distances in
// bytes, so that the loops around them (reduce.cpp), which follow the axes and the order of a reduction, are compiled only once.
#pragma once

#include "interp/matrix.h"
#include "ops/ops.h"

namespace harp::interp {

/// The number of lanes, the accumulators over which docs/semantics.md ("Sums") distributes the elements of a reduction. The loops are fast
/// for this many columns.
inline constexpr int64_t kLanes = 64;

/// Combines every element of a matrix into an accumulator, row by row. The accumulators of a row are adjacent; those of the next row are
/// `accumulators_step` bytes further. If this step is 0, all rows are combined into the same accumulators. x is one matrix, or two for a
/// sum of products. Accumulators and elements must not overlap.
using AccumulateLoop = void (*)(std::byte* accumulators, int64_t accumulators_step, const Elements* x, int64_t rows, int64_t columns);

/// The loops of one operation and dtype.
struct ReduceLoops {
  /// The size of an accumulator in bytes. Its dtype is the wide one that combine.h defines: f32 for f16, for example.
  int64_t accumulator_bytes;
  /// Sets n accumulators to the identity of the operation.
  void (*fill)(std::byte* accumulators, int64_t n);
  /// Combines elements of the node's operands, which have the dtype of the reduction.
  AccumulateLoop accumulate;
  /// Combines elements that are accumulators; they are always one matrix.
  AccumulateLoop combine;
  /// For each of `rows` rows of kLanes accumulators, combines the lanes in the order of the tree that docs/semantics.md ("Sums") defines,
  /// and writes the identity combined with the total to `results`. Overwrites the lanes.
  void (*combine_lanes)(std::byte* lanes, std::byte* results, int64_t rows);
  /// Converts n accumulators to the dtype of the reduction.
  void (*write)(const std::byte* accumulators, std::byte* results, int64_t n);
};

/// Returns the loops of a reduction other than argmax and argmin, for this machine. If `product` is true, an element is the product of
/// elements of two operands, and an accumulator is updated by fma.
ReduceLoops reduce_loops(Op op, DType dtype, bool product);

}  // namespace harp::interp
