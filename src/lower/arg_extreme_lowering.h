// Lowers ArgMax and ArgMin with one pass over the source. If the kernel also reduces the source by max or min, the same pass computes that
// extreme. There are two methods:
//
// along    (the reduced axis is contiguous) For each index of the kept axes, the reduced axis is split into blocks of several vectors.
//          Each lane compares the extreme of its elements of a block with its best value so far. If the new value is better, the lane
//          records the number of the block. At the end, the best value of all lanes is searched for in the first block that contains it.
// columns  (another axis is contiguous) The last kept axis is split into tiles. For each tile, rows are read one after the other, and each
//          column keeps its best element and the row number of that element.
//
// If the reduced axis is contiguous but short, and the schedule has vectors along the last kept axis, the second method is used on a copy
// of each tile, which is transposed: what are rows in memory are then the columns. Searching the lanes of a vector for the extreme of each
// short row would take longer.
//
// The comparisons are correct only for elements other than NaN. A running sum of all elements detects NaN: the sum is NaN if an element is
// NaN (or if there are infinities of both signs). Only in that case is the axis searched again for the first NaN.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ir/functions.h"
#include "lower/accumulate.h"
#include "lower/lower.h"

namespace harp::lower {

class ArgExtremeLowering {
 public:
  explicit ArgExtremeLowering(KernelContext& context);
  void run();

 protected:
  /// A long reduced axis is processed in pieces; this is the maximum number of blocks or rows of a piece. Within a piece, blocks or rows
  /// are numbered by i32, because a vector of i32 has as many lanes as a vector of f32.
  static constexpr int64_t kPiece = int64_t{1} << 30;

  // --- elements and their comparison ----------------------------------------------------------------------------------------

  /// Returns the source's element at `position`, which is its index along the kept axes (those that are not reduced), and index `at` along
  /// the reduced axis.
  const ir::UOp* element(const Index& position, Sym at) {
    return to_accumulator(arena_, source_, c_.values.value(&source_, index_in_source(position, at)));
  }
  Index index_in_source(const Index& position, Sym at) const {
    Index index(source_.shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position[i];
    index[along_] = at;
    return index;
  }
  bool has_nan() const { return is_float(dtype_); }
  const ir::UOp* is_better(const ir::UOp* best, const ir::UOp* x) {
    return arena_.apply(Op::kLt, DType::kBool, extreme_ == Op::kMax ? std::vector{best, x} : std::vector{x, best});
  }
  /// Returns the better of two values. If one is NaN, the function may return either; the running sum detects NaN afterwards. If they are
  /// zeros of opposite sign, the result has the correct sign only if the kernel also outputs the extreme itself. Callers select the index
  /// by is_better(a, b), whereas this function selects the value by is_better(b, a). If both used the same comparison, the compiler would
  /// compute it only once, and the select of the value would have to wait for its result.
  const ir::UOp* better_of(const ir::UOp* a, const ir::UOp* b) {
    if (!has_nan()) return arena_.apply(extreme_, dtype_, {a, b});
    if (c_.plan.reduces.size() == 1) return choose(is_better(b, a), a, b);
    return arena_.call(ir::build_extreme_of_numbers(arena_, extreme_, dtype_).extreme, {a, b});
  }
  const ir::UOp* plus(const ir::UOp* a, const ir::UOp* b) { return arena_.apply(Op::kAdd, a->type.dtype, {a, b}); }
  const ir::UOp* choose(const ir::UOp* condition, const ir::UOp* a, const ir::UOp* b) {
    return arena_.apply(Op::kWhere, a->type.dtype, {condition, a, b});
  }
  const ir::UOp* equal(const ir::UOp* a, const ir::UOp* b) { return arena_.apply(Op::kEq, DType::kBool, {a, b}); }
  const ir::UOp* is_nan(const ir::UOp* x) { return arena_.apply(Op::kIsNan, DType::kBool, {x}); }
  const ir::UOp* acc(int accumulator, Sym at) {
    return arena_.acc(c_.kernel.accumulators[static_cast<size_t>(accumulator)].type.dtype, accumulator, at);
  }
  const ir::UOp* number(DType dtype, Sym value) {
    return value.is_constant() ? arena_.constant(scalar_from_int(dtype, value.constant())) : arena_.cast(dtype, arena_.index(value));
  }

  std::string next_name() { return cat("ridx", names_++); }
  int new_accumulator(DType dtype, int64_t count, Op combine, Scalar init, ir::Body& body) {
    const int added = accumulators_.add(dtype, count, combine, init);
    body.push_back(declare_accumulator(arena_, added));
    return added;
  }
  /// Declares an accumulator of `count` elements, the best value so far of each column or lane; returns its index.
  int new_best(int64_t count, ir::Body& body) {
    return new_accumulator(dtype_, count, extreme_, accumulator_identity(c_.plan.reduces[0]->op, source_), body);
  }
  /// Declares an accumulator of `count` running sums, which detect NaN; returns its index, or -1 if no element can be NaN.
  int new_sum(int64_t count, ir::Body& body) {
    return has_nan() ? new_accumulator(dtype_, count, Op::kAdd, identity_of(Op::kSum, dtype_), body) : -1;
  }
  /// Declares an accumulator of `count` elements that are numbers of blocks or rows, one for each lane or column, initially 0. Returns the
  /// index of the accumulator.
  int new_numbers(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kAdd, scalar_from_int(dtype, 0), body);
  }
  /// Declares an accumulator of `count` elements for the smallest index found. The initial value, which means that there is none yet, is
  /// the largest value of the dtype (no_index()). Returns the index of the accumulator.
  int new_indices(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kMin, identity_of(Op::kReduceMin, dtype), body);
  }
  const ir::UOp* no_index(DType dtype) { return arena_.constant(identity_of(Op::kReduceMin, dtype)); }
  ir::Stmt* folded(int accumulator) {
    auto* s = arena_.statement<ir::AccFold>();
    s->accumulator = accumulator;
    return s;
  }
  /// Returns the number of lanes of loops that compute i64 results: lanes_ if the elements have 64 bits as well, otherwise half of lanes_.
  int64_t wide_lanes() const { return size_of(dtype_) == sizeof(int64_t) ? lanes_ : std::max<int64_t>(1, lanes_ / 2); }
  /// Emits a vectorised loop over lanes 0 … count - 1; visit(lane, statements) appends the statements of one lane.
  template <class Visit>
  void each_lane(int64_t count, ir::Body& body, Visit visit) {
    ir::Loop* lane = ir::new_loop(arena_, "lane", 0, count);
    visit(lane->variable, lane->body);
    add(vector_lanes(lane, static_cast<int>(std::min(count, lanes_))), body);
  }
  static ir::Body nested(const std::vector<ir::Loop*>& nest, ir::Body body) {
    for (size_t i = nest.size(); i-- > 0;) {
      nest[i]->body = std::move(body);
      body = {nest[i]};
    }
    return body;
  }
  static void add(const ir::Body& statements, ir::Body& body) { body.insert(body.end(), statements.begin(), statements.end()); }

