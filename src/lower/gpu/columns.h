// Lowers reductions in chain order (docs/semantics.md, "Sums") for a GPU, unless they have few columns (group_columns.h): one thread
// executes an iteration of the thread loop and reduces a few adjacent columns in its registers:
//
//   thread g in 0 .. columns / 4:
//     declare acc0                                         # 4 columns
//     for batch in 0 .. rows / 8:
//       unroll step in 0 .. 8:
//         unroll column in 0 .. 4:
//           set acc0[column] += x[8*batch + step, 4*g + column]    # 4 loads that are one access of 16 bytes
//     unroll column in 0 .. 4: store y[4*g + column] = acc0[column]
//
// Neighbouring threads have neighbouring columns, so a warp reads whole cache lines. Levels, blocks and their order are those of
// ReduceLowering. Columns are reduced one at a time if their addresses are not multiples of the access size, or if they come after the last
// whole group of columns.
#pragma once

#include "lower/reduce_lowering.h"

namespace harp::lower {

/// Tests whether the class ColumnThreads, in which one thread reduces a few adjacent columns, can lower this reduction: it is in chain
/// order (docs/semantics.md, "Sums") and keeps at least one axis, whose indices are the columns.
bool has_columns(const Node& reduce);

class ColumnThreads final : public ReduceLowering {
 public:
  explicit ColumnThreads(KernelContext& context);
  void run();

 private:
  void reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, ir::Body& body) override;
  ir::Body columns_of_row(ir::Loop* columns, int together) override;
  ir::Body columns_of_results(ir::Loop* columns) override;
  /// Emits all passes over `width` columns from `start` on. If called again, it declares new accumulators.
  ir::Body passes_of(const Index& outer, Sym start, int64_t width);

  int64_t columns_;  // number of adjacent columns that a thread reduces
  // An i64 that is computed at run time, for the arrays that the kernel accesses several elements at a time: the bitwise or of the
  // distances, in elements, from the start of a cache line to the start of each array (ir::Together). If it is a multiple of the number of
  // elements of an access, all these arrays are aligned. null: every access is of a single element.
  const ir::UOp* distances_ = nullptr;
};

}  // namespace harp::lower
