// Deferred stores. Non-temporal stores wait for memory, while the arithmetic of a pass does not. Therefore the stores of the last pass over
// a row are interleaved with the next-to-last pass over the following row, step by step, in whole cache lines. Row values that both passes
// need are double-buffered: rows of even and of odd number have buffers of their own. The results of a row's reductions are kept until the
// row has been stored, that is, while the next row is processed.
#pragma once

#include "lower/row_values.h"

namespace harp::lower {

class DeferredStores {
 public:
  /// For a kernel that satisfies may_defer_stores (schedule/kernel_structure.h). `kept` are the kept axes.
  DeferredStores(KernelContext& context, Accumulators& accumulators, RowValues& rows, const std::vector<size_t>& kept, int simd_width);

  /// Reserves accumulators for the results that the last pass uses.
  void declare(ir::Body& body);
  /// Sets the row to store: the predecessor of the row at position `kept` of the kept axes. The first row, at `begin`, has none.
  void begin_row(const Index& kept, Sym begin);
  /// Returns the stores to add to a step of the next-to-last pass: kLanes elements of the previous row. `first` counts from that row's
  /// first whole cache line. The call replaces the bindings of the current row's values (RowValues::bind), so the caller must bind them
  /// again.
  ir::Stmt* stores_for_step(Sym first);
  /// Completes the statements of a row: appends those stores of the previous row that no step has done, and then `keeps`, the statements
  /// that keep this row's results.
  ir::Body complete_row(ir::Body statements, const ir::Body& keeps);
  /// If the last pass uses the result of this reduction, emits a statement that keeps it. `value` is the result in the accumulator's dtype.
  void keep(const Node& reduce, const ir::UOp* value, ir::Body& body);
  /// Stores the last row, whose position is `kept`, after all passes. The stores run only if there are rows, that is, if exists >= 0.
  ir::Body last_row(const Index& kept, Sym exists);

 private:
  struct Result {
    const Node* reduce;
    int accumulator;
  };
  void store_row(Index position);
  ir::Body elements(Sym begin, Sym count, bool whole_lines);
  ir::Body ends();
  Index element(Sym row) const;
  ir::Body from_line(ir::Body statements, Sym row);
  void bind();
  void release();

  KernelContext& c_;
  ir::Arena& arena_;
  RowValues& rows_;
  const std::vector<size_t>& kept_;
  const RowPass& pass_;  // the last pass
  const StorePlan& store_;
  int simd_width_;
  int64_t line_;  // elements of a cache line
  Dim length_;
  std::vector<Result> results_;
  Index row_;    // position of the row that is stored
  Sym follows_;  // >= 0 if there is a row to store (the current row is not the first)
  Sym front_;    // number of elements of that row before its first whole cache line
};

}  // namespace harp::lower
