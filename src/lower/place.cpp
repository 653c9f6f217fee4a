// ArgMax and ArgMin in one walk over what they read, with the extreme itself if the kernel reduces that, too.
//
// along    for each kept index: the axis in blocks of several vectors. Of each block the extreme of every lane is compared with the best so
//          far, and where it is better the number of the block is kept, so that only the first block with the best of all lanes is looked
//          through again for the element.
// columns  for each tile of the last kept axis: rows stream past, and each column keeps its best element and the number of its row.
//
// Comparisons skip NaN. What is looked at is added up as well, beside them: only a sum that is NaN may have had one (or infinities of both
// signs), and only then is the axis gone through again, for the first NaN.
#include <algorithm>
#include <bit>
#include <limits>

#include "ir/functions.h"
#include "lower/accumulate.h"
#include "lower/lower.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kBlockVectors = 4;
/// Blocks, or rows, that are numbered by an i32, which a vector of f32 has one of in each lane.
constexpr int64_t kPiece = int64_t{1} << 30;

class PlaceLowering {
 public:
  explicit PlaceLowering(KernelContext& context)
      : c_(context),
        arena_(context.arena),
        accumulators_(context.kernel),
        source_(*context.plan.reduces[0]->sources[0]),
        extreme_(combine_of(context.plan.reduces[0]->op)),
        dtype_(is_bool(source_.dtype) ? DType::kI32 : working_dtype(source_.dtype)) {
    const size_t along = static_cast<size_t>(context.plan.reduces[0]->as<ReduceAttributes>().axes[0]);
    for (size_t axis = 0; axis < source_.shape.size(); ++axis)
      if (axis == along)
        along_ = axis;
      else if (!source_.shape[axis].is_constant(1))
        kept_.push_back(axis);
    count_ = source_.shape[along_];
    for (const AxisSchedule& a : c_.schedule.axes) lanes_ = std::max<int64_t>(lanes_, a.simd_width);
  }

