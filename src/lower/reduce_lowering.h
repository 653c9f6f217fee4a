// Reduce template: the two orders of docs/semantics.md ("Sums") as loops over blocks and lanes. A row-wise kernel makes several passes over
// the same rows (schedule/rowwise.cpp): all passes over one row, or one tile of rows, come before the next row or tile. A pass may consist
// of stores only.
//
// lanes   for each kept index: blocks of 4,096 elements in 64 accumulators (the vector axis), folded by halving; the block results are
//         reduced by the same rule. The elements are those of the innermost run of adjacent reduced axes; if there are reduced axes before
//         it, the results of the runs are combined one after the other. (reduce_lanes.cpp)
// chain   blocks of 256 elements, each one chain, block results by the same rule. The accumulators of a tile of the last kept axis are
//         contiguous (a row in L1, or registers if the tile is a few vectors) and are the vector axis; the rows of elements are read one
//         after the other, several in each step. (reduce_columns.cpp; chains of short rows: reduce_short_rows.cpp)
//
// If the order cannot affect the bits (a maximum), there are no blocks.
//
// A level that is not needed changes no bit (it combines the only block with the identity), so code for the largest possible size is right
// for every size. Such a level costs no fold either: a level records how many of its lanes are in use, and one lane needs no fold.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "ir/functions.h"
#include "lower/deferred_stores.h"
#include "lower/row_values.h"
#include "lower/windows.h"

namespace harp::lower {

/// This class implements the order that docs/semantics.md prescribes: levels, blocks, and how they combine. How the lanes of a block run
/// depends on the machine: on a CPU they are vectors. A template for another machine overrides the virtual functions (gpu/rows.h).
class ReduceLowering {
 public:
  explicit ReduceLowering(KernelContext& context);
  virtual ~ReduceLowering() = default;
  void run();

 protected:
  Dim size(size_t axis) const { return first_.sources[0]->shape[axis]; }
  Shape sizes(const std::vector<size_t>& axes) const;
  std::string next_name() { return cat("ridx", names_++); }

  // --- accumulators: one for each reduction of the pass and each level (reduce.cpp)

  struct BlockLevel {
    std::vector<int> accumulators;  // one for each reduction of pass_->reduces
    std::vector<int> nans = {};     // separate accumulators that detect NaN, half as many: each holds NaN or its initial value; empty if
                                    // not used
  };
  virtual BlockLevel new_level(int64_t count);
  void declare(const BlockLevel& level, ir::Body& body);
  void fold(const BlockLevel& level, std::optional<Sym> used, ir::Body& body);
  /// The results of a pass: which pass, and the level whose accumulators hold them.
  struct Results {
    const RowPass* pass;
    BlockLevel level;
    size_t levels;
  };
  /// Binds the reductions computed so far to element `element` of their accumulators, so that later expressions read these.
  void bind_results(Sym element);
  /// Returns the statements that `make` makes. If the schedule uses NaN detection by the invalid flag, calls `make` twice: once for fast
  /// maxima, which lose NaN, and once for the exact version, which runs if the flag shows a NaN (Retry).
  ir::Body with_nan_retry(const std::function<ir::Body()>& make);
  const ir::UOp* result(const Results& done, size_t r, Sym element);
  /// Combines element `from_element` of `from` into element `to_element` of `to`, for every reduction of the pass.
  virtual void carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, ir::Body& body);

  // --- elements, and passes over a row (reduce.cpp)

  /// Returns the source index for a kept position and positions in the flattened outer and inner reduced axes.
  Index source_index(const Index& kept, Sym outer, Sym inner) const;
  /// Returns the operands that reduction `r` of the pass combines into its accumulator, for the element at this source index: one value, or
  /// two factors. Where `mask` is false, the operands are the identity.
  std::vector<const ir::UOp*> operands(size_t r, const Index& index, const ir::UOp* mask = nullptr);
  /// Processes the element at this source index in the pass: keeps it, combines it into accumulator element `element` of the level, and
  /// stores it. Stores come last, because they may overwrite what the other steps read (schedule/in_place.cpp). With a mask nothing is kept
  /// or stored.
  void visit(const BlockLevel& level, Sym element, const Index& index, ir::Body& body, const ir::UOp* mask = nullptr);
  /// Does the same as visit() for several elements one after the other, but sets each accumulator only once.
  void visit_all(const BlockLevel& level, Sym element, const std::vector<Index>& indices, ir::Body& body);
  /// Emits these passes over the row at this position of the kept axes.
  ir::Body passes(const Index& kept, std::span<const RowPass> all);
  /// Ends a pass: afterwards expressions read the pass's results, and the values that it keeps, from accumulators. Also stores the outputs
  /// that depend only on these.
  virtual void finish_pass(const RowPass& pass, const Index& kept, ir::Body& body);
  /// Lowers a pass without reductions over one row: loops over its axes, fused as far as possible.
  virtual ir::Body row_loops(const Index& kept);
  /// Tests whether any order of the elements gives the same bits for all reductions of the pass.
  bool is_free_of_order(const RowPass& pass) const;
  /// Returns the number of block levels for `count` elements (see levels_needed); one if the order is free.
  int levels_of(const RowPass& pass, Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt) const;