  // --- along the axis --------------------------------------------------------------------------------------------------------

  /// A row of the source, and where its result is computed: the position of the row along the kept axes, and the accumulators that hold the
  /// row's best value (`best`) and the index of that value (`index`).
  struct Row {
    Index position;
    int best, index;
  };
  /// A vector of lanes that processes consecutive blocks of a row, starting with block `first`. The members best, block and sum are the
  /// numbers of accumulators: the best value of each lane, the block that contains this value, and the running sum (-1: none).
  struct LaneGroup {
    const Row* row;
    Sym first;
    int best, block, sum;
  };

  /// Returns the number of rows that are processed at the same time, each as a separate memory stream. These rows are at equal distances in
  /// memory.
  int64_t interleaved_rows() const;
  int64_t block_size() const { return vectors_ * lanes_; }
  ir::Body along_axis();
  ir::Body rows_along(const std::vector<Index>& positions);
  /// Returns a loop that processes the elements of each row one at a time, from index `begin` to the end.
  ir::Body one_by_one(const std::vector<Row>& rows, Sym begin);
  /// Compares element x with the best element of the row so far, and keeps the better one. Successive calls for a row must pass ascending
  /// indices.
  void update_best(const Row& row, const ir::UOp* x, const ir::UOp* index, ir::Body& body);
  ir::Body by_blocks(const std::vector<Row>& rows);
  /// Returns statements that process one piece of the reduced axis (kPiece): `blocks` blocks of each row, from block `first` on. If the
  /// axis has no other piece (`is_only`), they also process the elements after the last block, as a further block that overlaps the
  /// previous one. The blocks of a single row may be divided among several groups of lanes.
  ir::Body piece(const std::vector<Row>& rows, Sym first, Sym blocks, bool is_only);
  /// Processes one lane of a block. `at` is the start of the block plus `lane`; accumulator `counter` holds the number of the block.
  void visit_block(Sym at, const LaneGroup& group, int counter, Sym lane, ir::Body& body);
  /// Merges the results of `later` into those of `group`. Both process the same row, and all blocks of `later` come after those of `group`.
  void join(const LaneGroup& later, const LaneGroup& group, ir::Body& body);
  /// Finds the index of the best element: determines the best value of all lanes and the first block that contains it, and searches that
  /// block. If the axis has other pieces (not `is_only`), compares the element with the best one of the earlier pieces.
  ir::Body find_in_block(const LaneGroup& group, bool is_only);

