// Deferred stores. A pass that consists of non-temporal stores is limited by the speed of memory, while other passes are limited by
// arithmetic. Therefore the stores of the last pass over a row are interleaved with the next-to-last pass over the following row: each step
// of that pass also stores some whole cache lines. Row values that both passes need are double-buffered: rows with even and with odd
// numbers have separate buffers. The results of a row's reductions are kept until the row is stored, that is, while the next row is
// processed.
#pragma once

#include "lower/row_values.h"

namespace harp::lower {

class DeferredStores {
 public:
  /// Requires a kernel that satisfies may_defer_stores (schedule/kernel_structure.h). `kept` are the kept axes of the source of the
  /// reductions, that is, those that are not reduced.
  DeferredStores(KernelContext& context, Accumulators& accumulators, RowValues& rows, const std::vector<size_t>& kept, int simd_width);

  /// Declares an accumulator for each reduction whose result the last pass uses. The accumulator keeps the result until the row has been
  /// stored.
  void declare(ir::Body& body);
  /// Makes the following calls store the row before the one at position `kept`, an index along the kept axes (those that are not reduced).
  /// The row at index `begin` of the last kept axis is the first one; before it no row is stored.
  void begin_row(const Index& kept, Sym begin);
  /// Returns the stores to add to a step of the next-to-last pass: they store kLanes elements of the previous row, from element `first` on,
  /// where element 0 is the start of the first whole cache line. The call replaces the bindings of the current row's values
  /// (RowValues::bind), so the caller must bind these again.
  ir::Stmt* stores_for_step(Sym first);
  /// Completes the statements of a row: appends the stores of the elements of the previous row that no step has stored, and then the
  /// statements `keeps`, which keep the results of this row's reductions.
  ir::Body complete_row(ir::Body statements, const ir::Body& keeps);
  /// Appends a statement that keeps the result of this reduction until the row is stored, if the last pass uses the result. `value` is the
  /// result in the dtype of the accumulators.
  void keep(const Node& reduce, const ir::UOp* value, ir::Body& body);
  /// Returns statements that store the last row, at position `kept`, after all passes. They run only if there are rows, that is, if exists
  /// >= 0.
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
  int64_t line_;  // number of elements in a cache line
  Dim length_;
  std::vector<Result> results_;
  Index row_;    // position, along the kept axes, of the row that is stored
  Sym follows_;  // >= 0 if there is a row to store, that is, if the current row is not the first
  Sym front_;    // number of elements of the stored row before its first whole cache line
};

}  // namespace harp::lower
