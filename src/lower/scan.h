// What the two orders of the law for scans (docs/semantics.md, "Scans") have in common, each a pass over blocks of 4,096 elements.
//
// Level 0 goes through the elements of a block, from the carry it is given. Beside the carry runs the block's total, which starts at the
// identity (so the elements are read once, not twice). The totals are the elements of level 1, whose running value is what the next block
// starts from; and so on, as many levels as the bounds of the size ask for.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

class ScanLowering {
 protected:
  explicit ScanLowering(KernelContext& context);

  using Row = std::vector<int>;  // accumulators, one a scan of the kernel

  struct Level {
    Row carries;         // the running values, in the order of this level's block
    Row totals;          // of the items so far in the block; none on the last level
    Row starts;          // above level 0: the running values after the last item, which the next block of the level below starts from
    Row group, running;  // tree, above level 0: the items of a group, and the same scanned
  };

  // Values.
  /// The kernel's position at a kept index and element `along` in the order of the scan; size-1 axes left out.
  Index position(const Index& kept, Sym along) const;
  const ir::UOp* element(size_t scan, const Index& position);
  const ir::UOp* read(size_t scan, const Row& row, Sym index);

  // Statements.
  void declare(const Row& row, ir::Body& body);
  void set(const Row& to, Sym to_index, const Row& from, Sym from_index, ir::Body& body);
  void update(const Row& to, const Row& from, Sym index, ir::Body& body);
  /// What is stored at this position, where element `index` of `results` holds what the scans are worth.
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
  std::vector<Sym> counts_;    // of the items of each level: elements, their blocks, blocks of those …
  std::vector<size_t> kept_;   // the other axes that are not 1
  std::vector<Level> levels_;  // parallel to counts_
  Accumulators accumulators_;
  int simd_width_ = 1, rows_together_ = 1;  // rows: elements of a column, or groups of a row, that the schedule wants done together
  int64_t wanted_tile_ = 0;                 // of the last kept axis

 private:
  int names_ = 0;
};

struct Scanned {
  ir::Body body;
  ir::Loop* tiles = nullptr;  // the loop over tiles of columns, if there are several
};
/// The scans at a kept index, in the order of a tree.
Scanned lower_tree_scan(KernelContext& context, const Index& kept);
/// The scans of all columns at an index of the other kept axes, each a chain.
Scanned lower_chain_scan(KernelContext& context, const Index& outer_kept);

}  // namespace harp::lower
