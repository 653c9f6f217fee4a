// ArgMax and ArgMin in one walk over the source, together with the max or min itself if the kernel reduces it too.
//
// along    for each kept index: the axis in blocks of several vectors. Each lane compares the extreme of a block with its best so far and,
//          if the new one is better, records the number of the block. Afterwards only the first block that holds the best value of all
//          lanes is scanned again to find the element.
// columns  for each tile of the last kept axis: rows are read one after the other, and each column keeps its best element and the number
//          of its row.
//
// Comparisons assume numbers. A running sum of all elements detects NaN: it is NaN if an element is NaN (or if there are infinities of both
// signs). Only then is the axis searched again for the first NaN.
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
  /// Most blocks or rows in one piece of the axis. Within a piece they are numbered by i32, because a vector of i32 has as many lanes as
  /// one of f32.
  static constexpr int64_t kPiece = int64_t{1} << 30;

  // --- elements and their comparison ----------------------------------------------------------------------------------------

  /// The element at a position of the kept axes and an index along the reduced axis.
  const ir::UOp* element(const Index& position, Sym at) {
    Index index(source_.shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position[i];
    index[along_] = at;
    return to_accumulator(arena_, source_, c_.values.value(&source_, index));
  }
  bool has_nan() const { return is_float(dtype_); }
  const ir::UOp* is_better(const ir::UOp* best, const ir::UOp* x) {
    return arena_.apply(Op::kLt, DType::kBool, extreme_ == Op::kMax ? std::vector{best, x} : std::vector{x, best});
  }
  /// Returns the better of two non-NaN values. With zeros of opposite sign the sign is correct only if the kernel also outputs the extreme
  /// itself. With a NaN operand it may return either one; the running sum detects NaN afterwards. The operands of its comparison are
  /// exchanged: callers also compute is_better(a, b) for the index, and if both used the same comparison, this result would have to wait
  /// for that one.
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
  /// Declares the accumulators of the best element of each of `count` columns or lanes; returns their number.
  int new_best(int64_t count, ir::Body& body) {
    return new_accumulator(dtype_, count, extreme_, accumulator_identity(c_.plan.reduces[0]->op, source_), body);
  }
  /// Declares the accumulators of the running sums that detect NaN; -1 if no element can be NaN.
  int new_sum(int64_t count, ir::Body& body) {
    return has_nan() ? new_accumulator(dtype_, count, Op::kAdd, identity_of(Op::kSum, dtype_), body) : -1;
  }
  /// Declares the accumulators of the number of the best block or row, starting at 0.
  int new_numbers(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kAdd, scalar_from_int(dtype, 0), body);
  }
  /// Declares the accumulators of the smallest index.
  int new_indices(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kMin, identity_of(Op::kReduceMin, dtype), body);
  }
  const ir::UOp* no_index(DType dtype) { return arena_.constant(identity_of(Op::kReduceMin, dtype)); }
  ir::Stmt* folded(int accumulator) {
    auto* s = arena_.statement<ir::AccFold>();
    s->accumulator = accumulator;
    return s;
  }
  /// Returns the number of lanes of a vector if results are computed in i64: vectors of elements narrower than that need half the lanes.
  int64_t wide_lanes() const { return size_of(dtype_) == sizeof(int64_t) ? lanes_ : std::max<int64_t>(1, lanes_ / 2); }
  /// Emits visit(lane, statements) for lanes 0 … count - 1.
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

  /// One row of the source, which gives one result, and its accumulators.
  struct Row {
    Index position;
    int best, index;
  };
  /// A set of lanes that processes blocks of a row, starting with block `first`.
  struct LaneGroup {
    const Row* row;
    Sym first;
    int best, block, sum;
  };

  /// Returns the number of rows that are processed interleaved, each as a separate memory stream. The distances between these rows are
  /// equal.
  int64_t interleaved_rows() const;
  int64_t block_size() const { return vectors_ * lanes_; }
  ir::Body along_axis();
  ir::Body rows_along(const std::vector<Index>& positions);
  /// Processes elements one by one, from `begin` on.
  ir::Body one_by_one(const std::vector<Row>& rows, Sym begin);
  /// Compares an element with the best one so far. The element's index must be larger than all indices so far.
  void update_best(const Row& row, const ir::UOp* x, const ir::UOp* index, ir::Body& body);
  ir::Body by_blocks(const std::vector<Row>& rows);
  /// Processes `blocks` blocks of each row, from block `first` on. If this is the only piece of the axis (`is_only`), also processes the
  /// remainder of the axis, as a last block that overlaps the previous one. A single row may be processed by several groups of lanes, each
  /// with a share of its blocks.
  ir::Body piece(const std::vector<Row>& rows, Sym first, Sym blocks, bool is_only);
  /// Processes one lane of a block. `at` is the start of the block plus `lane`; `counter` holds the number of the block.
  void visit_block(Sym at, const LaneGroup& group, int counter, Sym lane, ir::Body& body);
  /// Merges the best elements of `later` into those of `group`. All blocks of `later` come after those of `group` in the same row.
  void join(const LaneGroup& later, const LaneGroup& group, ir::Body& body);
  /// Finds the element in the first block that has the best value of all lanes. With `is_only` that is the result, because the axis has no
  /// other pieces.
  ir::Body find_in_block(const LaneGroup& group, bool is_only);

  // --- by columns ------------------------------------------------------------------------------------------------------------

  /// Makes the loop over tiles of the last kept axis.
  ir::Body tiles();

  /// Columns start … start + width - 1 of the last kept axis. Accumulators have room for `capacity` columns.
  struct Columns {
    Index outer;  // position along the other kept axes
    Sym start, width;
    int64_t capacity;
    Index position(Sym column) const {
      Index position = outer;
      position.push_back(start + column);
      return position;
    }
  };
  /// Emits visit(column, statements) for the columns of the tile, with `together` vectors in a step.
  template <class Visit>
  void each_column(const Columns& tile, int64_t lanes, ir::Body& body, Visit visit, int together = 1) {
    ir::Loop* column = ir::new_loop(arena_, "column", 0, tile.width);
    visit(column->variable, column->body);
    add(vector_columns(column, static_cast<int>(lanes), together), body);
  }

  ir::Body columns(const Columns& tile);

  /// Reduces rows [begin, end) into new accumulators `best_` and `index_`; the index counts from row `begin`. (Two streams with half of the
  /// rows each are no faster: the accumulators of both take more memory traffic than the rows.)
  ir::Body rows_of_piece(const Columns& tile, Sym begin, Sym end);

  /// Replaces results by the index of the first NaN if the tile may contain one.
  ir::Body columns_with_nan(const Columns& tile);

  // --- NaN, and results ------------------------------------------------------------------------------------------------------

  ir::Stmt* if_nan(const ir::UOp* sum, ir::Body then);
  ir::Body first_nan(const Row& row);
  /// At position `at`, sets the results to the index of the first NaN, if there is one.
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
  int64_t lanes_ = 1, vectors_ = 0;  // lanes of a vector; vectors of a block
  int best_ = -1, index_ = -1;       // accumulators of the columns: the best element, and its index
  int sum_ = -1;                     // running sum of the columns, or of all concurrent rows
  int names_ = 0;
};

}  // namespace harp::lower
