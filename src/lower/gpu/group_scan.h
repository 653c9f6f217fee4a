// Contains code that the scans by groups of threads share, along rows (scan.cpp) and along columns (scan_columns.cpp): the items of a level
// (schedule/gpu/grid_scan.h), their totals and running values, and arrays in shared memory.
#pragma once

#include <vector>

#include "lower/gpu/scan.h"
#include "lower/scan.h"
#include "schedule/gpu/grid_scan.h"

namespace harp::lower {

class GroupScan : protected ScanLowering {
 protected:
  GroupScan(KernelContext& context, const ScanPhase& phase)
      : ScanLowering(context), phase_(phase), whole_(grid_scan(context.plan)), count_(whole_.counts[phase.level]) {}

  DType dtype(size_t scan) const { return accumulator_dtype(*scans_[scan]); }
  const ir::UOp* identity(size_t scan);
  ir::Loop* new_group() { return ir::new_loop(arena_, "thread", 0, threads_, ir::LoopKind::kGroup); }

  /// Adds an array of `count` elements without an initial value; returns the index of its accumulator.
  int array(int64_t count, Space space, size_t scan);
  /// Declares a shared array of `count` elements for each scan. The size is at least 2, because an accumulator of one element is not an
  /// array.
  Row shared(int64_t count, ir::Body& body);

  /// Tests whether a row has several blocks at the level that this phase scans (phase_.level), so that there is a level above it.
  bool has_level_above() const { return phase_.level + 1 < whole_.counts.size(); }
  /// Returns the number of blocks of a row that this phase scans: all, or, if the phase computes the totals of blocks, all but the last.
  Sym blocks() const {
    if (!has_level_above()) return 1;
    return phase_.totals ? whole_.counts[phase_.level + 1] : ceil_div(count_, kBlock);
  }
  /// Returns the number of items from the start of block number `block` to the end of its row. If the phase computes the totals of blocks,
  /// returns the number of items of a block, because it scans only whole blocks.
  Sym items_left(Sym block) const { return phase_.totals ? Sym(kBlock) : count_ - block * kBlock; }
  /// Returns item number `along` of the level that this phase scans. On level 0 it is an element of the scan's source, at index `kept` of
  /// the axes that are not scanned. On higher levels it is the total of a block, at position `place` among all totals of the level.
  const ir::UOp* item(size_t scan, const Index& kept, Sym along, Sym place);
  /// Returns the statements that store the running values of item number `along`, one for each scan. On level 0 these are the stores of the
  /// kernel's outputs.
  ir::Body store_values(const std::vector<const ir::UOp*>& values, const Index& kept, Sym along, Sym place);
  /// Returns the running value at position `place` of the level above.
  const ir::UOp* value_above(size_t scan, Sym place);
  /// Returns the store of a block's total, which is an item of the level above, at position `place` of that level.
  ir::Stmt* store_total(size_t scan, Sym place, const ir::UOp* total);

  const ScanPhase& phase_;
  const GridScan whole_;
  const Sym count_;      // number of items in a row at the level that this phase scans
  int64_t threads_ = 0;  // number of threads of a group

 private:
  int parameter(Dim offset, bool written) { return c_.values.parameter(c_.plan.scratch, written, offset); }
  ir::Stmt* store_to(int buffer, Sym place, const ir::UOp* value);
};

}  // namespace harp::lower
