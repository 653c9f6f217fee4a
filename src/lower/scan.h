// Contains code that the two orders of scans share: tree and chain (docs/semantics.md, "Scans"). Both process blocks of 4,096 elements.
//
// Level 0 scans the elements of a block, starting from a given carry, which is the running value before the block. In the same loop, so
// that elements are read only once, it accumulates the total of the block, starting from the identity. Level 1 scans the totals of the
// blocks; its running value after a block is the carry of the next block. Higher levels are the same, for as many levels as the largest
// possible size requires.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

class ScanLowering {
 protected:
  explicit ScanLowering(KernelContext& context);

  using Row = std::vector<int>;  // numbers of accumulators: one for each scan of the kernel

  struct BlockLevel {
    Row carries;         // running values at the current item of this level
    Row totals;          // totals of the items so far in the current block of this level; empty on the last level
    Row starts;          // above level 0: running values after the items so far; the next block of the level below starts from these
    Row group, running;  // in tree order, above level 0: the 64 items of a group before the scan, and their running values
  };

  // Values.
  /// Returns the position in the kernel's iteration space (without axes of size 1) of element number `along` of the scanned axis, at index
  /// `kept` of the kept axes (those that are not scanned).
  Index position(const Index& kept, Sym along) const;
  /// With a mask, nothing is loaded where it is false, and the element is the identity of the scan there.
  const ir::UOp* element(size_t scan, const Index& position, const ir::UOp* mask = nullptr);
  const ir::UOp* read(size_t scan, const Row& row, Sym index);

  // Statements.
  void declare(const Row& row, ir::Body& body);
  void set(const Row& to, Sym to_index, const Row& from, Sym from_index, ir::Body& body);
  void update(const Row& to, const Row& from, Sym index, ir::Body& body);
  /// Returns the stores of the kernel's outputs at this position. Element `index` of the accumulators `results` holds the results of the
  /// scans.
  ir::Body stores_of(const Row& results, Sym index, const Index& position, const ir::UOp* mask = nullptr);

  static constexpr int64_t kBlock = kScannedBlock;
  Sym block_end(Sym block, size_t level) const { return min(block * kBlock + kBlock, counts_[level]); }
  std::string next_name();

  KernelContext& c_;
  ir::Arena& arena_;
  const std::vector<const Node*>& scans_;
  const Shape& shape_;
  const ScanAttributes& attributes_;
  size_t axis_;
  std::vector<Sym> counts_;         // number of items on each level: of elements, of blocks of elements, of blocks of blocks, …
  std::vector<size_t> kept_;        // axes other than the scanned one whose size is not 1
  std::vector<BlockLevel> levels_;  // one level for each entry of counts_
  Accumulators accumulators_;
  // rows_together_: number of elements of a column (chain order) or groups of a row (tree order) that are interleaved.
  int simd_width_ = 1, rows_together_ = 1;
  int64_t scheduled_tile_ = 0;  // tile size of the last axis that is not scanned; 0: the schedule gives none

 private:
  int names_ = 0;
};

struct Scanned {
  ir::Body body;
  ir::Loop* tiles = nullptr;  // the loop over tiles of columns; null if there is only one tile, or in tree order
};
/// Lowers the scans along one row, at index `kept` of the kept axes, in tree order.
Scanned lower_tree_scan(KernelContext& context, const Index& kept);
/// Lowers scans in chain order. If `kept` is an index of all kept axes (those that are not scanned), scans one column. If it is an index of
/// all kept axes except the last one, scans all columns, which are the indices of that last axis.
Scanned lower_chain_scan(KernelContext& context, const Index& kept);
/// Lowers scans in tree order of rows of at most `most` elements, at index `outer` of all kept axes except the last one, along which the
/// vectors run. Returns a loop over tiles of rows. (scan_short.cpp)
ir::Loop* lower_short_scan(KernelContext& context, const Index& outer, int64_t most);

}  // namespace harp::lower
