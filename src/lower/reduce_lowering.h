// The reduce template implements the two orders of docs/semantics.md ("Sums") as loops over blocks and lanes. A row-wise kernel makes
// several passes over the same rows (schedule/rowwise.cpp): all passes over one row, or one tile of rows, come before the next row or tile.
// A pass may consist of stores only.
//
// lanes   For each index of the kept axes (those that are not reduced), each block of 4,096 elements is reduced in 64 accumulators (the
//         vector axis), which are then folded by halving. The block results are reduced by the same rule. The elements are those of the
//         innermost run of adjacent reduced axes; if there are reduced axes before it, the results of the runs are combined one after the
//         other. (reduce_lanes.cpp)
// chain   Each block of 256 elements is one chain. The block results are combined by the same rule. The accumulators of a tile of the last
//         kept axis are contiguous (a row in L1, or registers if the tile is a few vectors) and are the vector axis. The rows of elements
//         are read one after the other, several in each step. (reduce_columns.cpp; chains of short rows: reduce_short_rows.cpp)
//
// In lanes order, vectors may instead run across the rows; they do if the schedule vectorises the last kept axis (reduce_lane_columns.cpp).
//
// If the order of the elements cannot affect the bits (as for a maximum), they are not divided into blocks.
//
// The number of levels of blocks is that for the largest size for which the variant of the kernel runs. For smaller sizes some levels are
// not needed; these change no bit, because they combine the only block with the identity. Such a level costs no fold either: it records how
// many of its lanes are in use, and a single lane needs no fold.
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
#include "lower/transposed_rows.h"
#include "lower/windows.h"

namespace harp::lower {

/// Implements the order that docs/semantics.md prescribes: levels, blocks, and how their results are combined. The way in which the lanes
/// of a block are executed depends on the machine: on a CPU they are vectors. A template for another machine overrides the virtual
/// functions (gpu/rows.h).
class ReduceLowering {
 public:
  explicit ReduceLowering(KernelContext& context);
  virtual ~ReduceLowering() = default;
  void run();

 protected:
  Dim size(size_t axis) const { return first_.sources[0]->shape[axis]; }
  Shape sizes(const std::vector<size_t>& axes) const;
  std::string next_name() { return cat("ridx", names_++); }

  // --- accumulators: one for each reduction of the pass, at each level of blocks (reduce.cpp)

  struct BlockLevel {
    std::vector<int> accumulators;  // indices of the accumulators, in the order of pass_->reduces
    // NaN lanes: indices of separate accumulators, with half as many elements, that only detect NaN. An element stays at its initial value
    // until a NaN is found, and is NaN afterwards. Empty if no NaN lanes are used.
    std::vector<int> nans = {};
  };
  virtual BlockLevel new_level(int64_t count);
  void declare(const BlockLevel& level, ir::Body& body);
  void fold(const BlockLevel& level, std::optional<Sym> used, ir::Body& body);
  /// Says where the results of a pass are: in the accumulators of `level`, which is the pass's highest level of blocks. `levels` is the
  /// number of levels, or 1 if the kernel also contains code without levels (may_be_one_block()).
  struct Results {
    const RowPass* pass;
    BlockLevel level;
    size_t levels;
  };
  /// For each reduction of the passes so far: makes later expressions read its result from element `element` of its accumulator.
  void bind_results(Sym element);
  /// Returns the statements that `make` returns. If the schedule detects NaN by the floating-point invalid flag, calls `make` twice: once
  /// for fast maxima, which ignore NaN, and once for exact maxima. The exact maxima are the body of a Retry statement, which runs only if
  /// the flag shows that a NaN was compared.
  ir::Body with_nan_retry(const std::function<ir::Body()>& make);
  const ir::UOp* result(const Results& done, size_t r, Sym element);
  /// Emits statements that combine, for every reduction of the pass, element `from_element` of the level `from` into element `to_element`
  /// of the level `to`.
  virtual void carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, ir::Body& body);

  // --- elements, and passes over a row (reduce.cpp)

