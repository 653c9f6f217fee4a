// ArgMax and ArgMin in one walk over what they read, with the extreme itself if the kernel reduces that, too.
//
// along    for each kept index: the axis in blocks of several vectors. Of each block the extreme of every lane is compared with the best so
//          far, and where it is better the number of the block is kept, so that only the first block with the best of all lanes is looked
//          through again for the element.
// columns  for each tile of the last kept axis: rows stream past, and each column keeps its best element and the number of its row.
//
// Comparisons are for numbers. What is looked at is added up as well, beside them: only a sum that is NaN may have had one (or infinities
// of both signs), and only then is the axis gone through again, for the first NaN.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ir/functions.h"
#include "lower/accumulate.h"
#include "lower/lower.h"

namespace harp::lower {

class PlaceLowering {
 public:
  explicit PlaceLowering(KernelContext& context);
  void run();

 private:
  /// Blocks, or rows, that are numbered by an i32, which a vector of f32 has one of in each lane.
  static constexpr int64_t kPiece = int64_t{1} << 30;

  // --- elements and what is known of them ------------------------------------------------------------------------------------

  /// The element at a position of the kept axes and a place along the axis.
  const ir::UOp* element(const Index& position, Sym place) {
    Index index(source_.shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position[i];
    index[along_] = place;
    return to_accumulator(arena_, source_, c_.values.value(&source_, index));
  }
  bool has_nan() const { return is_float(dtype_); }
  const ir::UOp* is_better(const ir::UOp* best, const ir::UOp* x) {
    return arena_.apply(Op::kLt, DType::kBool, extreme_ == Op::kMax ? std::vector{best, x} : std::vector{x, best});
  }
  /// Of two numbers; of zeros the greater one only if the extreme itself is wanted, and anything of NaN, which may hide numbers: the sums
  /// tell of it. It compares the other way round than is_better(), so that nothing waits for that.
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
  /// Elements, of which the extreme is sought.
  int new_best(int64_t count, ir::Body& body) {
    return new_accumulator(dtype_, count, extreme_, accumulator_identity(c_.plan.reduces[0]->op, source_), body);
  }
  /// Of all that is looked at; -1 where nothing can be NaN.
  int new_sum(int64_t count, ir::Body& body) {
    return has_nan() ? new_accumulator(dtype_, count, Op::kAdd, identity_of(Op::kSum, dtype_), body) : -1;
  }
  /// Numbers of what was best, from 0 on.
  int new_numbers(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kAdd, scalar_from_int(dtype, 0), body);
  }
  /// Numbers of which the least is sought.
  int new_places(DType dtype, int64_t count, ir::Body& body) {
    return new_accumulator(dtype, count, Op::kMin, identity_of(Op::kReduceMin, dtype), body);
  }
  const ir::UOp* no_place(DType dtype) { return arena_.constant(identity_of(Op::kReduceMin, dtype)); }
  ir::Stmt* folded(int accumulator) {
    auto* s = arena_.statement<ir::AccFold>();
    s->accumulator = accumulator;
    return s;
  }
  /// Lanes of what computes with i64.
  int64_t wide_lanes() const { return size_of(dtype_) == sizeof(int64_t) ? lanes_ : std::max<int64_t>(1, lanes_ / 2); }
  /// visit(lane, statements) for lanes 0 … count - 1.
  template <class Visit>
  void each_lane(int64_t count, ir::Body& body, Visit visit) {
    ir::Loop* lane = ir::new_loop(arena_, "lane", 0, count);
    visit(lane->variable, lane->body);
    add(vector_lanes(arena_, lane, static_cast<int>(std::min(count, lanes_))), body);
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

  /// One result.
  struct Row {
    Index position;
    int best, place;
  };
  /// Lanes that go through blocks of a row, from block `first` on.
  struct Strand {
    const Row* row;
    Sym first;
    int best, block, sum;
  };

  /// So many rows are gone through side by side, each a share of all away from the next.
  int64_t rows_apart() const;
  int64_t block_size() const { return vectors_ * lanes_; }
  ir::Body along_axis();
  ir::Body rows_along(const std::vector<Index>& positions);
  /// Elements from `begin` on.
  ir::Body one_by_one(const std::vector<Row>& rows, Sym begin);
  /// An element that stands behind those seen so far.
  void take(const Row& row, const ir::UOp* x, const ir::UOp* place, ir::Body& body);
  ir::Body by_blocks(const std::vector<Row>& rows);
  /// So many blocks of each row, and what is left of the axis if they are all there are: that overlaps the block before. A single row may
  /// be several strands, each a share of its blocks.
  ir::Body piece(const std::vector<Row>& rows, Sym first, Sym blocks, bool is_only);
  /// The lane of the block that begins at `at` less the lane, whose number is in the counter.
  void visit_block(Sym at, const Strand& strand, int counter, Sym lane, ir::Body& body);
  /// `later` has seen blocks of the same row that are all behind those that `strand` has seen.
  void join(const Strand& later, const Strand& strand, ir::Body& body);
  /// Takes the element from the first block of those that have the best of all lanes; it is the result if there are no other pieces.
  ir::Body look_in_block(const Strand& strand, bool is_only);

  // --- by columns ------------------------------------------------------------------------------------------------------------

  /// Tiles of the last kept axis.
  ir::Body tiles();

  /// Columns start … start + width - 1 of the last kept axis; accumulators have room for more.
  struct Columns {
    Index outer;  // of the other kept axes
    Sym start, width;
    int64_t capacity;
    Index position(Sym column) const {
      Index position = outer;
      position.push_back(start + column);
      return position;
    }
  };
  /// visit(column, statements) for the columns of the tile, `together` vectors in a step.
  template <class Visit>
  void each_column(const Columns& tile, int64_t lanes, ir::Body& body, Visit visit, int together = 1) {
    ir::Loop* column = ir::new_loop(arena_, "column", 0, tile.width);
    visit(column->variable, column->body);
    const ir::Body loops =
        tile.width.is_constant(1) ? ir::unroll(arena_, column) : vector_columns(arena_, column, static_cast<int>(lanes), together);
    add(loops, body);
  }

  ir::Body columns(const Columns& tile);

  /// Into new `best_` and `place_`, which counts from the first row. (As two streams, each a share of the rows, these are no faster: what
  /// is kept of both is more than what is read.)
  ir::Body rows_of_piece(const Columns& tile, Sym begin, Sym end);

  /// Takes the places of NaN, if there may be one in the tile.
  ir::Body columns_with_nan(const Columns& tile);

  // --- NaN, and results ------------------------------------------------------------------------------------------------------

  ir::Stmt* if_nan(const ir::UOp* sum, ir::Body then);
  ir::Body first_nan(const Row& row);
  /// Sets the results of `at` to where the first NaN is, if there is one.
  void take_nan(const ir::UOp* first, int best, int place, Sym at, ir::Body& body);
  void store(const Index& position, const ir::UOp* place, const ir::UOp* best, ir::Body& body);

  KernelContext& c_;
  ir::Arena& arena_;
  Accumulators accumulators_;
  const Node& source_;
  Op extreme_;        // Max or Min
  DType dtype_;       // what elements are compared in
  size_t along_ = 0;  // the axis
  Sym count_ = 0;     // its elements
  std::vector<size_t> kept_;
  int64_t lanes_ = 1, vectors_ = 0;  // of a vector, of a block
  int best_ = -1, place_ = -1;       // of columns
  int sum_ = -1;                     // of these, or of all rows side by side
  int names_ = 0;
};

}  // namespace harp::lower
