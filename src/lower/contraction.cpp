// Contraction template: a sum of products as rows times columns, by the chain of the law (02-semantics, "Sums"). Nothing here shows in the
// bits but blocks of 256 terms: each is one chain from +0.0, and its result is added to the sum of those before.
//
//   for blocks of rows, for blocks of columns whose sums stay in the second cache:
//     for blocks of 256 terms:
//       the rows' factor is copied tile by tile, in the order it is used (where that pays)
//       for tiles of columns (a few vectors):
//         the columns' factor is copied: 256 times a tile, which stays in the first cache
//         for tiles of rows: the tile's sums are registers: terms after terms, then added to the block's
//     the epilogue, and the stores
//
// Copying computes whatever stands in front of the factor: a convolution is this with windows as columns, and has its padding there. A
// tile that reaches beyond the last row reads that row again, one beyond the last column has zeros there; neither is stored.
#include "schedule/contraction.h"

#include <algorithm>

#include "base/error.h"
#include "lower/accumulate.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kBlock = 256;  // terms

class ContractionLowering {
 public:
  ContractionLowering(KernelContext& context, const Contraction& contraction)
      : c_(context),
        arena_(context.arena),
        reduce_(*context.plan.reduces[0]),
        shape_(reduce_.sources[0]->shape),
        contraction_(contraction),
        dtype_(accumulator_dtype(reduce_)),
        accumulators_(context.kernel) {
    const auto& reduced = reduce_.as<ReduceAttributes>().axes;
    for (size_t axis = 0; axis < shape_.size(); ++axis)
      if (std::find(reduced.begin(), reduced.end(), static_cast<int>(axis)) == reduced.end() && !shape_[axis].is_constant(1))
        kept_.push_back(axis);
    for (const int axis : reduced) {
      term_axes_.push_back(static_cast<size_t>(axis));
      term_shape_.push_back(shape_[term_axes_.back()]);
    }
    const AxisSchedule &row_axis = c_.schedule.axes[contraction.row_position], &column_axis = c_.schedule.axes[kept_.size() - 1];
    simd_ = column_axis.simd_width;
    tile_rows_ = row_axis.unroll;
    tile_columns_ = simd_ * column_axis.unroll;
    pack_rows_ = row_axis.pack;
    rows_ = shape_[contraction.rows], columns_ = shape_[contraction.columns], terms_ = element_count(term_shape_);
    block_rows_ = block(rows_, tile_rows_, row_axis.tile);
    block_columns_ = block(columns_, tile_columns_, column_axis.tile);
    if (contraction.group_position) {
      group_ = shape_[kept_[*contraction.group_position]];
      block_group_ = block(group_, 1, c_.schedule.axes[*contraction.group_position].tile);
    }
  }