  /// Returns an index in the reductions' source: `kept` is the index along the kept axes, and `outer` and `inner` are the positions in the
  /// flattened reduced axes outer_ and inner_.
  Index source_index(const Index& kept, Sym outer, Sym inner) const;
  /// Returns the values that reduction number `r` of the pass combines into its accumulator for the element at `index` of the source: one
  /// value, or the two factors of a product. Where `mask` is false, they are the identity.
  std::vector<const ir::UOp*> operands(size_t r, const Index& index, const ir::UOp* mask = nullptr);
  /// Emits what the pass does with the element at `index` of the source: keeps its row values (RowValues), combines it into element
  /// `element` of the level's accumulators, and stores its outputs. The stores come last, because they may overwrite memory that the other
  /// statements read (schedule/in_place.cpp). If there is a mask, nothing is kept or stored.
  void visit(const BlockLevel& level, Sym element, const Index& index, ir::Body& body, const ir::UOp* mask = nullptr);
  /// Emits the same as visit() for several elements one after the other, but sets each accumulator only once.
  void visit_all(const BlockLevel& level, Sym element, const std::vector<Index>& indices, ir::Body& body, const ir::UOp* mask = nullptr);
  /// Emits the passes `all` over the row at position `kept`, an index along the kept axes.
  ir::Body passes(const Index& kept, std::span<const RowPass> all);
  /// Ends a pass: afterwards expressions read the results of the pass, and the row values (RowValues) that it keeps, from accumulators.
  /// Also stores the outputs that depend only on the results.
  virtual void finish_pass(const RowPass& pass, const Index& kept, ir::Body& body);
  /// Returns the loops of a pass that has no reductions, for one row: a nest of loops over the row's axes, which are fused where possible.
  virtual ir::Body row_loops(const Index& kept);
  /// Returns the statements of row_loops() for the elements at the end of a row that do not fill a vector, as a masked vector, and shortens
  /// the loop `row` over the only axis of the row by them. Returns nothing, and leaves the loop unchanged, if that is impossible.
  /// `index` is the index of the row.
  ir::Body end_of_row(Index index, size_t axis, ir::Loop* row);
  /// Tests whether the order of the elements affects no bit of any reduction of the pass.
  bool is_free_of_order(const RowPass& pass) const;
  /// Returns the number of levels of blocks for `count` elements (levels_needed()); 1 if the elements may be combined in any order.
  int levels_of(const RowPass& pass, Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt) const;

  /// Returns the cost of all operations of the kernel for one element of the source, in the units of the cost column of ops.def.
  int64_t cost_of_element() const;

  // --- lanes (reduce_lanes.cpp)

