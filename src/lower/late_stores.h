// Stores of a row that wait for the next one: past the caches they wait for memory, and computing, which waits for nothing, runs meanwhile.
// So what the last pass over a row stores goes beside the pass before it over the next row, step by step, whole lines of memory at a time.
// What both need is kept twice, for rows of even and of odd number, and results of a row until the next one has stored them.
#pragma once

#include "lower/row_values.h"

namespace harp::lower {

class LateStores {
 public:
  /// Of a kernel that may_store_late (schedule/stream.h); `kept` are the axes of the rows' elements that are not the rows'.
  LateStores(KernelContext& context, Accumulators& accumulators, RowValues& rows, const std::vector<size_t>& kept, int simd_width);

  /// Makes room for the results the last pass uses.
  void declare(ir::Body& body);
  /// The row before the one at this position of the kept axes is stored now, if that is not the first, `begin`.
  void begin_row(const Index& kept, Sym begin);
  /// In a step of the pass before the last: kLanes of its elements, from `first` on but for those in front of the first whole line. Values
  /// of reductions and rows are to be bound again after it.
  ir::Stmt* beside(Sym first);
  /// All of the row's statements, with what no step has stored of the row before, and at last those that keep its results.
  ir::Body around(ir::Body statements, const ir::Body& keeps);
  /// Keeps `value` of this reduction, an element of its accumulator's dtype, if the last pass uses it.
  void keep(const Node& reduce, const ir::UOp* value, ir::Body& body);
  /// Everything of the row at this position, which is the last; there are rows where `exists` is >= 0.
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
  const RowPass& pass_;  // the last
  const StorePlan& store_;
  int simd_width_;
  int64_t line_;  // elements of a line of memory
  Dim length_;
  std::vector<Result> results_;
  Index row_;    // position that is stored
  Sym follows_;  // it is not in front of the first where it is >= 0
  Sym front_;    // elements in front of the first that begins a line
};

}  // namespace harp::lower
