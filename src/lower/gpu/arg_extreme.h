// Lowers ArgMax and ArgMin of rows for a GPU: each row is processed by a group of threads, among which its 64 lanes are divided (rows.h).
// Each lane keeps its best element and the index of that element. Afterwards the threads fold the best elements of all lanes to the best
// element of the row. The result is the smallest index of the lanes whose best element is equal to that of the row. NaN counts as better
// than any number, so no second pass over the row is needed to find it.
#pragma once

#include "lower/arg_extreme_lowering.h"

namespace harp::lower {

class GroupArgExtreme final : public ArgExtremeLowering {
 public:
  explicit GroupArgExtreme(KernelContext& context);
  void run();

 private:
  /// Declares a spread accumulator, whose elements are divided among the registers of a group's threads, with one element for each lane;
  /// returns its index.
  int new_lanes(DType dtype, Op combine, Scalar init, ir::Body& body);
  /// Does what new_lanes() does for elements that are all set before they are read, so they get no initial value.
  int new_unset_lanes(DType dtype, Op combine, ir::Body& body);
  /// Emits visit(lane, statements) for lanes 0 … count - 1; each thread executes its own lanes. If `access` is true, the memory accesses of
  /// a thread's adjacent lanes are combined into wide accesses where possible.
  template <class Visit>
  void each_own_lane(Sym count, ir::Body& body, Visit visit, bool access = false);
  /// Folds the accumulator over all threads. Returns the result as a value that is the same for every thread.
  const ir::UOp* folded_lanes(int accumulator, ir::Body& body);
  ir::Body row(const Index& position);

  const int64_t elements_, threads_;
  const DType index_;  // dtype of indices
  bool is_wide_ = false;
  // An i64 that is computed at run time, for the arrays that the kernel accesses several elements at a time: the bitwise or of the
  // distances, in elements, from the start of a cache line to the start of each array (ir::Together). If it is a multiple of the number of
  // elements of an access, all these arrays are aligned. null: every access is of a single element.
  const ir::UOp* distances_ = nullptr;
};

}  // namespace harp::lower
