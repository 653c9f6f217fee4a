// Reduce template: the two orders of the law (docs/semantics.md, "Sums"), written as loops over blocks and lanes. A row-wise kernel has
// several passes over the same rows (schedule/rowwise.cpp), one after the other for each row or tile of rows; a pass may be nothing but
// stores.
//
// lanes   for each kept index: blocks of 4,096 elements in 64 accumulators (the vector axis), folded by halving; block results go through
//         the same again. Axes outside the innermost run are a chain of such values. (reduce_lanes.cpp)
// chain   blocks of 256 elements, each one chain, block results by the same rule. The accumulators of a tile of the last kept axis lie
//         side by side (a row in L1, or registers when the tile is a few vectors) and are the vector axis; the reduced elements stream
//         past, several rows at a time. (reduce_columns.cpp)
//
// Where the order makes no difference (a maximum) there are no blocks.
//
// A level more than needed changes nothing (it adds the only block to an identity), so the number of levels comes from the bounds of the
// sizes. Nor need it cost a fold: a level says how many of its lanes it used, and one lane is its own fold.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "ir/functions.h"
#include "lower/late_stores.h"
#include "lower/row_values.h"
#include "lower/windows.h"

namespace harp::lower {

class ReduceLowering {
 public:
  explicit ReduceLowering(KernelContext& context);
  void run();

 private:
  Dim size(size_t axis) const { return first_.sources[0]->shape[axis]; }
  Shape sizes(const std::vector<size_t>& axes) const;
  std::string next_name() { return cat("ridx", names_++); }

  // --- accumulators: one a reduction of the pass and level (reduce.cpp)

  struct Level {
    std::vector<int> accumulators;  // parallel to pass_->reduces
    std::vector<int> nans = {};     // where NaN is found apart: half as many lanes, NaN or as they began; else none
  };
  Level new_level(int64_t count);
  void declare(const Level& level, ir::Body& body);
  void fold(const Level& level, std::optional<Sym> used, ir::Body& body);
  /// Where a pass leaves its results: in the accumulators of the last of its levels.
  struct Results {
    const RowPass* pass;
    Level level;
    size_t levels;
  };
  /// The reductions done so far are worth what stands in this element of their accumulators.
  void bind_results(Sym element);
  /// What `make` gives or, where the schedule watches, that by maxima which lose NaN and, where they do, once more.
  ir::Body watching(const std::function<ir::Body()>& make);
  const ir::UOp* result(const Results& done, size_t r, Sym element);
  /// element of `to` is combined with element of `from`, for every reduction.
  void carry(const Level& from, Sym from_element, const Level& to, Sym to_element, ir::Body& body);

  // --- elements, and passes over a row (reduce.cpp)

  /// Index of the source from the kept position and positions in the flattened outer and inner reduced axes.
  Index source_index(const Index& kept, Sym outer, Sym inner) const;
  /// What reduction `r` of the pass combines into its accumulator of the element at this index of the source: a value, or two factors.
  /// Where `mask` is false, what changes nothing.
  std::vector<const ir::UOp*> operands(size_t r, const Index& index, const ir::UOp* mask = nullptr);
  /// What the pass does with the element at this index of the source: kept, combined into `element` of the level, and stored; stored last,
  /// since it may take the place of what the others read (schedule/in_place.cpp). With a mask nothing is kept or stored.
  void visit(const Level& level, Sym element, const Index& index, ir::Body& body, const ir::UOp* mask = nullptr);
  /// The same with several elements, one after the other, and each accumulator set once.
  void visit_all(const Level& level, Sym element, const std::vector<Index>& indices, ir::Body& body);
  /// These passes over the row at this position of the kept axes.
  ir::Body passes(const Index& kept, std::span<const RowPass> all);
  /// A pass without reductions, over one row: loops over its axes, as few as they can be.
  ir::Body row_loops(const Index& kept);
  /// May what the pass reduces come in any order, with the same bits?
  bool is_free_of_order(const RowPass& pass) const;
  /// Levels of blocks for so many elements (levels_needed), one where the order is free.
  int levels_of(const RowPass& pass, Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt) const;

  // --- lanes (reduce_lanes.cpp)