  void run() {
    // Rows are next to columns, unless they are the kernel's first axis, which is the threads'.
    std::vector<size_t> order;
    for (size_t i = 0; i + 1 < kept_.size(); ++i)
      if (i != contraction_.row_position || i == 0) order.push_back(i);
    if (contraction_.row_position != 0) order.push_back(contraction_.row_position);
    position_.assign(kept_.size(), Sym(0));
    Body body = blocks(order);
    if (c_.schedule.axes[0].kind == AxisKind::kThread && body.size() == 1 && body[0]->kind == StmtKind::kLoop)
      body[0]->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  /// Elements of an axis that are gone through together: whole tiles, no more than there are.
  static int64_t block(Dim size, int64_t tile, int64_t wanted) {
    const int64_t most = std::max<int64_t>(1, std::min(range(size).hi, std::max(wanted, tile)));
    return (most + tile - 1) / tile * tile;
  }
  /// The last dimension of an array of blocks' terms.
  int64_t terms_at_once() const { return std::max<int64_t>(1, std::min(range(terms_).hi, kBlock)); }

  Index source_index(Sym row, Sym column, Sym term) const {
    Index index(shape_.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position_[i];
    index[contraction_.rows] = row;
    index[contraction_.columns] = column;
    const Index terms = unflatten(term, term_shape_);
    for (size_t i = 0; i < terms.size(); ++i) index[term_axes_[i]] = terms[i];
    return index;
  }
  const UOp* factor(const Node* node, const Index& index) {
    return to_accumulator(arena_, reduce_, c_.values.value(node, node->rank() == 0 ? Index{} : index));
  }
  static Sym tiles(Sym count, int64_t tile) { return ceil_div(count, tile); }
  const UOp* zero() { return arena_.constant(identity_of(Op::kSum, dtype_)); }
  bool has_one_block() const { return ceil_div(terms_, kBlock).is_constant(1); }

  /// What `statements` makes for each of `count` values of a variable.
  template <class Statements>
  Body each(std::string_view name, Sym count, Statements statements) {
    if (count.is_constant(1)) return statements(Sym(0));
    Stmt* loop = new_loop(arena_, name, 0, count);
    loop->body = statements(loop->variable);
    return {loop};
  }
  Body blocks(std::span<const size_t> axes) {
    if (axes.empty())
      return each("columns", ceil_div(columns_, block_columns_), [&](Sym block) {
        first_column_ = block * block_columns_;
        columns_here_ = min(Sym(block_columns_), columns_ - first_column_);
        Body body;
        sums_of_block(body);
        store(body);
        return body;
      });
    const size_t axis = axes[0];
    if (axis == contraction_.group_position)
      return each("group", ceil_div(group_, block_group_), [&](Sym block) {
        first_of_group_ = block * block_group_;
        group_here_ = min(Sym(block_group_), group_ - first_of_group_);
        return blocks(axes.subspan(1));
      });
    if (axis != contraction_.row_position)
      return each(cat("oidx", axis), shape_[kept_[axis]], [&](Sym at) {
        position_[axis] = at;
        return blocks(axes.subspan(1));
      });
    return each("rows", ceil_div(rows_, block_rows_), [&](Sym block) {
      first_row_ = block * block_rows_;
      rows_here_ = min(Sym(block_rows_), rows_ - first_row_);
      return blocks(axes.subspan(1));
    });
  }

  // --- the sums of a block of rows and columns ---------------------------------------------------------------------------

  Sym sum_at(Sym member, Sym row, Sym column) const { return (member * block_rows_ + row) * block_columns_ + column; }
  /// What `statements` makes for each member of the group, which is where columns are from then on.
  template <class Statements>
  Body each_member(Statements statements) {
    return each("member", group_here_, [&](Sym member) {
      if (contraction_.group_position) position_[*contraction_.group_position] = first_of_group_ + member;
      return statements(member);
    });
  }

  void sums_of_block(Body& body) {
    packed_columns_ = accumulators_.add_array(dtype_, terms_at_once() * tile_columns_);
    if (pack_rows_) packed_rows_ = accumulators_.add_array(dtype_, terms_at_once() * block_rows_);
    for (int level = levels_needed(ceil_div(terms_, kBlock), kBlock); level-- > 0;)
      sums_.push_back(accumulators_.add_array(dtype_, block_group_ * block_rows_ * block_columns_));
    for (const int array : sums_) body.push_back(declare_accumulator(arena_, array));
    body.push_back(declare_accumulator(arena_, packed_columns_));
    if (pack_rows_) body.push_back(declare_accumulator(arena_, packed_rows_));
    std::vector<Sym> counts = {ceil_div(terms_, kBlock)};
    while (counts.size() < sums_.size()) counts.push_back(ceil_div(counts.back(), kBlock));
    level(sums_.size() - 1, counts, 0, counts.back(), body);
  }

  /// Results begin … end - 1 of the level below (blocks of terms, at level 0) are added up in sums_[level].
  void level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, Body& body) {
    if (level > 0 || !has_one_block()) each_sum(body, [&](Sym at) { return set_accumulator(arena_, sums_[level], at, zero()); });
    const Body blocks = each(cat("block", level), end - begin, [&](Sym block) {
      const Sym first = (begin + block) * kBlock;
      Body inside;
      if (level == 0) {
        block_of_terms(first, min(Sym(kBlock), terms_ - first), inside);
      } else {
        this->level(level - 1, counts, first, min(first + kBlock, counts[level - 1]), inside);
        each_sum(inside, [&](Sym at) { return update_accumulator(arena_, sums_[level], at, arena_.acc(dtype_, sums_[level - 1], at)); });
      }
      return inside;
    });
    add(body, blocks);
  }
  /// A statement for every sum of the block.
  template <class Statement>
  void each_sum(Body& body, Statement statement) {
    add(body, each_member([&](Sym member) {
          Stmt* row = new_loop(arena_, "row", 0, tiles(rows_here_, tile_rows_) * tile_rows_);
          Stmt* column = new_loop(arena_, "column", 0, tiles(columns_here_, tile_columns_) * tile_columns_);
          column->body = {statement(sum_at(member, row->variable, column->variable))};
          row->body = vectorise(arena_, column, simd_, false);
          return Body{row};
        }));
  }

  void block_of_terms(Sym first, Sym count, Body& body) {
    if (pack_rows_) pack_rows(first, count, body);
    add(body, each_member([&](Sym member) {
          return each("columntile", tiles(columns_here_, tile_columns_), [&](Sym tile) {
            Body inside;
            pack_columns(first, count, tile * tile_columns_, inside);
            add(inside, each("rowtile", tiles(rows_here_, tile_rows_), [&](Sym row_tile) {
                  Body sums;
                  register_tile(first, count, member, row_tile, tile * tile_columns_, sums);
                  return sums;
                }));
            return inside;
          });
        }));
  }
  static void add(Body& body, const Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

  // --- copies ------------------------------------------------------------------------------------------------------------

  /// The row of a tile, or the last one there is.
  Sym row_or_last(Sym row) const { return min(first_row_ + row, rows_ - 1); }
  Sym packed_row_at(Sym row_tile, Sym term, int64_t row) const { return (row_tile * terms_at_once() + term) * tile_rows_ + row; }

  void pack_rows(Sym first, Sym count, Body& body) {
    add(body, each("rowtile", tiles(rows_here_, tile_rows_), [&](Sym tile) {
          Stmt* term = new_loop(arena_, "term", 0, count);
          for (int64_t r = 0; r < tile_rows_; ++r) {
            const Index index = source_index(row_or_last(tile * tile_rows_ + r), first_column_, first + term->variable);
            term->body.push_back(
                set_accumulator(arena_, packed_rows_, packed_row_at(tile, term->variable, r), factor(contraction_.row_factor, index)));
          }
          return Body{term};
        }));
  }

  void pack_columns(Sym first, Sym count, Sym column, Body& body) {
    Stmt* term = new_loop(arena_, "term", 0, count);
    const auto copy = [&](Sym width, Body& into) {
      Stmt* c = new_loop(arena_, "column", 0, width);
      const Index index = source_index(first_row_, first_column_ + column + c->variable, first + term->variable);
      c->body = {set_accumulator(arena_, packed_columns_, term->variable * tile_columns_ + c->variable,
                                 factor(contraction_.column_factor, index))};
      for (Stmt* s : finish_inner_loop(c_, c, simd_, c_.schedule.overlap)) into.push_back(s);
    };
    const Sym left = columns_here_ - column, missing = left - tile_columns_;
    if (proven_nonnegative(missing)) {
      copy(tile_columns_, term->body);
    } else {
      Stmt* is_whole = arena_.statement(StmtKind::kIf);
      is_whole->condition = missing;
      if (!proven_nonnegative(Sym(-1) - missing)) copy(tile_columns_, is_whole->body);
      copy(left, is_whole->otherwise);
      Stmt* beyond = new_loop(arena_, "column", left, tile_columns_);
      beyond->body = {set_accumulator(arena_, packed_columns_, term->variable * tile_columns_ + beyond->variable, zero())};
      is_whole->otherwise.push_back(beyond);
      term->body.push_back(is_whole);
    }
    body.push_back(term);
  }

  // --- a tile in registers -----------------------------------------------------------------------------------------------

  void register_tile(Sym first, Sym count, Sym member, Sym row_tile, Sym column, Body& body) {
    const Sym row = row_tile * tile_rows_;
    if (tile_.empty())
      for (int64_t i = 0; i < tile_rows_ * (tile_columns_ / simd_); ++i)
        tile_.push_back(accumulators_.add({&c_.plan.reduces[0], 1}, simd_)[0]);
    for (const int sum : tile_) body.push_back(declare_accumulator(arena_, sum));
    Stmt* term = new_loop(arena_, "term", 0, count);
    each_vector(term->body, [&](int64_t r, int64_t vector, Sym lane) {
      const UOp* a = pack_rows_
                         ? arena_.acc(dtype_, packed_rows_, packed_row_at(row_tile, term->variable, r))
                         : factor(contraction_.row_factor, source_index(row_or_last(row + r), first_column_, first + term->variable));
      const UOp* b = arena_.acc(dtype_, packed_columns_, term->variable * tile_columns_ + vector * simd_ + lane);
      return update_accumulator(arena_, sum_of(r, vector), lane, a, b);
    });
    body.push_back(term);
    each_vector(body, [&](int64_t r, int64_t vector, Sym lane) {
      const UOp* sum = arena_.acc(dtype_, sum_of(r, vector), lane);
      const Sym at = sum_at(member, row + r, column + vector * simd_ + lane);
      if (!has_one_block()) return update_accumulator(arena_, sums_[0], at, sum);
      return set_accumulator(arena_, sums_[0], at, arena_.apply(Op::kAdd, dtype_, {sum, zero()}));
    });
  }
  int sum_of(int64_t row, int64_t vector) const { return tile_[static_cast<size_t>(row * (tile_columns_ / simd_) + vector)]; }
  /// A statement for each vector of a tile, row after row: what a row needs is in a register no longer than it is used.
  template <class Statement>
  void each_vector(Body& body, Statement statement) {
    for (int64_t row = 0; row < tile_rows_; ++row)
      for (int64_t vector = 0; vector < tile_columns_ / simd_; ++vector) {
        Stmt* lane = new_loop(arena_, "lane", 0, simd_);
        lane->body = {statement(row, vector, lane->variable)};
        for (Stmt* s : vector_columns(arena_, lane, simd_)) body.push_back(s);
      }
  }

  // --- the results -------------------------------------------------------------------------------------------------------

  void store(Body& body) {
    add(body, each_member([&](Sym member) {
          Stmt *row = new_loop(arena_, "row", 0, rows_here_), *column = new_loop(arena_, "column", 0, columns_here_);
          const UOp* sum = arena_.acc(dtype_, sums_.back(), sum_at(member, row->variable, column->variable));
          c_.values.bind(&reduce_, from_accumulator(arena_, reduce_, sum));
          Index position = position_;
          position[contraction_.row_position] = first_row_ + row->variable;
          position.back() = first_column_ + column->variable;
          column->body = store_outputs(c_, c_.plan.passes[0].stores, position);
          row->body = vectorise(arena_, column, simd_, false);
          return Body{row};
        }));
  }

  KernelContext& c_;
  Arena& arena_;
  const Node& reduce_;
  const Shape& shape_;  // of its source
  const Contraction& contraction_;
  const DType dtype_;
  Accumulators accumulators_;
  std::vector<size_t> kept_, term_axes_;
  Shape term_shape_;
  Dim rows_, columns_, terms_;
  int simd_;
  int64_t tile_rows_, tile_columns_, block_rows_, block_columns_;
  bool pack_rows_;
  Index position_;  // of the kept axes, but rows and columns
  Dim group_ = 1;
  int64_t block_group_ = 1;
  Sym first_row_, first_column_, first_of_group_ = 0, rows_here_, columns_here_, group_here_ = 1;
  std::vector<int> sums_;  // by level
  std::vector<int> tile_;  // by row and vector
  int packed_rows_ = -1, packed_columns_ = -1;
};

}  // namespace

void lower_contraction(KernelContext& context) {
  const std::optional<Contraction> contraction = as_contraction(context.plan);
  HARP_ASSERT(contraction, "a kernel that is no contraction");
  ContractionLowering(context, *contraction).run();
}

}  // namespace harp::lower
