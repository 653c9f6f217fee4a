// Chain-order reductions on a GPU: an iteration of the thread loop is one thread, which reduces a few adjacent columns by itself, in
// registers:
//
//   thread g in 0 .. columns / 4:
//     declare acc0                                         # 4 columns
//     for batch in 0 .. rows / 8:
//       unroll step in 0 .. 8:
//         unroll column in 0 .. 4:
//           set acc0[column] += x[8*batch + step, 4*g + column]    # 4 loads that are one access of 16 bytes
//     unroll column in 0 .. 4: store y[4*g + column] = acc0[column]
//
// Neighbouring threads have neighbouring columns, so that a warp reads whole cache lines. Levels, blocks and their order are those of
// ReduceLowering. Columns that do not begin at a multiple of an access, and those after the last whole group, are reduced one by one.
#pragma once

#include "lower/reduce_lowering.h"

namespace harp::lower {

/// Tests whether the rows of this reduction are adjacent columns: it is in chain order and keeps an axis.
bool has_columns(const Node& reduce);

class ColumnThreads final : public ReduceLowering {
 public:
  explicit ColumnThreads(KernelContext& context);
  void run();

 private:
  void reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, ir::Body& body) override;
  ir::Body columns_of_row(ir::Loop* columns, int together) override;
  ir::Body columns_of_results(ir::Loop* columns) override;
  /// Emits all passes over these columns. May be called several times.
  ir::Body passes_of(const Index& outer, Sym start, int64_t width);

  int64_t columns_;                     // number of columns that a thread reduces
  const ir::UOp* distances_ = nullptr;  // alignment of the arrays whose accesses are grouped (ir::Together)
};

}  // namespace harp::lower
