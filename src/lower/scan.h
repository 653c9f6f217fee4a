// Shared parts of the two orders of scans (docs/semantics.md, "Scans"). Both process blocks of 4,096 elements.
//
// Level 0 processes the elements of a block, starting from a given carry (the running value before the block). At the same time it
// accumulates the block's total, which starts at the identity, so that the elements are read only once. The totals are the elements of
// level 1, whose running value is the carry of the next block; and so on, for as many levels as the largest possible size requires.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

class ScanLowering {
 protected:
  explicit ScanLowering(KernelContext& context);

  using Row = std::vector<int>;  // accumulators, one for each scan of the kernel

  struct BlockLevel {
    Row carries;         // running values at the current item of this level
    Row totals;          // totals of the items so far in the block of this level; empty on the last level
    Row starts;          // above level 0: the running values after the last item, from which the next block of the level below starts
    Row group, running;  // in tree order, above level 0: the items of a group before and after it is scanned
  };

  // Values.
  /// Returns the position in the kernel's iteration space, without axes of size 1, for a kept index and element number `along` of the
  /// scanned axis.
  Index position(const Index& kept, Sym along) const;
  const ir::UOp* element(size_t scan, const Index& position);
  const ir::UOp* read(size_t scan, const Row& row, Sym index);

  // Statements.
  void declare(const Row& row, ir::Body& body);
  void set(const Row& to, Sym to_index, const Row& from, Sym from_index, ir::Body& body);
  void update(const Row& to, const Row& from, Sym index, ir::Body& body);
  /// Makes the stores at this position. Element `index` of `results` holds the values of the scans.
  ir::Body stores_of(const Row& results, Sym index, const Index& position);

  static constexpr int64_t kBlock = kScannedBlock;
  Sym block_end(Sym block, size_t level) const { return min(block * kBlock + kBlock, counts_[level]); }
  std::string next_name();

  KernelContext& c_;
  ir::Arena& arena_;
  const std::vector<const Node*>& scans_;
  const Shape& shape_;
  const ScanAttributes& attributes_;
  size_t axis_;
  std::vector<Sym> counts_;         // number of items on each level: elements, blocks of elements, blocks of blocks, …
  std::vector<size_t> kept_;        // the axes other than the scanned one whose size is not 1
  std::vector<BlockLevel> levels_;  // one level for each entry of counts_
  Accumulators accumulators_;
  int simd_width_ = 1, rows_together_ = 1;  // rows_together_: elements of a column, or groups of a row, that are interleaved
  int64_t scheduled_tile_ = 0;              // size of a tile of the last kept axis; 0: not given by the schedule

 private:
  int names_ = 0;
};

struct Scanned {
  ir::Body body;
  ir::Loop* tiles = nullptr;  // the loop over tiles of columns; null if there is only one tile
};
/// Lowers the scans along one row, at a kept index, in tree order.
Scanned lower_tree_scan(KernelContext& context, const Index& kept);
/// Lowers the scans of all columns at an index of the other kept axes, each as a chain.
Scanned lower_chain_scan(KernelContext& context, const Index& outer_kept);

}  // namespace harp::lower
