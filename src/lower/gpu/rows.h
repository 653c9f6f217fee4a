// Lowers reductions in lanes order for a GPU: a group of threads executes an iteration of the thread loop and reduces one row. The row has
// 64 lanes (docs/semantics.md, "Sums"). Thread t has the adjacent lanes t * elements … t * elements + elements - 1 in its registers, as
// part of a spread accumulator (ir/statement.h), and reads the elements of the row that belong to these lanes:
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
// use, is in a uniform accumulator. If a thread accesses several elements at once, the kernel contains the code twice: once for arrays
// whose addresses are multiples of the access size, and once with single elements for other arrays.
//
// If there are several passes over the row (rowwise.cpp), each thread processes the same elements in every pass. It therefore reads kept
// values from its own registers, or from its own elements of an array in shared memory, and the threads of a group need to wait for each
// other only in folds.
#pragma once

#include "lower/reduce_lowering.h"

namespace harp::lower {

/// Tests whether the schedule has the kind thread_group for the last axis, which is the reduced one. A group of threads then reduces each
/// row, or several columns together (group_columns.h).
bool is_on_groups(const Schedule& schedule);

class GroupRows final : public ReduceLowering {
 public:
  explicit GroupRows(KernelContext& context);
  void run();

 private:
  // --- lanes (lanes.cpp)

  BlockLevel new_level(int64_t count) override;
  /// Emits statements that combine element `from_element` of the level `from`, which is the same for all threads, into lane `to_element` of
  /// the level `to`. The thread that owns this lane executes them.
  void carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, ir::Body& body) override;
  void lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body) override;
  /// Emits loops over [begin, end) in rounds: in each round, the 64 lanes of the group process 64 consecutive elements. make(start, count)
  /// returns the statements of the round for elements start … start + count - 1. Several rounds are executed in a batch (batches.h), and
  /// the last round processes the remaining elements.
  ir::Body rounds(Sym begin, Sym end, const std::function<ir::Body(Sym start, Sym count)>& make);
  /// Returns the statements of one thread in a round: it processes those of the elements start … start + count - 1 that belong to its
  /// lanes.
  ir::Body round(Sym thread, const BlockLevel& level, Sym start, Sym count, const IndexOfRow& index_at);
  /// Returns the statements of the loop `elements` over a thread's elements in a round. If is_wide_ is set, the memory accesses to adjacent
  /// elements are combined into wide ones where possible (ir/group_accesses.h).
  ir::Body together(ir::Loop* elements);
  /// Returns a new loop over the threads of the group.
  ir::Loop* new_group() { return ir::new_loop(arena_, "thread", 0, threads_, ir::LoopKind::kGroup); }

  // --- passes (rowwise.cpp)

  void finish_pass(const RowPass& pass, const Index& kept, ir::Body& body) override;
  ir::Body row_loops(const Index& kept) override;
  /// Declares a uniform accumulator that is initialised with `value`, which is the same for all threads. Returns an expression that reads
  /// the accumulator.
  const ir::UOp* uniform(const ir::UOp* value, ir::Body& body);
  /// Emits all passes over the row at position `kept`, an index along the kept axes (those that are not reduced). If called again, it
  /// declares new accumulators.
  ir::Body row(const Index& kept);

  int64_t threads_, elements_;  // threads_: number of threads of a group; elements_: number of adjacent lanes of a thread
  bool is_wide_ = false;        // whether a thread's accesses to adjacent elements are combined into wide ones
  // An i64 that is computed at run time, for the arrays that the kernel accesses several elements at a time: the bitwise or of the
  // distances, in elements, from the start of a cache line to the start of each array (ir::Together). If it is a multiple of the number of
  // elements of an access, all these arrays are aligned. null: every access is of a single element.
  const ir::UOp* distances_ = nullptr;
};

}  // namespace harp::lower