  /// Returns the cost of everything that the kernel computes for one element of the source, in the units of ops.def's cost column.
  int64_t cost_of_element() const;

  // --- lanes (reduce_lanes.cpp)

  using IndexAt = std::function<Index(Sym inner)>;
  ir::Body lanes(const Index& kept);
  /// Returns how many rows are processed interleaved; the distances between these rows are equal. 1: rows are processed one after the
  /// other.
  int64_t interleaved_rows() const;
  /// If `count` indices of an axis are divided into streams of `share` indices: returns the index at position `at` of a stream. A stream
  /// that has run out of indices repeats the index of the first one.
  static Sym index_of_stream(int64_t stream, Sym at, Sym share, Sym count);
  /// Processes interleaved rows, each a separate memory stream.
  ir::Body reduce_interleaved_rows(const Index& outer_kept, int64_t together);
  /// Processes the rows of the last kept axis (or of a thread's share of it, if it is the only kept axis) with deferred stores: for each
  /// row all passes run except the last, which runs together with the next row.
  ir::Body rows_with_deferred_stores(const Index& outer_kept);
  ir::Body lane_pass(const Index& kept);
  /// Returns how many parts of each row are read at the same time, as separate memory streams.
  int64_t parts_together() const;
  /// Reduces a row, read as parts_together() streams, into element 0 of the level.
  ir::Body reduce_row_parts(const BlockLevel& level, Sym count, const Index& kept);
  /// Reduces blocks from `begin` on into the lanes of a level, several blocks interleaved, as long as enough of them are left before `end`.
  /// Returns the number of the first block that is left.
  Sym reduce_interleaved_blocks(const BlockLevel& blocks_of, Sym begin, Sym end, Sym elements, const IndexAt& index_at, ir::Body& body);
  /// Reduces items [begin, end) of a level into element 0 of its accumulators. Items are elements at level 0, and blocks of the level below
  /// at higher levels.
  void lane_blocks(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                   const IndexAt& index_at, ir::Body& body);
  using IndexOfRow = std::function<Index(size_t row, Sym inner)>;
  /// Creates the level of accumulators that reduces `count` elements by lanes.
  BlockLevel lane_level(Sym count);
  /// Reduces elements [begin, end) of interleaved rows, each row into the lanes of its level, and finally merges the NaN lanes. May be
  /// called again for a level; its NaN lanes are then merged once more.
  virtual void lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body);
  /// Emits a loop in which lanes 0 … count - 1 of each row process the elements from `start` on.
  ir::Body lane_loop(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// Does the same as lane_loop() if there are fewer elements than lanes. A partial vector is masked if the machine has masks.
  ir::Body first_lanes(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// Tests whether one instruction can load the elements of a whole vector of lanes, which requires that they are contiguous.
  bool is_loaded_whole(const ir::UOp* read, const ir::Loop* lane) const;
  /// Tests whether a vector of the reduction's accumulators fills whole cache lines.
  bool fills_lines(const Node* reduce) const;
  /// Tests whether separate NaN lanes are faster for `count` elements.
  bool nan_lanes_pay(Sym count) const;
  /// Emits a loop in which all lanes process the elements from `start` on, with separate lanes for numbers and for NaN.
  ir::Body number_lanes(const BlockLevel& level, Sym start, const IndexAt& index_at);
  ir::ExtremeOfNumbers numbers_of(size_t r);

  // --- chain (reduce_columns.cpp)

  /// Emits statements that combine elements [begin, end) of a chain into level 0.
  using Elements = std::function<void(Sym begin, Sym end, ir::Body& body)>;
  /// Emits statements that reduce `together` whole blocks of a chain, interleaved, and combine them in order into level 1. The first of
  /// them has number `block`.
  struct WholeBlocks {
    int64_t together = 1;
    std::function<void(Sym block, ir::Body& body)> reduce = nullptr;
  };
  /// Reduces `count` elements as a chain. Each level has `width` accumulators, one for each column.
  void chain_blocks(const std::vector<BlockLevel>& levels, Sym count, Sym width, const Elements& elements, const WholeBlocks& whole,
                    ir::Body& body);
  void chain_level(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Sym width,
                   const Elements& elements, const WholeBlocks& whole, ir::Body& body);
  /// Combines the accumulators of all columns of a level into those of the next level.
  void carry_columns(const BlockLevel& from, const BlockLevel& to, Sym width, ir::Body& body);
  int chain_levels(const RowPass& pass) const;

  /// A tile: columns [start, start + width) of the last kept axis.
  struct Tile {
    Index outer_kept;
    Sym start, width;
    int64_t capacity;
  };
  bool is_whole_row(const Tile& tile) const { return kept_.empty() || (tile.start.is_constant(0) && tile.width == size(kept_.back())); }
  Index kept_at(const Tile& tile, Sym column) const;
  /// Makes the loop over tiles of the last kept axis. In each tile all passes run.
  ir::Body columns(const Index& outer_kept);
  ir::Body column_passes(const Index& outer_kept, Sym start, Sym width, int64_t capacity);
  ir::Body passes_over(const Tile& tile);
  /// Copies the elements that overlapping windows read to scratch memory, and makes later code read them there (for a depthwise
  /// convolution).
  void copy_windows(const Tile& tile, ir::Body& body);
  /// Returns the number of columns for which rows are combined: those of the tile, or more, so that they are whole vectors
  /// (reads_whole_vectors_). The results of further columns are not used.
  Sym columns_read(const Tile& tile) const;
  ir::Body chain_pass(const Tile& tile);
  /// Emits the loops that reduce rows [begin, end) into the columns of a level.
  virtual void reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, ir::Body& body);
  /// Each tags a loop and returns it: the loop over the columns of a row, with `together` vectors in a step, or the loop over the results
  /// of all columns.
  virtual ir::Body columns_of_row(ir::Loop* columns, int together);
  virtual ir::Body columns_of_results(ir::Loop* columns);
  /// Lowers a pass without reductions over the rows of a tile.
  ir::Body column_rows(const Tile& tile);
  /// Combines n rows (`row`, `row + distance`, …) into every column's accumulator.
  ir::Body rows(const Tile& tile, const BlockLevel& level, Sym row, int n, Sym distance = 1);
  /// Avoids 4-KiB aliasing between the accumulators of the level, which are stored to, and the rows that the loop `columns` inside the loop
  /// `row` loads, if these rows are whole pages.
  void avoid_page_aliasing(const Tile& tile, const BlockLevel& level, const ir::Loop* row, const ir::Loop* columns);

  // --- short rows: interleaved chains (reduce_short_rows.cpp)

  /// A chain: rows `first`, `first` + 1, … of the tile are combined into the accumulators of the level.
  struct Chain {
    Tile tile;
    BlockLevel level;
    Sym first = 0;
  };
  /// Returns how many chains of rows of `width` elements to interleave; 1: they are computed one after the other.
  int64_t interleaved_chains(const RowPass& pass, Sym width) const;
  /// Returns how many indices of the last kept axis but one to interleave. 1: none, or there is no such axis.
  int64_t interleaved_tiles() const;
  /// Reduces the tiles of interleaved indices of that axis.
  ir::Body reduce_interleaved_tiles(const Index& outer_kept, int64_t together);
  /// Reduces rows in any order, equal shares of them interleaved, into a level.
  void reduce_interleaved_shares(const Tile& tile, const BlockLevel& level, Sym count, int64_t together, ir::Body& body);
  /// Reduces `together` whole blocks of a chain, interleaved.
  WholeBlocks interleaved_blocks(const Tile& tile, const BlockLevel& next, Sym count);
  /// Emits loops that combine rows begin … end - 1 of each chain.
  void add_rows(std::span<const Chain> chains, Sym begin, Sym end, ir::Body& body);

  // --- software prefetches (reduce_prefetch.cpp)

  /// Returns how many rows ahead a pass without reductions prefetches; 0: it does not prefetch.
  int64_t prefetch_distance() const;
  /// Returns the tag of a loop over contiguous elements that prefetches later pages; none if the kernel does more than reduce.
  ir::LoopTags::Pages page_prefetches() const;
  /// Tests whether a pass with this step is limited by computation rather than by memory.
  bool is_compute_bound(const ir::Body& step);
  /// For a step of a compute-bound pass that begins at element `first`: adds to the step prefetches of what the kernel will soon load and
  /// store.
  void prefetch_while_computing(const Index& first, ir::Body& step);

  KernelContext& c_;
  ir::Arena& arena_;
  const Node& first_;
  const ReduceAttributes& attributes_;
  std::vector<size_t> kept_;           // kept axes of the source whose size is not 1
  std::vector<size_t> outer_, inner_;  // axes reduced as a chain, and axes reduced in lanes
  const RowPass* pass_ = nullptr;      // the pass being lowered
  std::vector<Results> results_;       // results of the passes so far
  int simd_width_;
  Accumulators accumulators_;
  RowValues rows_;
  std::optional<DeferredStores> deferred_;
  std::map<const Node*, Windows> windows_;  // operands that are read from a copy of their windows
  bool reads_whole_vectors_ = false;        // whether elements beyond the last column of a tile may be read, up to whole vectors
  bool in_nan_retry_ = false;               // whether the code being made is the body of a Retry
  int names_ = 0;
};

}  // namespace harp::lower