  using IndexAt = std::function<Index(Sym inner)>;
  ir::Body lanes(const Index& kept);
  /// Returns how many rows are processed at the same time. These rows are at equal distances in memory. 1: rows are processed one after the
  /// other.
  int64_t interleaved_rows() const;
  /// Returns the index at position `at` of stream number `stream`, if `count` indices of an axis are divided into streams of `share`
  /// consecutive indices. The last streams may have fewer indices; for a position beyond the end of such a stream, returns the index at the
  /// same position of the first stream.
  static Sym index_of_stream(int64_t stream, Sym at, Sym share, Sym count);
  /// Processes interleaved rows, each a separate memory stream.
  ir::Body reduce_interleaved_rows(const Index& outer_kept, int64_t together);
  /// Processes the rows along the last kept axis with deferred stores (deferred_stores.h): the stores of the last pass over a row are
  /// executed during a pass over the next row. If there is no other kept axis (axis that is not reduced), the rows are divided into shares
  /// for the threads, and stores are not deferred beyond the end of a share.
  ir::Body rows_with_deferred_stores(const Index& outer_kept);
  ir::Body lane_pass(const Index& kept);
  /// Returns the number of parts into which each row is divided; the parts are read at the same time, as separate memory streams.
  int64_t parts_together() const;
  /// Reduces a row, which is read in parts_together() parts at the same time, into element 0 of the level's accumulators.
  ir::Body reduce_row_parts(const BlockLevel& level, Sym count, const Index& kept);
  /// Reduces blocks of elements, from block `begin` on, into the lanes of the level `blocks_of`. Several blocks are processed at the same
  /// time, as long as enough blocks are left before `end`. Returns the index of the first block that is left.
  Sym reduce_interleaved_blocks(const BlockLevel& blocks_of, Sym begin, Sym end, Sym elements, const IndexAt& index_at, ir::Body& body);
  /// Reduces items [begin, end) of a level into element 0 of its accumulators. At level 0 the items are elements, at higher levels the
  /// results of blocks of the level below.
  void lane_blocks(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                   const IndexAt& index_at, ir::Body& body);
  using IndexOfRow = std::function<Index(size_t row, Sym inner)>;
  /// Creates a level whose accumulators have lanes_of() elements, one for each lane, for a reduction of `count` elements, and NaN lanes if
  /// nan_lanes_pay().
  BlockLevel lane_level(Sym count, bool has_nan_lanes);
  /// Returns the number of lanes that reduce a block of `count` elements: 64, or, on a CPU, fewer if the number of elements is known to be
  /// at most 32, so that half of the lanes would only have the identity. Combining a value with the identity changes no bit.
  int64_t lanes_of(Sym count) const;
  /// Reduces elements [begin, end) of several rows at the same time, each row into the lanes of its level, and then merges the NaN lanes
  /// (accumulators that only detect NaN) into the other lanes. May be called again for the same levels; the NaN lanes, which still contain
  /// what they found, are then merged again.
  virtual void lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body);
  /// Rows of the elements that a level combines: the element at position p is in row (p + offset) // length, at column (p + offset) %
  /// length. An operand is broadcast, transposed or masked along these rows, or is a reshape of such a value. As functions of row and
  /// column, the positions of all loads are linear along a row; as functions of p, they contain divisions. If the length is 0, no element
  /// is in a row.
  struct ElementRows {
    Sym length, offset;
  };
  /// Returns the rows of elements [begin, end), or nothing if no load needs a division, or if there are no such rows.
  std::optional<ElementRows> rows_of_elements(Sym begin, Sym end, const IndexAt& index_at);
  /// Two implementations of lane_block(). by_steps: each step combines the next element of every lane. by_rows: processes one of the rows
  /// `rows` (ElementRows) after the other, so that no element needs a division; requires a single level, and rows that are not empty.
  void lane_block_by_steps(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body);
  void lane_block_by_rows(const BlockLevel& level, const ElementRows& rows, Sym begin, Sym end, const IndexAt& index_at, ir::Body& body);
  /// Emits a loop over lanes 0 … count - 1, in which each lane of each row processes one of the elements from `start` on.
  ir::Body lane_loop(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// Tests whether the end of a row that does not fill a vector may be a masked vector (masked_end.h).
  bool may_mask_ends() const;
  /// Tests whether the end of a row of `count` elements may be vectors with masked loads, on a machine without masks of arithmetic.
  bool may_mask_loads(Sym count) const;
  /// Like lane_loop(), for fewer elements than there are lanes. A partial vector is masked if the machine has masks.
  ir::Body first_lanes(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// Tests whether a reduction of `count` elements is faster with separate NaN lanes (accumulators that only detect NaN). Levels with NaN
  /// lanes are never processed by rows of elements (lane_block_by_rows()).
  bool nan_lanes_pay(Sym count, const IndexAt& index_at);
  /// Emits loops in which all 64 lanes process the elements from `start` on: lanes for the max or min of the elements other than NaN, and
  /// NaN lanes, which only detect NaN.
  ir::Body number_lanes(const BlockLevel& level, Sym start, const IndexAt& index_at);
  ir::ExtremeOfNumbers numbers_of(size_t r);

  // --- chain (reduce_columns.cpp)

  /// A function that emits statements which combine the elements [begin, end) of a chain, in index order, with the accumulators of level 0
  /// (a level combines the results of the blocks of the level below it; level 0 combines elements).
  using Elements = std::function<void(Sym begin, Sym end, ir::Body& body)>;
  /// A function that emits statements which reduce the whole blocks `block` … `block` + `together` - 1 of a chain, interleaved, and combine
  /// their results in order into level 1.
  struct WholeBlocks {
    int64_t together = 1;
    std::function<void(Sym block, ir::Body& body)> reduce = nullptr;
  };
  /// Reduces `count` elements as a chain. Each level has `width` accumulators, one for each column.
  void chain_blocks(const std::vector<BlockLevel>& levels, Sym count, Sym width, const Elements& elements, const WholeBlocks& whole,
                    ir::Body& body);
  /// Reduces items [begin, end) of a level into its accumulators: elements at level 0, else the results of blocks of the level below.
  /// chain_level also declares these accumulators; chain_items requires that they are declared.
  void chain_level(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Sym width,
                   const Elements& elements, const WholeBlocks& whole, ir::Body& body);
  void chain_items(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Sym width,
                   const Elements& elements, const WholeBlocks& whole, ir::Body& body);
  /// Combines the accumulators of all columns of a level into those of the next level.
  void carry_columns(const BlockLevel& from, const BlockLevel& to, Sym width, ir::Body& body);
  int chain_levels(const RowPass& pass) const;
  /// Declares the accumulators of a level, and sets those of the columns in use to their initial values (columns_set_).
  void declare_columns(const BlockLevel& level, ir::Body& body);

  /// A tile: columns [start, start + width) of the last kept axis (an axis that is not reduced). Its accumulators have space for `capacity`
  /// columns.
  struct Tile {
    Index outer_kept;
    Sym start, width;
    int64_t capacity;
  };
  bool is_whole_row(const Tile& tile) const { return kept_.empty() || (tile.start.is_constant(0) && tile.width == size(kept_.back())); }
  Index kept_at(const Tile& tile, Sym column) const;
  /// Returns a loop over the tiles of the last kept axis, in which all passes are executed for each tile.
  ir::Body columns(const Index& outer_kept);
  ir::Body column_passes(const Index& outer_kept, Sym start, Sym width, int64_t capacity);
  ir::Body passes_over(const Tile& tile);
  /// Returns the most elements of the rows if they are so short that the passes over a tile of them use transposed copies.
  std::optional<int64_t> elements_of_transposed(const Tile& tile) const;
  /// If operands of the pass are overlapping windows of an array (as in a depthwise convolution), copies the array's elements for this tile
  /// to scratch memory; later code of the pass reads the copy.
  void copy_windows(const Tile& tile, ir::Body& body);
  /// Returns the number of columns for which rows are combined: those of the tile, or, if reads_whole_vectors_ is true, these rounded up to
  /// whole vectors. The results of the additional columns are not used.
  Sym columns_read(const Tile& tile) const;
  ir::Body chain_pass(const Tile& tile);
  /// Tests whether only the accumulators of the columns in use get initial values. A tile has space for many columns, but if their number
  /// is unknown at compile time, there may be only a few, and setting all accumulators would take longer than the sums.
  bool sets_columns_in_use(const Tile& tile) const;
  /// Tests whether additional code is generated for sums of products of at most one block of elements: code without levels of blocks. (The
  /// code that reduces the elements is then generated twice. This is acceptable because it is short for sums of products.)
  bool may_be_one_block(Sym count) const;
  /// Emits the loops that reduce rows [begin, end) of the source into the columns of a level.
  virtual void reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, ir::Body& body);
  /// Each of these two functions sets the tags of a loop and returns the loop. columns_of_row: for a loop over the columns of a row, with
  /// `together` vectors in a step. columns_of_results: for the loop that stores the results of all columns.
  virtual ir::Body columns_of_row(ir::Loop* columns, int together);
  virtual ir::Body columns_of_results(ir::Loop* columns);
  /// Returns the loops of a pass that has no reductions, for one tile: a loop over rows around a loop over columns.
  ir::Body column_rows(const Tile& tile);
  /// Returns a loop over columns that combines the elements of n rows (`row`, `row + distance`, …) into the accumulator of each column. The
  /// accumulator of the tile's first column is element `first` of the level's accumulators.
  ir::Body rows(const Tile& tile, const BlockLevel& level, Sym row, int n, Sym distance = 1, Sym first = 0);
  /// A function that emits the statements for one column of a tile. If there is a mask, it is false where the column does not exist.
  using ColumnStatements = std::function<void(Sym column, const ir::UOp* mask, ir::Body& body)>;
  /// Returns a loop over columns that executes the statements for each of them, with `together` vectors in a step.
  ir::Body each_column(const Tile& tile, int together, const ColumnStatements& statements);
  /// Tests whether the columns after the last whole vector of a row may be combined as a masked vector. Otherwise they are combined one by
  /// one; in a short row they may be all columns. Returns false unless the number of columns is unknown at compile time, or vectors run
  /// across rows in lanes order.
  bool may_mask_rest(const Tile& tile) const;

  // --- values of columns for later passes (reduce_column_values.cpp)

  /// Emits the loops that compute the column values which the results of the current pass complete. Makes later expressions read them from
  /// arrays, until release_column_values().
  void keep_column_values(const Tile& tile, ir::Body& body);
  void release_column_values();
  /// Tests whether the node is computed from complete results of passes, for each column, at some cost.
  bool is_column_value(const Node* value) const;

  // --- short rows: interleaved chains (reduce_short_rows.cpp)

  /// One chain: rows `first`, `first` + 1, … of the tile, which are combined one after the other into the accumulators of the level.
  struct Chain {
    Tile tile;
    BlockLevel level;
    Sym first = 0;
  };
  /// Returns how many chains of rows of `width` elements to interleave; 1: they are computed one after the other.
  int64_t interleaved_chains(const RowPass& pass, Sym width) const;
  /// Returns how many indices of the second-to-last kept axis (axis that is not reduced) are interleaved; 1: none, or there is no such
  /// axis.
  int64_t interleaved_tiles() const;
  /// Reduces the tiles for all indices of the second-to-last kept axis, `together` interleaved indices at a time.
  ir::Body reduce_interleaved_tiles(const Index& outer_kept, int64_t together);
  /// Divides `count` rows into `together` equal shares, and combines the rows of all shares, interleaved, into the accumulators of a level.
  /// Requires that the rows may be combined in any order.
  void reduce_interleaved_shares(const Tile& tile, const BlockLevel& level, Sym count, int64_t together, ir::Body& body);
  /// Returns the number of whole blocks of a chain that are reduced interleaved, and the function that emits the statements for them.
  /// `next` is level 1, into which the results of the blocks are combined.
  WholeBlocks interleaved_blocks(const Tile& tile, const BlockLevel& next, Sym count);
  /// Emits loops that combine rows begin … end - 1 of each chain.
  void add_rows(std::span<const Chain> chains, Sym begin, Sym end, ir::Body& body);

  // --- lanes of columns (reduce_lane_columns.cpp)

  /// Tests whether the reduction is in lanes order, but its vectors run across rows, along the last kept axis (axis that is not reduced).
  bool has_lane_columns() const;
  /// lanes: the number of lanes of each column. set: the number of columns whose accumulators are set and folded: those of the tile,
  /// rounded up to whole vectors if the tile has space for them. The results of the additional columns are not used.
  struct LaneColumns {
    int64_t lanes;
    Sym set;
  };
  ir::Body lane_columns_pass(const Tile& tile);
  /// The same for a known number of elements, in groups of lanes (schedule/lane_groups.h).
  ir::Body lane_groups_pass(const Tile& tile, int64_t count);
  /// Reduces items [begin, end) of a level into lane 0 of each column: elements at level 0, else the results of blocks of the level below.
  void lane_column_blocks(const Tile& tile, const LaneColumns& columns, const std::vector<BlockLevel>& levels,
                          const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, ir::Body& body);
  /// Combines elements [begin, end) of each column into its lanes.
  void lane_column_elements(const Tile& tile, const LaneColumns& columns, const BlockLevel& level, Sym begin, Sym end, ir::Body& body);

  // --- software prefetches (reduce_prefetch.cpp)

  /// Returns the prefetch distance, in rows, of a pass without reductions; 0: the pass does not prefetch.
  int64_t prefetch_distance() const;
  /// Tests whether the current pass, whose step consists of the statements `step`, is limited by computation rather than by memory.
  bool is_compute_bound(const ir::Body& step);
  /// Adds prefetches to `step`, a step of a compute-bound pass that begins at the element with source index `first`. They fetch the memory
  /// that the kernel will soon load and store.
  void prefetch_while_computing(const Index& first, ir::Body& step);

  KernelContext& c_;
  ir::Arena& arena_;
  const Node& first_;
  const ReduceAttributes& attributes_;
  std::vector<size_t> kept_;           // kept axes of the source (those that are not reduced) whose size is not 1
  std::vector<size_t> outer_, inner_;  // reduced axes: those that are reduced as a chain, and those that are reduced in lanes
  const RowPass* pass_ = nullptr;      // the pass that is being lowered
  std::vector<Results> results_;       // one entry for each pass lowered so far: where its results are
  int simd_width_;
  Accumulators accumulators_;
  RowValues rows_;
  std::optional<DeferredStores> deferred_;
  std::optional<TransposedRows> transposed_;  // if set, the passes over a tile of short rows use transposed copies
  std::vector<const Node*> column_values_;    // column values that are in arrays so far
  std::map<const Node*, Windows> windows_;    // operands that are read from a copy of their windows
  bool reads_whole_vectors_ = false;          // whether elements beyond the last column of a tile may be read, up to whole vectors
  // If set, accumulators of columns are declared without initial values, and loops set the first *columns_set_ elements of each.
  std::optional<Sym> columns_set_;
  bool masks_columns_ = false;  // whether the current mask depends only on the column (the mask is true if the column exists)
  bool in_nan_retry_ = false;   // whether the code being generated is the body of a Retry statement (with_nan_retry())
  int names_ = 0;
};

}  // namespace harp::lower
