// Lanes-order reductions on a GPU: each row is reduced by a group of threads, an iteration of the thread loop. Thread t of a group has the
// adjacent lanes t * elements … t * elements + elements - 1, of the 64 that reduce a row (docs/semantics.md, "Sums"), in its registers (a
// spread accumulator, ir/statement.h), and reads the elements of the row that belong to these lanes:
//
//   thread row in 0 .. rows:
//     declare acc0                                         # 64 lanes, 4 of each of 16 threads
//     for step in 0 .. columns / 64:
//       group t in 0 .. 16:
//         unroll lane in 0 .. 4:
//           set acc0[4*t + lane] += x[row, 64*step + 4*t + lane]   # 4 loads that are one access of 16 bytes
//     fold acc0                                            # the threads exchange registers; all get the result
//     group t in 0 .. 16:
//       if t == 0: store y[row] = acc0[0]
//
// Levels, blocks and their order are those of ReduceLowering. A value that is the same for all threads, such as a result that later passes
// use, is in a uniform accumulator. If a thread accesses several elements at once, the kernel's text contains the code twice, because
// arrays may begin anywhere: once for arrays that begin at a multiple of an access, and once with single elements.
//
// In several passes (rowwise.cpp) each thread meets the same elements of the row in every pass, so it reads kept values from its own
// registers, or from its own elements of an array in shared memory, and the threads of a group wait for each other only in folds.
#pragma once

#include "lower/reduce_lowering.h"

namespace harp::lower {

/// Tests whether groups of threads reduce the rows: the reduced axis, which is the last one, is of kind thread_group.
bool is_on_groups(const Schedule& schedule);

class GroupRows final : public ReduceLowering {
 public:
  explicit GroupRows(KernelContext& context);
  void run();

 private:
  // --- lanes (lanes.cpp)

  BlockLevel new_level(int64_t count) override;
  /// Combines a result, which is the same for all threads, into one lane: the thread that has the lane does so.
  void carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, ir::Body& body) override;
  void lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body) override;
  /// Emits the rounds of the lanes: make(start, count) for each 64 elements of [begin, end), with several rounds in flight, and for the
  /// remainder.
  ir::Body rounds(Sym begin, Sym end, const std::function<ir::Body(Sym start, Sym count)>& make);
  /// Returns what one thread does in a round: it processes those of the elements start … start + count - 1 that belong to its lanes.
  ir::Body round(Sym thread, const BlockLevel& level, Sym start, Sym count, const IndexOfRow& index_at);
  /// Returns statements for the loop over the elements of a thread, whose accesses are grouped.
  ir::Body together(ir::Loop* elements);
  /// Makes a loop over the threads of the group.
  ir::Loop* new_group() { return ir::new_loop(arena_, "thread", 0, threads_, ir::LoopKind::kGroup); }

  // --- passes (rowwise.cpp)

  void finish_pass(const RowPass& pass, const Index& kept, ir::Body& body) override;
  ir::Body row_loops(const Index& kept) override;
  /// Declares a uniform accumulator with this value, which is the same for all threads. Returns the expression that reads it.
  const ir::UOp* uniform(const ir::UOp* value, ir::Body& body);
  /// Emits all passes over the row at this position. If called again, it declares accumulators of their own for the passes.
  ir::Body row(const Index& kept);

  int64_t threads_, elements_;          // threads of a group; elements of a thread
  bool is_wide_ = false;                // accesses of a thread to consecutive elements are grouped
  const ir::UOp* distances_ = nullptr;  // alignment of the arrays whose accesses are grouped (ir::Together)
};

}  // namespace harp::lower
