// ArgMax and ArgMin of rows on a GPU: a group of threads goes through a row as in rows.h. Each lane keeps its best element and the index of
// that; then the threads fold the best elements to the best of the row, and fold the indices of the lanes that have this element to the
// least one. NaN counts as better than any number, so no second pass looks for it.
#pragma once

#include "lower/arg_extreme_lowering.h"

namespace harp::lower {

class GroupArgExtreme final : public ArgExtremeLowering {
 public:
  explicit GroupArgExtreme(KernelContext& context);
  void run();

 private:
  /// Declares a value for each lane of the group, in the registers of its threads; returns its accumulator.
  int new_lanes(DType dtype, Op combine, Scalar init, ir::Body& body);
  /// Emits visit(lane, statements) for lanes 0 … count - 1. With `access`, the memory accesses of the lanes are grouped where that is
  /// possible.
  template <class Visit>
  void each_own_lane(Sym count, ir::Body& body, Visit visit, bool access = false);
  /// Folds the accumulator over all threads. Returns the result, which every thread gets.
  const ir::UOp* folded_lanes(int accumulator, ir::Body& body);
  ir::Body row(const Index& position);

  const int64_t elements_, threads_;
  const DType index_;  // dtype of indices
  bool is_wide_ = false;
  const ir::UOp* distances_ = nullptr;  // alignment of the arrays whose accesses are grouped (ir::Together)
};

}  // namespace harp::lower
