// ArgMax and ArgMin of rows on a GPU: a group of threads goes through a row as in rows.h. Each lane keeps its best element and the index of
// that; then the threads fold the best elements, and of the lanes that have this element, they fold the indices to the least one. NaN is
// better than any number, so nothing is scanned again.
#pragma once

#include "lower/arg_extreme_lowering.h"

namespace harp::lower {

class GroupArgExtreme final : public ArgExtremeLowering {
 public:
  explicit GroupArgExtreme(KernelContext& context);
  void run();

 private:
  /// A value for each lane of the group, in the registers of its threads.
  int new_lanes(DType dtype, Op combine, Scalar init, ir::Body& body);
  /// Emits visit(lane, statements) for lanes 0 … count - 1; with `access`, arrays are accessed together where that is possible.
  template <class Visit>
  void each_own_lane(Sym count, ir::Body& body, Visit visit, bool access = false);
  /// Folds the accumulator. Returns the result, which is the same for all threads.
  const ir::UOp* folded_lanes(int accumulator, ir::Body& body);
  ir::Body row(const Index& position);

  const int64_t elements_, threads_;
  const DType index_;  // dtype of indices
  bool is_wide_ = false;
  const ir::UOp* distances_ = nullptr;  // of the arrays that are accessed together (ir::Together)
};

}  // namespace harp::lower