  using IndexAt = std::function<Index(Sym inner)>;
  ir::Body lanes(const Index& kept);
  /// So many rows are gone through side by side, each a share of all away from the next; 1: one after the other.
  int64_t rows_apart() const;
  /// Each row is a stream of memory of its own.
  ir::Body lanes_of_rows_apart(const Index& outer_kept, int64_t together);
  /// The rows of the last kept axis, or of a share of the only one, each with all passes but the last: the next row does that.
  ir::Body late_rows(const Index& outer_kept);
  ir::Body lane_pass(const Index& kept);
  /// So many parts of each row are read side by side.
  int64_t parts_together() const;
  /// All elements of a row, in as many parts, into element 0 of the level.
  ir::Body parts_apart(const Level& level, Sym count, const Index& kept);
  /// Blocks from `begin` on, as long as there are enough before `end`, go into the lanes of a level. Gives the first that is left.
  Sym blocks_apart(const Level& blocks_of, Sym begin, Sym end, Sym elements, const IndexAt& index_at, ir::Body& body);
  /// Items [begin, end) of a level (elements at level 0, blocks of the level below above it) end up in element 0 of its accumulators.
  void lane_blocks(const std::vector<Level>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                   const IndexAt& index_at, ir::Body& body);
  using IndexOfRow = std::function<Index(size_t row, Sym inner)>;
  /// The level that so many elements of a row go into.
  Level lane_level(Sym count);
  /// Elements [begin, end) of rows side by side go into the lanes of a level each, and what NaN is found apart into them at the end. May be
  /// called again for a level, whose own NaN is then joined once more.
  void lane_block(std::span<const Level> rows, Sym begin, Sym end, const IndexOfRow& index_at, ir::Body& body);
  /// Lanes 0 … count - 1 of each take the elements from `start` on.
  ir::Body lane_loop(std::span<const Level> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// The same for fewer than all lanes: what does not fill a vector is one under a mask, where the machine has masks.
  ir::Body first_lanes(std::span<const Level> rows, Sym count, Sym start, const IndexOfRow& index_at);
  /// Is what the lanes read a vector in memory?
  bool is_loaded_whole(const ir::UOp* read, const ir::Loop* lane) const;
  /// Is a vector one of AVX-512?
  bool has_widest_vectors(const Node* reduce) const;
  /// Does it take less to find NaN apart?
  bool finds_nan_apart(Sym count) const;
  /// All lanes take the elements from `start` on, numbers and NaN apart.
  ir::Body number_lanes(const Level& level, Sym start, const IndexAt& index_at);
  ir::ExtremeOfNumbers numbers_of(size_t r);

  // --- chain (reduce_columns.cpp)

  /// Emits what combines elements [begin, end) of a chain into level 0.
  using Elements = std::function<void(Sym begin, Sym end, ir::Body& body)>;
  /// `count` elements as a chain; the accumulators of its levels are `width` wide.
  void chain_blocks(const std::vector<Level>& levels, Sym count, Sym width, const Elements& elements, ir::Body& body);
  void chain_level(const std::vector<Level>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end, Sym width,
                   const Elements& elements, ir::Body& body);
  int chain_levels(const RowPass& pass) const;

  /// Columns [start, start + width) of the last kept axis.
  struct Tile {
    const Index& outer_kept;
    Sym start, width;
    int64_t capacity;
  };
  bool is_whole_row(const Tile& tile) const { return kept_.empty() || (tile.start.is_constant(0) && tile.width == size(kept_.back())); }
  Index kept_at(const Tile& tile, Sym column) const;
  /// Tiles of the last kept axis, each with all passes.
  ir::Body columns(const Index& outer_kept);
  ir::Body column_passes(const Index& outer_kept, Sym start, Sym width, int64_t capacity);
  ir::Body passes_over(const Tile& tile);
  /// Overlapping windows are read from a copy of what they read together (a convolution of each channel by itself).
  void copy_windows(const Tile& tile, ir::Body& body);
  ir::Body chain_pass(const Tile& tile);
  /// A pass without reductions.
  ir::Body column_rows(const Tile& tile);
  /// Rows row, row + apart, … into every column, n of them.
  ir::Body rows(const Tile& tile, const Level& level, Sym row, int n, Sym apart = 1);
  /// Rows of whole pages are loaded while the level is stored to.
  void keep_apart(const Tile& tile, const Level& level, const ir::Loop* row);

  // --- what memory is asked for ahead of its use (reduce_prefetch.cpp)

  /// How many rows ahead the pass, one without reductions, asks for; 0: it does not.
  int64_t rows_ahead() const;
  /// The loop over contiguous elements, with a line of each array that it loads asked for from each page. Nothing is asked for where rows
  /// are shorter than half a page, and where more is done than to reduce.
  ir::Body asking_for_pages(ir::Loop* loop);
  /// Does memory wait for a pass with this step?
  bool takes_longer_than_memory(const ir::Body& step);
  /// `step`, of such a pass, from the element `first` on, asks for what comes next.
  void ask_while_computing(const Index& first, ir::Body& step);

  KernelContext& c_;
  ir::Arena& arena_;
  const Node& first_;
  const ReduceAttributes& attributes_;
  std::vector<size_t> kept_;           // axes of the source that stay and are not 1
  std::vector<size_t> outer_, inner_;  // reduced by chain, by lanes
  const RowPass* pass_ = nullptr;      // being lowered
  std::vector<Results> results_;       // of the passes so far
  int simd_width_;
  Accumulators accumulators_;
  RowValues rows_;
  std::optional<LateStores> late_;
  std::map<const Node*, Windows> windows_;  // operands that are read from copies
  bool watches_ = false;                    // what is made now is watched
  int names_ = 0;
};

}  // namespace harp::lower