  // --- by columns ------------------------------------------------------------------------------------------------------------

  /// Returns the loops over the kept axes (those that are not reduced); the last of these axes is divided into tiles.
  ir::Body tiles();

  /// A tile: indices start … start + width - 1, the columns, of the last axis that is not reduced. Its accumulators have space for
  /// `capacity` columns.
  struct Columns {
    Index outer;  // position along the kept axes except the last one
    Sym start, width;
    int64_t capacity;
    // The number of columns that are computed. In a copy these are all that there is space for, so that it is known at compile time.
    Sym computed;
    Index position(Sym column) const {
      Index position = outer;
      position.push_back(start + column);
      return position;
    }
  };
  /// Returns the tile's element in row `at`, from the copy of the tile if there is one.
  const ir::UOp* element_of_column(const Columns& tile, Sym column, Sym at);
  /// Tests whether each tile is copied, transposed.
  bool copies_tiles() const;
  /// Copies the tile, transposed, to copy_. Columns beyond the last one become 0.
  ir::Body copy_of(const Columns& tile);

  /// Emits a loop over the computed columns of the tile, with `together` vectors of `lanes` columns in a step; visit(column, statements)
  /// appends the statements of one column.
  template <class Visit>
  void each_column(const Columns& tile, int64_t lanes, ir::Body& body, Visit visit, int together = 1) {
    ir::Loop* column = ir::new_loop(arena_, "column", 0, tile.computed);
    visit(column->variable, column->body);
    add(vector_columns(column, static_cast<int>(lanes), together), body);
  }

  ir::Body columns(const Columns& tile);
  /// Sets the first value of this accumulator, which has an element for each column of the tile and was just declared at the end of the
  /// body. A tile has space for many columns, but if their number is unknown at compile time, there may be only a few, and a loop sets
  /// only those in use, rounded up to whole vectors. Returns the number of the accumulator.
  int set_columns(const Columns& tile, int accumulator, ir::Body& body);

  /// Returns statements that reduce rows begin … end - 1 of the tile into two new accumulators, best_ and index_. An index in index_ is a
  /// row number counted from `begin`. (Reading two halves of the rows as two memory streams would not be faster, because the accumulators
  /// of both streams would cause more memory traffic than the rows.)
  ir::Body rows_of_piece(const Columns& tile, Sym begin, Sym end);

  /// Adds the running sums of all columns of the tile. The result is NaN if some column contains a NaN.
  const ir::UOp* sum_of_columns(const Columns& tile, ir::Body& body);
  /// If the sums of the tile are NaN, replaces the results of each column that contains a NaN by the index of the first NaN and the value
  /// NaN.
  ir::Body columns_with_nan(const Columns& tile);

  // --- NaN, and results ------------------------------------------------------------------------------------------------------

  ir::Stmt* if_nan(const ir::UOp* sum, ir::Body then);
  ir::Body first_nan(const Row& row);
  /// If `first` is the index of a NaN, sets element `at` of accumulator `index` to it and element `at` of accumulator `best` to NaN.
  void replace_by_nan(const ir::UOp* first, int best, int index, Sym at, ir::Body& body);
  void store(const Index& position, const ir::UOp* index, const ir::UOp* best, ir::Body& body);

  KernelContext& c_;
  ir::Arena& arena_;
  Accumulators accumulators_;
  const Node& source_;
  Op extreme_;        // Max or Min
  DType dtype_;       // dtype in which elements are compared
  size_t along_ = 0;  // the reduced axis
  Sym count_ = 0;     // size of the reduced axis
  std::vector<size_t> kept_;
  int64_t lanes_ = 1, vectors_ = 0;  // lanes_: number of lanes of a vector; vectors_: number of vectors of a block
  int best_ = -1, index_ = -1;       // if columns are reduced: accumulators with each column's best value, and with its index
  int copy_ = -1, values_ = -1;      // if tiles are copied: the transposed copy, and the values of the tile if these are not just loaded
  // The accumulator of running sums, which has one sum for each column, or one sum for all rows that are processed at the same time.
  int sum_ = -1;
  int names_ = 0;
};

}  // namespace harp::lower