  void run() {
    const bool by_columns = c_.plan.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain && !kept_.empty();
    Body body = by_columns ? tiles() : along_axis();
    const bool threads = !c_.schedule.axes.empty() && c_.schedule.axes[0].kind == AxisKind::kThread;
    if (threads && body.size() == 1 && body[0]->kind == StmtKind::kLoop) body[0]->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  // --- elements and what is known of them ------------------------------------------------------------------------------------

  /// The element at a position of the kept axes and a place along the axis.
  const UOp* element(const Index& position, Sym place) {
    Index index(source_.shape.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position[i];
    index[along_] = place;
    return arena_.cast(dtype_, c_.values.value(&source_, index));
  }
  bool has_nan() const { return is_float(dtype_); }
  const UOp* is_better(const UOp* best, const UOp* x) {
    return arena_.apply(Op::kLt, DType::kBool, extreme_ == Op::kMax ? std::vector{best, x} : std::vector{x, best});
  }
  /// Of two numbers; of zeros the greater one only if the extreme itself is wanted. NaN that comes second changes nothing.
  const UOp* better_of(const UOp* a, const UOp* b) {
    if (!has_nan()) return arena_.apply(extreme_, dtype_, {a, b});
    if (c_.plan.reduces.size() == 1) return choose(is_better(a, b), b, a);
    return arena_.call(build_extreme_of_numbers(arena_, extreme_, dtype_).extreme, {a, b});
  }
  const UOp* plus(const UOp* a, const UOp* b) { return arena_.apply(Op::kAdd, a->type.dtype, {a, b}); }
  const UOp* choose(const UOp* condition, const UOp* a, const UOp* b) { return arena_.apply(Op::kWhere, a->type.dtype, {condition, a, b}); }
  const UOp* equal(const UOp* a, const UOp* b) { return arena_.apply(Op::kEq, DType::kBool, {a, b}); }
  const UOp* is_nan(const UOp* x) { return arena_.apply(Op::kIsNan, DType::kBool, {x}); }
  const UOp* acc(int accumulator, Sym at) {
    return arena_.acc(c_.kernel.accumulators[static_cast<size_t>(accumulator)].type.dtype, accumulator, at);
  }
  const UOp* number(DType dtype, Sym value) {
    return value.is_constant() ? arena_.constant(scalar_from_int(dtype, value.constant())) : arena_.cast(dtype, arena_.index(value));
  }

  std::string next_name() { return cat("ridx", names_++); }
  int new_accumulator(DType dtype, int64_t count, Op combine, Scalar init, Body& body) {
    const int added = accumulators_.add(dtype, count, combine, init);
    body.push_back(declare_accumulator(arena_, added));
    return added;
  }
  int new_best(int64_t count, Body& body) {
    const Op reduce = extreme_ == Op::kMax ? Op::kReduceMax : Op::kReduceMin;
    return new_accumulator(dtype_, count, extreme_, identity_of(reduce, dtype_), body);
  }
  int new_sum(int64_t count, Body& body) {
    return has_nan() ? new_accumulator(dtype_, count, Op::kAdd, identity_of(Op::kSum, dtype_), body) : -1;
  }
  /// Numbers of what was best, from 0 on.
  int new_numbers(DType dtype, int64_t count, Body& body) {
    return new_accumulator(dtype, count, Op::kAdd, scalar_from_int(dtype, 0), body);
  }
  /// Numbers of which the least is sought.
  int new_places(DType dtype, int64_t count, Body& body) {
    return new_accumulator(dtype, count, Op::kMin, identity_of(Op::kReduceMin, dtype), body);
  }
  const UOp* no_place(DType dtype) { return arena_.constant(identity_of(Op::kReduceMin, dtype)); }
  Stmt* folded(int accumulator) {
    Stmt* s = arena_.statement(StmtKind::kAccFold);
    s->accumulator = accumulator;
    return s;
  }
  /// visit(lane, statements) for lanes 0 … count - 1.
  template <class Visit>
  void each_lane(int64_t count, Body& body, Visit visit) {
    Stmt* lane = new_loop(arena_, "lane", 0, count);
    visit(lane->variable, lane->body);
    add(vector_lanes(arena_, lane, static_cast<int>(lanes_)), body);
  }
  static Body nested(const std::vector<Stmt*>& nest, Body body) {
    for (size_t i = nest.size(); i-- > 0;) {
      nest[i]->body = std::move(body);
      body = {nest[i]};
    }
    return body;
  }
  static void add(const Body& statements, Body& body) { body.insert(body.end(), statements.begin(), statements.end()); }

  // --- along the axis --------------------------------------------------------------------------------------------------------

  /// One result, and what has been added up for it.
  struct Row {
    Index position;
    int best, place, sum;
  };
  /// Lanes that go through blocks of a row, from block `first` on.
  struct Strand {
    const Row* row;
    Sym first;
    int best, block, sum;
  };

  /// So many rows are gone through side by side, each a share of all away from the next.
  int64_t rows_apart() const {
    return kept_.empty() || !proven_nonnegative(count_ - block_size()) ? 1 : c_.schedule.axes[kept_.size() - 1].unroll;
  }
  int64_t block_size() const { return vectors_ * lanes_; }

  Body along_axis() {
    const int64_t most = count_.is_constant() ? count_.constant() / lanes_ : kBlockVectors;
    vectors_ = std::min(kBlockVectors, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most))));
    const int64_t apart = vectors_ == 0 ? 1 : rows_apart();
    std::vector<Index> positions(static_cast<size_t>(apart));
    std::vector<Stmt*> nest;
    for (size_t i = 0; i < kept_.size(); ++i) {
      const Sym count = source_.shape[kept_[i]], share = i + 1 == kept_.size() ? ceil_div(count, apart) : count;
      nest.push_back(new_loop(arena_, cat("oidx", i), 0, share));
      for (size_t row = 0; row < positions.size(); ++row) {
        // Where the last rows of some shares are not there the first share's is looked at once more.
        const Sym ahead = i + 1 == kept_.size() ? share * static_cast<int64_t>(row) : Sym(0);
        const Sym exists = proven_at_most(ahead + share, count) ? Sym(1) : min(max(count - ahead - nest.back()->variable, 0), 1);
        positions[row].push_back(nest.back()->variable + ahead * exists);
      }
    }
    return nested(nest, rows_along(positions));
  }

  Body rows_along(const std::vector<Index>& positions) {
    Body body;
    std::vector<Row> rows;
    for (const Index& position : positions) {
      const int best = new_best(1, body), place = new_numbers(DType::kI64, 1, body);
      rows.push_back({position, best, place, new_sum(1, body)});
    }
    if (vectors_ == 0) {
      add(one_by_one(rows, 0), body);
    } else if (const Sym enough = count_ - block_size(); proven_nonnegative(enough)) {
      add(by_blocks(rows), body);
    } else {
      body.push_back(new_if(arena_, enough, by_blocks(rows), one_by_one(rows, 0)));
    }
    for (const Row& row : rows) {
      if (has_nan()) body.push_back(if_nan(acc(row.sum, 0), first_nan(row)));
      store(row.position, acc(row.place, 0), acc(row.best, 0), body);
    }
    return body;
  }

  Body one_by_one(const std::vector<Row>& rows, Sym begin) {
    Stmt* loop = new_loop(arena_, next_name(), begin, count_);
    for (const Row& row : rows) {
      const UOp* x = element(row.position, loop->variable);
      take(row, x, arena_.index(loop->variable), loop->body);
      if (has_nan()) loop->body.push_back(update_accumulator(arena_, row.sum, 0, x));
    }
    return {loop};
  }
  /// An element that stands behind those seen so far.
  void take(const Row& row, const UOp* x, const UOp* place, Body& body) {
    const UOp* best = acc(row.best, 0);
    body.push_back(set_accumulator(arena_, row.place, 0, choose(is_better(best, x), place, acc(row.place, 0))));
    body.push_back(set_accumulator(arena_, row.best, 0, better_of(best, x)));
  }

  Body by_blocks(const std::vector<Row>& rows) {
    const Sym blocks = floor_div(count_, block_size());
    if (proven_at_most(blocks, kPiece)) return piece(rows, 0, blocks, true);
    Stmt* pieces = new_loop(arena_, "piece", 0, ceil_div(blocks, kPiece));
    const Sym first = pieces->variable * kPiece;
    pieces->body = piece(rows, first, min(blocks - first, kPiece), false);
    Body body = {pieces};
    if (!mod(count_, block_size()).is_constant(0)) add(one_by_one(rows, blocks * block_size()), body);
    return body;
  }

  /// So many blocks of each row, and what is left of the axis if they are the last ones: that overlaps the block before. A single row may
  /// be several strands, each a share of its blocks.
  Body piece(const std::vector<Row>& rows, Sym first, Sym blocks, bool is_last) {
    const int64_t parts = rows.size() > 1 ? 1 : c_.schedule.axes.back().unroll;
    const Sym share = floor_div(blocks, parts);  // what is left is the last strand's
    Body body;
    std::vector<Strand> strands;
    for (const Row& row : rows)
      for (int64_t i = 0; i < parts; ++i) {
        const int best = new_best(lanes_, body), block = new_numbers(DType::kI32, lanes_, body);
        strands.push_back({&row, first + share * i, best, block, new_sum(lanes_, body)});
      }
    // Blocks are counted in the lanes: to bring a number there takes longer.
    const int counter = new_numbers(DType::kI32, lanes_, body);
    const auto block = [&](Sym start, const Strand& strand, Body& into) {
      each_lane(lanes_, into, [&](Sym lane, Body& statements) { visit_block(start + lane, strand, counter, lane, statements); });
    };
    const auto blocks_of = [&](std::span<const Strand> some, Sym begin, Sym end) {
      if (proven_at_most(end, begin)) return;
      Stmt* loop = new_loop(arena_, next_name(), begin * block_size(), end * block_size());
      loop->step = block_size();
      for (const Strand& strand : some) block(strand.first * block_size() + loop->variable, strand, loop->body);
      each_lane(lanes_, loop->body, [&](Sym lane, Body& statements) {
        statements.push_back(update_accumulator(arena_, counter, lane, number(DType::kI32, 1)));
      });
      add(asking_for_pages(arena_, loop, kept_.empty()), body);
    };
    blocks_of(strands, 0, share);
    blocks_of({&strands.back(), 1}, share, blocks - share * (parts - 1));
    if (const Sym rest = mod(count_, block_size()); is_last && !rest.is_constant(0)) {
      Body overlapping;
      for (size_t i = static_cast<size_t>(parts) - 1; i < strands.size(); i += static_cast<size_t>(parts))
        block(count_ - block_size(), strands[i], overlapping);
      if (proven_at_most(1, rest))
        add(overlapping, body);
      else
        body.push_back(new_if(arena_, rest - 1, std::move(overlapping)));
    }
    for (size_t i = 1; i < strands.size(); ++i)
      if (strands[i].row == strands[0].row) join(strands[i], strands[0], body);
    for (const Strand& strand : strands)
      if (&strand == &strands[0] || strand.row != strands[0].row) add(look_in_block(strand), body);
    return body;
  }

  void visit_block(Sym at, const Strand& strand, int counter, Sym lane, Body& body) {
    std::vector<const UOp*> elements;
    for (int64_t i = 0; i < vectors_; ++i) elements.push_back(element(strand.row->position, at + i * lanes_));
    const auto together = [&](auto combine) {
      std::vector<const UOp*> values = elements;
      for (; values.size() > 1; values.resize(values.size() / 2))
        for (size_t i = 0; i < values.size() / 2; ++i) values[i] = combine(values[i], values[values.size() / 2 + i]);
      return values[0];
    };
    const UOp *x = together([&](auto a, auto b) { return better_of(a, b); }), *best = acc(strand.best, lane);
    body.push_back(set_accumulator(arena_, strand.block, lane, choose(is_better(best, x), acc(counter, lane), acc(strand.block, lane))));
    body.push_back(set_accumulator(arena_, strand.best, lane, better_of(best, x)));
    if (!has_nan()) return;
    const UOp* sum = together([&](auto a, auto b) { return plus(a, b); });
    body.push_back(update_accumulator(arena_, strand.sum, lane, sum));
  }

  /// `later` has seen blocks of the same row that are all behind those that `strand` has seen.
  void join(const Strand& later, const Strand& strand, Body& body) {
    each_lane(lanes_, body, [&](Sym lane, Body& statements) {
      const UOp *best = acc(strand.best, lane), *x = acc(later.best, lane);
      const UOp* moved = plus(acc(later.block, lane), number(DType::kI32, later.first - strand.first));
      statements.push_back(set_accumulator(arena_, strand.block, lane, choose(is_better(best, x), moved, acc(strand.block, lane))));
      statements.push_back(set_accumulator(arena_, strand.best, lane, better_of(best, x)));
      if (has_nan()) statements.push_back(update_accumulator(arena_, strand.sum, lane, acc(later.sum, lane)));
    });
  }

  /// Takes the element from the first block of those that have the best of all lanes.
  Body look_in_block(const Strand& strand) {
    Body body;
    const int top = new_best(lanes_, body), first = new_places(DType::kI32, lanes_, body);
    each_lane(lanes_, body, [&](Sym lane, Body& into) { into.push_back(set_accumulator(arena_, top, lane, acc(strand.best, lane))); });
    body.push_back(folded(top));
    each_lane(lanes_, body, [&](Sym lane, Body& into) {
      const UOp* is_best = equal(acc(strand.best, lane), acc(top, 0));
      into.push_back(set_accumulator(arena_, first, lane, choose(is_best, acc(strand.block, lane), no_place(DType::kI32))));
    });
    body.push_back(folded(first));
    if (has_nan()) {
      body.push_back(folded(strand.sum));
      body.push_back(update_accumulator(arena_, strand.row->sum, 0, acc(strand.sum, 0)));
    }
    Stmt* define = arena_.statement(StmtKind::kDefine);
    define->value = arena_.cast(DType::kI64, acc(first, 0));
    define->variable = arena_.syms().loop("block", 0, kPiece + 1);
    const Sym start = min((strand.first + define->variable) * block_size(), count_ - block_size());
    const int place = new_places(DType::kI32, block_size(), define->body);
    each_lane(block_size(), define->body, [&](Sym lane, Body& into) {
      const UOp* is_best = equal(element(strand.row->position, start + lane), acc(top, 0));
      into.push_back(set_accumulator(arena_, place, lane, choose(is_best, number(DType::kI32, lane), no_place(DType::kI32))));
    });
    define->body.push_back(folded(place));
    take(*strand.row, acc(top, 0), plus(arena_.index(start), arena_.cast(DType::kI64, acc(place, 0))), define->body);
    body.push_back(define);
    return body;
  }

  // --- by columns ------------------------------------------------------------------------------------------------------------

  Body tiles() {
    constexpr int64_t kColumns = 1024;  // whose results stay in the first cache
    std::vector<Stmt*> nest;
    Index outer;
    for (size_t i = 0; i + 1 < kept_.size(); ++i) {
      nest.push_back(new_loop(arena_, cat("oidx", i), 0, source_.shape[kept_[i]]));
      outer.push_back(nest.back()->variable);
    }
    const Sym width = source_.shape[kept_.back()];
    const int64_t wanted = c_.schedule.axes[kept_.size() - 1].tile, most = std::max<int64_t>(range(width).hi, 1);
    const int64_t tile = wanted > 0 ? wanted : kColumns;
    if (most <= tile) return nested(nest, columns({outer, 0, width, (most + lanes_ - 1) / lanes_ * lanes_}));
    nest.push_back(new_loop(arena_, "tile", 0, ceil_div(width, tile)));
    const Sym start = nest.back()->variable * tile;
    return nested(nest, columns({outer, start, min(Sym(tile), width - start), tile}));
  }

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
  template <class Visit>
  void each_column(const Columns& tile, int64_t lanes, Body& body, Visit visit, int together = 1) {
    Stmt* column = new_loop(arena_, "column", 0, tile.width);
    visit(column->variable, column->body);
    const Body loops =
        tile.width.is_constant(1) ? unroll(arena_, column) : vector_columns(arena_, column, static_cast<int>(lanes), together);
    add(loops, body);
  }

  Body columns(const Columns& tile) {
    constexpr int64_t kWide = 2;  // i64 are vectors of as many bytes with half the lanes
    const int64_t wide_lanes = std::max<int64_t>(1, lanes_ / kWide);
    Body body;
    sum_ = new_sum(tile.capacity, body);
    if (proven_at_most(count_, kPiece)) {
      add(rows_of_piece(tile, 0, count_), body);
    } else {
      const int best = new_best(tile.capacity, body), place = new_numbers(DType::kI64, tile.capacity, body);
      Stmt* pieces = new_loop(arena_, "piece", 0, ceil_div(count_, kPiece));
      const Sym first = pieces->variable * kPiece;
      pieces->body = rows_of_piece(tile, first, min(first + kPiece, count_));
      each_column(tile, wide_lanes, pieces->body, [&](Sym column, Body& into) {
        const UOp *before = acc(best, column), *x = acc(best_, column);
        const UOp* here = plus(arena_.cast(DType::kI64, acc(place_, column)), arena_.index(first));
        into.push_back(set_accumulator(arena_, place, column, choose(is_better(before, x), here, acc(place, column))));
        into.push_back(set_accumulator(arena_, best, column, better_of(before, x)));
      });
      body.push_back(pieces);
      best_ = best, place_ = place;
    }
    if (has_nan()) add(columns_with_nan(tile), body);
    each_column(tile, wide_lanes, body, [&](Sym column, Body& into) {
      store(tile.position(column), arena_.cast(DType::kI64, acc(place_, column)), acc(best_, column), into);
    });
    return body;
  }

  /// Into new `best_` and `place_`, which counts from the first row. (As two streams, each a share of the rows, these are no faster: what
  /// is kept of both is more than what is read.)
  Body rows_of_piece(const Columns& tile, Sym begin, Sym end) {
    Body body;
    best_ = new_best(tile.capacity, body);
    place_ = new_numbers(DType::kI32, tile.capacity, body);
    const auto rows = [&](Sym from, Sym to, int64_t together) {
      if (proven_at_most(to, from)) return;
      Stmt* row = new_loop(arena_, next_name(), from, to);
      row->step = together;
      const auto visit = [&](Sym column, Body& into) {
        const UOp *best = acc(best_, column), *place = acc(place_, column), *sum = nullptr;
        for (int64_t i = 0; i < together; ++i) {
          const UOp* x = element(tile.position(column), row->variable + i);
          place = choose(is_better(best, x), number(DType::kI32, row->variable + i - begin), place);
          best = better_of(best, x);
          sum = sum == nullptr ? x : plus(sum, x);
        }
        into.push_back(set_accumulator(arena_, place_, column, place));
        into.push_back(set_accumulator(arena_, best_, column, best));
        if (has_nan()) into.push_back(update_accumulator(arena_, sum_, column, sum));
      };
      each_column(tile, lanes_, row->body, visit, c_.schedule.axes[kept_.size() - 1].unroll);
      body.push_back(row);
    };
    const int64_t together = std::max(1, c_.schedule.axes.back().unroll);
    const Sym full = begin + floor_div(end - begin, together) * together;
    rows(begin, full, together);
    rows(full, end, 1);
    return body;
  }

  Body columns_with_nan(const Columns& tile) {
    Body body;
    const int all = new_sum(lanes_, body), rest = new_sum(1, body);  // of all columns
    const Sym whole = floor_div(tile.width, lanes_);
    if (!whole.is_constant(0)) {
      Stmt* vectors = new_loop(arena_, "vector", 0, whole);
      each_lane(lanes_, vectors->body, [&](Sym lane, Body& into) {
        into.push_back(update_accumulator(arena_, all, lane, acc(sum_, vectors->variable * lanes_ + lane)));
      });
      body.push_back(vectors);
    }
    if (!mod(tile.width, lanes_).is_constant(0)) {
      Stmt* single = new_loop(arena_, "column", whole * lanes_, tile.width);
      single->body = {update_accumulator(arena_, rest, 0, acc(sum_, single->variable))};
      body.push_back(single);
    }
    body.push_back(folded(all));
    Body again;
    const int nan = new_places(DType::kI64, tile.capacity, again);
    Stmt* row = new_loop(arena_, next_name(), 0, count_);
    each_column(tile, lanes_, row->body, [&](Sym column, Body& into) {
      const UOp* x = element(tile.position(column), row->variable);
      into.push_back(update_accumulator(arena_, nan, column, choose(is_nan(x), arena_.index(row->variable), no_place(DType::kI64))));
    });
    again.push_back(row);
    each_column(tile, lanes_, again, [&](Sym column, Body& into) { take_nan(acc(nan, column), best_, place_, column, into); });
    body.push_back(if_nan(plus(acc(all, 0), acc(rest, 0)), std::move(again)));
    return body;
  }

  // --- NaN, and results ------------------------------------------------------------------------------------------------------

  Stmt* if_nan(const UOp* sum, Body then) {
    Stmt* define = arena_.statement(StmtKind::kDefine);
    define->value = arena_.cast(DType::kI64, is_nan(sum));
    define->variable = arena_.syms().loop("nan", 0, 2);
    define->body = {new_if(arena_, define->variable - 1, std::move(then))};
    return define;
  }

  Body first_nan(const Row& row) {
    Body body;
    const int nan = new_places(DType::kI64, lanes_, body), rest = new_places(DType::kI64, 1, body);
    const auto visit = [&](Sym at, int places, Sym lane, Body& into) {
      const UOp* x = element(row.position, at);
      into.push_back(update_accumulator(arena_, places, lane, choose(is_nan(x), arena_.index(at), no_place(DType::kI64))));
    };
    const Sym whole = floor_div(count_, lanes_) * lanes_;
    if (!proven_at_most(whole, 0)) {
      Stmt* loop = new_loop(arena_, next_name(), 0, whole);
      loop->step = lanes_;
      each_lane(lanes_, loop->body, [&](Sym lane, Body& into) { visit(loop->variable + lane, nan, lane, into); });
      body.push_back(loop);
    }
    if (!proven_at_most(count_, whole)) {
      Stmt* loop = new_loop(arena_, next_name(), whole, count_);
      visit(loop->variable, rest, 0, loop->body);
      body.push_back(loop);
    }
    body.push_back(folded(nan));
    take_nan(arena_.apply(Op::kMin, DType::kI64, {acc(nan, 0), acc(rest, 0)}), row.best, row.place, 0, body);
    return body;
  }

  /// Where the first NaN is, if there is one.
  void take_nan(const UOp* first, int best, int place, Sym at, Body& body) {
    const UOp* is_none = equal(first, no_place(DType::kI64));
    const UOp *number = acc(place, at), *nan = arena_.constant(scalar_from_double(dtype_, std::numeric_limits<double>::quiet_NaN()));
    body.push_back(set_accumulator(arena_, place, at, choose(is_none, number, arena_.cast(number->type.dtype, first))));
    body.push_back(set_accumulator(arena_, best, at, choose(is_none, acc(best, at), nan)));
  }

  void store(const Index& position, const UOp* place, const UOp* best, Body& body) {
    const Sym is_empty = Sym(1) - min(count_, 1);  // or 0; there the place is 0 so far
    if (!is_empty.is_constant(0)) place = plus(place, arena_.index(is_empty * std::numeric_limits<int32_t>::max()));
    for (const Node* reduce : c_.plan.reduces) c_.values.bind(reduce, is_place(reduce->op) ? place : arena_.cast(reduce->dtype, best));
    add(store_outputs(c_, c_.plan.passes[0].stores, position), body);
  }

  KernelContext& c_;
  Arena& arena_;
  Accumulators accumulators_;
  const Node& source_;
  Op extreme_;        // Max or Min
  DType dtype_;       // what elements are compared in
  size_t along_ = 0;  // the axis
  Sym count_ = 0;     // its elements
  std::vector<size_t> kept_;
  int64_t lanes_ = 1, vectors_ = 0;        // of a vector, of a block
  int best_ = -1, place_ = -1, sum_ = -1;  // of columns
  int names_ = 0;
};

}  // namespace

void lower_place(KernelContext& context) { PlaceLowering(context).run(); }

}  // namespace harp::lower
