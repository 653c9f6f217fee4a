// Contraction template: a sum of products as rows times columns, by the chain of the law (02-semantics, "Sums"). Nothing here shows in the
// bits but blocks of 256 terms: each is one chain from +0.0, and its result is added to the sum of those before.
//
//   for blocks of columns, for blocks of rows, whose sums stay in the second cache:
//     for blocks of 256 terms:
//       the rows' factor is copied tile by tile, in the order it is used (where that pays)
//       for tiles of columns (a few vectors):
//         the columns' factor is copied: 256 times a tile, which stays in the first cache (small ones do so where they are)
//         for tiles of rows: the tile's sums are registers: terms after terms, then added to the block's
//     the epilogue, and the stores
//
// With many rows the columns' factor is copied before the loop over blocks of rows instead, once for all of them.
//
// Where 256 terms are all there are, a tile's sums go from the registers through the epilogue to where they are stored.
//
// With few rows the columns' factor is not worth a copy: several terms are added at once to sums that lie in memory, row by row, so that
// it is read in long pieces, once.
//
// Copying (panel.h) computes whatever stands in front of the factor: a convolution is this with windows as rows or columns, and has its
// padding there, once for a block where they overlap (windows.h). Mostly its filters are the columns: then a block's sums are transposed
// on their way to where pixels lie beside each other. The last tile overlaps the one before where there are rows, or columns, enough for
// one and storing twice does no harm. Else a copied tile that reaches beyond the last row or column has zeros there, one that is not
// copied has the last row again; neither is stored.
#include "schedule/contraction.h"

#include <algorithm>

#include "base/error.h"
#include "lower/panel.h"
#include "lower/windows.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kBlock = 256;         // terms
constexpr int64_t kPadded = 256;        // columns of rows that would lie in the same lines of the first cache, often being a power of two
constexpr int64_t kLeastRun = 16;       // terms along the last of their axes
constexpr int64_t kNear = 16 << 10;     // bytes of the columns' factor that is not copied: half the first cache
constexpr int64_t kRowsOfCopy = 200;    // for which a worker copies the columns' factor: a tenth of what their products take
constexpr int64_t kMostWrittenOut = 8;  // steps of an epilogue that is written out for each vector of a tile

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
    const AxisSchedule one_row, &column_axis = c_.schedule.axes[contraction.column_position];
    const AxisSchedule& row_axis = contraction.rows ? c_.schedule.axes[*contraction.row_position] : one_row;
    simd_ = column_axis.simd_width;
    tile_rows_ = row_axis.unroll;
    tile_columns_ = simd_ * column_axis.unroll;
    terms_together_ = c_.schedule.axes.back().unroll;
    pack_rows_ = row_axis.pack, shares_columns_ = column_axis.pack;
    rows_ = row_count(reduce_, contraction), columns_ = shape_[contraction.columns], terms_ = element_count(term_shape_);
    block_rows_ = block(rows_, tile_rows_, row_axis.tile);
    panel_rows_ = (tile_rows_ + simd_ - 1) / simd_ * simd_;  // whole vectors, if there are as many rows
    if (range(rows_).hi < panel_rows_) panel_rows_ = tile_rows_;
    block_columns_ = block(columns_, tile_columns_, column_axis.tile);
    if (is_streamed()) tile_columns_ = block_columns_;
    if (!is_streamed() && c_.schedule.overlap)
      overlaps_rows_ = !contraction.is_turned() && is_overlapped(rows_, block_rows_, tile_rows_),
      overlaps_columns_ = is_overlapped(columns_, block_columns_, tile_columns_);
    row_size_ = is_streamed() && block_columns_ >= kPadded ? tile_columns_ + simd_ : tile_columns_;
    if (contraction.group_position) {
      group_ = shape_[kept_[*contraction.group_position]];
      block_group_ = block(group_, 1, c_.schedule.axes[*contraction.group_position].tile);
    }
  }

  void run() {
    position_.assign(kept_.size(), Sym(0));
    const std::optional<size_t> rows = contraction_.row_position;
    c_.kernel.body = blocks(order_of_blocks());
    if (shares_columns_ && rows == 0) c_.kernel.least = (kRowsOfCopy + block_rows_ - 1) / block_rows_;
  }

 private:
  /// Rows are next to columns, unless they are the kernel's first axis, which is the threads', and nothing is copied for all of them.
  /// Columns that are copied for all rows come before those. (Of turned ones rows are the last axis, and columns somewhere before.)
  std::vector<size_t> order_of_blocks() const {
    const std::optional<size_t> rows = contraction_.row_position;
    const size_t columns = contraction_.column_position;
    std::vector<size_t> order;
    for (size_t i = 0; i < kept_.size(); ++i)
      if (contraction_.is_turned() || (i != columns && (i != rows || (i == 0 && !shares_columns_)))) order.push_back(i);
    if (contraction_.is_turned()) return order;
    if (rows && shares_columns_)
      order.insert(order.end(), {columns, *rows});
    else if (rows && rows != 0)
      order.insert(order.end(), {*rows, columns});
    else
      order.push_back(columns);
    return order;
  }
  /// Elements of an axis that are gone through together: whole tiles, no more than there are.
  static int64_t block(Dim size, int64_t tile, int64_t wanted) {
    const int64_t most = std::max<int64_t>(1, std::min(range(size).hi, std::max(wanted, tile)));
    return (most + tile - 1) / tile * tile;
  }
  /// Does the last tile of every block begin inside the block, although tiles are more than what is left?
  static bool is_overlapped(Dim size, int64_t block, int64_t tile) {
    if (!size.is_constant() || size.constant() % tile == 0) return false;
    const int64_t in_last = (size.constant() - 1) % block + 1;
    return in_last >= tile;
  }
  int64_t all_terms() const { return std::max<int64_t>(1, range(terms_).hi); }
  /// The last dimension of an array of blocks' terms.
  int64_t terms_at_once() const { return std::min(all_terms(), kBlock); }

  Index source_index(Sym row, Sym column, const Index& terms) const {
    Index index(shape_.size(), Sym(0));
    for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = position_[i];
    if (contraction_.rows) index[*contraction_.rows] = row;
    index[contraction_.columns] = column;
    for (size_t i = 0; i < terms.size(); ++i) index[term_axes_[i]] = terms[i];
    return index;
  }
  Index source_index(Sym row, Sym column, Sym term) const { return source_index(row, column, unflatten(term, term_shape_)); }
  const UOp* factor(const Node* node, const Index& index) {
    return to_accumulator(arena_, reduce_, c_.values.value(node, node->rank() == 0 ? Index{} : index));
  }
  /// The columns' factor, at a column of the block.
  const UOp* column_factor(Sym row, Sym column, const Index& terms) {
    const Index index = source_index(row, first_column_ + column, terms);
    if (!windows_) return factor(contraction_.column_factor, index);
    return to_accumulator(arena_, reduce_, windows_->value(contraction_.column_factor, index));
  }
  const UOp* column_factor(Sym row, Sym column, Sym term) { return column_factor(row, column, unflatten(term, term_shape_)); }
  /// The rows' factor, at a row of a tile and a term of the block, from its copy where there is one.
  const UOp* row_factor(Sym member, Sym row_tile, int64_t row, Sym term, const Index& terms) {
    if (pack_rows_) return arena_.acc(dtype_, packed_rows_, packed_row_at(member, row_tile, term, row));
    const Sym there = first_row_ + row_of(row_tile) + row;
    if (row_windows_)
      return to_accumulator(arena_, reduce_, row_windows_->value(contraction_.row_factor, source_index(there, first_column_, terms)));
    return factor(contraction_.row_factor, source_index(overlaps_rows_ ? there : min(there, rows_ - 1), first_column_, terms));
  }
  const UOp* zero() { return arena_.constant(identity_of(Op::kSum, dtype_)); }
  bool has_one_block() const { return ceil_div(terms_, kBlock).is_constant(1); }

  /// What `statements` makes for each of `count` values of a variable.
  template <class Statements>
  Body each(std::string_view name, Sym count, Statements statements, LoopKind kind = LoopKind::kSequential) {
    if (count.is_constant(1)) return statements(Sym(0));
    Stmt* loop = new_loop(arena_, name, 0, count);
    loop->loop = kind;
    loop->body = statements(loop->variable);
    return {loop};
  }
  /// The blocks along these axes, one in the other; those of the kernel's first axis are the threads'.
  Body blocks(std::span<const size_t> axes) {
    if (axes.empty()) {
      Body body;
      sums_of_block(body);
      return body;
    }
    const size_t axis = axes[0];
    const auto inner = axes.subspan(1);
    const LoopKind kind = axis == 0 && c_.schedule.axes[0].kind == AxisKind::kThread ? LoopKind::kThread : LoopKind::kSequential;
    if (axis == contraction_.row_position)
      return each(
          "rows", ceil_div(rows_, block_rows_), [&](Sym b) { return rows(b, inner); }, kind);
    if (axis == contraction_.column_position)
      return each(
          "columns", ceil_div(columns_, block_columns_), [&](Sym b) { return columns(b, inner); }, kind);
    if (axis == contraction_.group_position)
      return each(
          "group", ceil_div(group_, block_group_), [&](Sym b) { return group(b, inner); }, kind);
    const auto at = [&](Sym index) {
      position_[axis] = index;
      return blocks(inner);
    };
    return each(cat("oidx", axis), shape_[kept_[axis]], at, kind);
  }
  Body rows(Sym block, std::span<const size_t> inner) {
    first_row_ = block * block_rows_;
    rows_here_ = min(Sym(block_rows_), rows_ - first_row_);
    return blocks(inner);
  }
  Body columns(Sym block, std::span<const size_t> inner) {
    first_column_ = block * block_columns_;
    columns_here_ = min(Sym(block_columns_), columns_ - first_column_);
    Body body;
    if (shares_columns_) copy_columns(body);
    add(body, blocks(inner));
    return body;
  }
  Body group(Sym block, std::span<const size_t> inner) {
    first_of_group_ = block * block_group_;
    group_here_ = min(Sym(block_group_), group_ - first_of_group_);
    return blocks(inner);
  }

  // --- the sums of a block of rows and columns ---------------------------------------------------------------------------

  bool is_streamed() const { return terms_together_ > 1; }
  int64_t tile_size() const { return tile_rows_ * row_size_; }
  int64_t row_tiles_of_block() const { return block_rows_ / tile_rows_; }
  int64_t column_tiles_of_block() const { return block_columns_ / tile_columns_; }
  /// Where a tile's sums begin among those of the block: tile after tile, so that a tile is one piece of memory. The next one is of the
  /// next columns, or of the next rows where these are stored beside each other.
  Sym tile_at(Sym member, Sym row_tile, Sym column_tile) const {
    if (contraction_.is_turned()) return ((member * column_tiles_of_block() + column_tile) * row_tiles_of_block() + row_tile) * tile_size();
    return ((member * row_tiles_of_block() + row_tile) * column_tiles_of_block() + column_tile) * tile_size();
  }
  int64_t sums_of_all_tiles() const { return block_group_ * row_tiles_of_block() * column_tiles_of_block() * tile_size(); }
  Sym row_tiles() const { return ceil_div(rows_here_, tile_rows_); }
  Sym column_tiles() const { return ceil_div(columns_here_, tile_columns_); }
  /// The first row of a tile, in the block, and how many rows there are from it on. The same of columns.
  Sym row_of(Sym row_tile) const {
    const Sym row = row_tile * tile_rows_;
    return overlaps_rows_ ? min(row, rows_here_ - tile_rows_) : row;
  }
  Sym rows_from(Sym row_tile) const { return overlaps_rows_ ? Sym(tile_rows_) : rows_here_ - row_of(row_tile); }
  Sym column_of(Sym column_tile) const {
    const Sym column = column_tile * tile_columns_;
    return overlaps_columns_ ? min(column, columns_here_ - tile_columns_) : column;
  }
  Sym columns_from(Sym column_tile) const { return overlaps_columns_ ? Sym(tile_columns_) : columns_here_ - column_of(column_tile); }
  /// What `statements` makes for each member of the group, which is where columns are from then on.
  template <class Statements>
  Body each_member(Statements statements) {
    return each("member", group_here_, [&](Sym member) {
      if (contraction_.group_position) position_[*contraction_.group_position] = first_of_group_ + member;
      return statements(member);
    });
  }
  /// The same, where what is done for columns is done for each: if the members are rows, once for all of them.
  template <class Statements>
  Body each_column_member(Statements statements) {
    return contraction_.group_is_rows ? statements(Sym(0)) : each_member(statements);
  }
  /// Where the copy of a tile's columns is, for a term of the block of terms that begins at `first`.
  Sym packed_column_at(Sym member, Sym column_tile, Sym first, Sym term) const {
    if (!shares_columns_) return term * tile_columns_;
    const Sym tile = contraction_.group_is_rows ? column_tile : member * column_tiles_of_block() + column_tile;
    return (tile * all_terms() + first + term) * tile_columns_;
  }
  Sym packed_row_at(Sym member, Sym row_tile, Sym term, int64_t row) const {
    const Sym tile = contraction_.group_is_rows ? member * row_tiles_of_block() + row_tile : row_tile;
    return (tile * terms_at_once() + term) * panel_rows_ + row;
  }
  static void add(Body& body, const Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

  void sums_of_block(Body& body) {
    if (!is_streamed() && !shares_columns_) {
      copy_windows(body);
      reads_columns_ |= are_near();
    }
    if (!is_streamed()) copy_row_windows(body);
    if (is_streamed())
      streamed_ = accumulators_.add_array(dtype_, block_group_ * tile_size() * row_tiles_of_block());
    else if (!reads_columns_ && !shares_columns_)
      packed_columns_ = accumulators_.add_array(dtype_, terms_at_once() * tile_columns_);
    if (pack_rows_)
      packed_rows_ = accumulators_.add_array(
          dtype_, (contraction_.group_is_rows ? block_group_ : 1) * terms_at_once() * panel_rows_ * row_tiles_of_block());
    if (!has_one_block())
      for (int level = levels_needed(ceil_div(terms_, kBlock), kBlock); level-- > 0;)
        sums_.push_back(accumulators_.add_array(dtype_, sums_of_all_tiles()));
    else if (contraction_.is_turned())
      sums_.push_back(accumulators_.add_array(dtype_, sums_of_all_tiles()));
    if (contraction_.is_turned()) turned_ = accumulators_.add_array(dtype_, tile_columns_ * block_rows_);
    for (const int array : sums_) body.push_back(declare_accumulator(arena_, array));
    for (const int array : {streamed_, shares_columns_ ? -1 : packed_columns_, packed_rows_})
      if (array >= 0) body.push_back(declare_accumulator(arena_, array));
    if (has_one_block()) {
      Body inside;
      block_of_terms(0, terms_, inside);
      if (is_streamed()) store_block(streamed_, inside);
      if (contraction_.is_turned()) store_turned(sums_[0], inside);
      if (result_ >= 0) body.push_back(declare_accumulator(arena_, result_));
      return add(body, inside);
    }
    std::vector<Sym> counts = {ceil_div(terms_, kBlock)};
    while (counts.size() < sums_.size()) counts.push_back(ceil_div(counts.back(), kBlock));
    level(sums_.size() - 1, counts, 0, counts.back(), body);
    if (contraction_.is_turned()) return store_turned(sums_.back(), body);
    store_block(sums_.back(), body);
  }

  Body pack_columns(Sym member, Sym column_tile, Sym first, Sym count) {
    const Sym column = column_of(column_tile), left = overlaps_columns_ ? Sym(tile_columns_) : columns_ - first_column_ - column;
    return pack(c_, {dtype_, packed_columns_, packed_column_at(member, column_tile, first, 0), tile_columns_, 0, simd_}, left, count,
                [&](Sym lane, Sym term) { return column_factor(first_row_, column + lane, first + term); });
  }
  /// All that tiles of all blocks of rows use.
  void copy_columns(Body& body) {
    copy_windows(body);
    if (reads_columns_) return;
    packed_columns_ = accumulators_.add_array(dtype_, (contraction_.group_is_rows ? 1 : block_group_) * block_columns_ * all_terms());
    body.push_back(declare_accumulator(arena_, packed_columns_));
    add(body, each_column_member([&](Sym member) {
          return each("block", ceil_div(terms_, kBlock), [&](Sym block) {
            const Sym first = block * kBlock;
            return each("columntile", column_tiles(),
                        [&](Sym tile) { return pack_columns(member, tile, first, min(Sym(kBlock), terms_ - first)); });
          });
        }));
  }

  /// What overlapping windows of a factor read, for the block, whose columns, or rows, are `along`.
  std::optional<Windows> copy_windows(const Node* factor, const Windows::Axis& along, Sym row, Sym column, bool has_members, Body& body) {
    std::vector<Windows::Axis> axes = {along};
    const auto axis = [&](std::string_view name, Sym count, int64_t most) {
      axes.push_back({new_loop(arena_, name, 0, count)->variable, count, most});
      return axes.back().variable;
    };
    if (has_members) position_[*contraction_.group_position] = first_of_group_ + axis("member", group_here_, block_group_);
    Index index = source_index(row, column, 0);
    for (size_t i = 0; i < term_axes_.size(); ++i) {
      if (!term_shape_[i].is_constant()) return std::nullopt;
      index[term_axes_[i]] = axis("term", term_shape_[i], std::max<int64_t>(1, term_shape_[i].constant()));
    }
    return Windows::copy(c_, accumulators_, factor, index, axes, simd_, body);
  }
  /// Rows are read there.
  void copy_row_windows(Body& body) {
    if (!contraction_.rows || !contraction_.group_is_rows) return;
    const Sym row = new_loop(arena_, "row", 0, rows_here_)->variable;
    row_windows_ = copy_windows(contraction_.row_factor, {row, rows_here_, block_rows_}, first_row_ + row, first_column_,
                                contraction_.group_position.has_value(), body);
    if (row_windows_) pack_rows_ = false;
  }
  /// Columns that lie beside each other in it are read there, and not copied again.
  void copy_windows(Body& body) {
    const Sym column = new_loop(arena_, "column", 0, columns_here_)->variable;
    windows_ = copy_windows(contraction_.column_factor, {column, columns_here_, block_columns_}, first_row_, first_column_ + column,
                            contraction_.group_position && !contraction_.group_is_rows, body);
    if (!windows_) return;
    const UOp* value = column_factor(first_row_, column, 0);
    const auto along = value->kind == UKind::kAcc ? linear_in(value->index, variable_of(column)) : std::nullopt;
    reads_columns_ = along && along->coefficient.is_constant(1);
  }

  /// Do the columns' elements lie beside each other, and all of a tile so near to each other that they stay in the first cache as they are?
  bool are_near() {
    if (reads_columns_ || term_shape_.size() != 1 || !proven_at_most(terms_, kBlock)) return reads_columns_;
    if (!overlaps_columns_ && !(columns_.is_constant() && columns_.constant() % tile_columns_ == 0)) return false;
    const Sym column = new_loop(arena_, "column", 0, columns_here_)->variable, term = new_loop(arena_, "term", 0, terms_)->variable;
    const UOp* value = column_factor(first_row_, column, term);
    if (value->kind != UKind::kLoad || mask_of(value) != nullptr) return false;
    const auto along = linear_in(value->index, variable_of(column)), down = linear_in(value->index, variable_of(term));
    const int64_t bytes = static_cast<int64_t>(size_of(dtype_));
    return along && along->coefficient.is_constant(1) && down && down->coefficient.is_constant() &&
           std::abs(down->coefficient.constant()) * all_terms() * bytes <= kNear;
  }

  /// Results begin … end - 1 of the level below (blocks of terms, at level 0) are added up in sums_[level].
  void level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, Body& body) {
    each_sum(body, [&](Sym at) { return set_accumulator(arena_, sums_[level], at, zero()); });
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
    const auto sums = [&](Sym begin, Sym count) {
      Stmt* sum = new_loop(arena_, "sum", 0, count);
      sum->body = {statement(begin + sum->variable)};
      return vectorise(arena_, sum, simd_, false);
    };
    add(body, each_member([&](Sym member) {
          if (contraction_.is_turned())
            return each("columntile", column_tiles(), [&](Sym tile) { return sums(tile_at(member, 0, tile), row_tiles() * tile_size()); });
          return each("rowtile", row_tiles(), [&](Sym tile) { return sums(tile_at(member, tile, 0), column_tiles() * tile_size()); });
        }));
  }

  void block_of_terms(Sym first, Sym count, Body& body) {
    const auto pack_row_tiles = [&](Sym member) {
      return each("rowtile", row_tiles(), [&](Sym tile) {
        const Sym row = first_row_ + row_of(tile);
        return pack(c_, {dtype_, packed_rows_, packed_row_at(member, tile, 0, 0), panel_rows_, overlaps_rows_ ? tile_rows_ : 0, simd_},
                    rows_ - row, count, [&](Sym lane, Sym term) {
                      return factor(contraction_.row_factor, source_index(row + lane, first_column_, first + term));
                    });
      });
    };
    if (pack_rows_) add(body, contraction_.group_is_rows ? each_member(pack_row_tiles) : pack_row_tiles(0));
    if (is_streamed()) return streamed_block(first, count, body);
    const auto tiles = [&](Sym member, Sym column_tile) {
      return each("rowtile", row_tiles(), [&](Sym row_tile) { return register_tile(first, count, member, row_tile, column_tile); });
    };
    add(body, each_column_member([&](Sym member) {
          return each("columntile", column_tiles(), [&](Sym tile) {
            Body inside;
            if (!reads_columns_ && !shares_columns_) inside = pack_columns(member, tile, first, count);
            add(inside, contraction_.group_is_rows ? each_member([&](Sym rows) { return tiles(rows, tile); }) : tiles(member, tile));
            return inside;
          });
        }));
  }

  // --- a tile in registers -----------------------------------------------------------------------------------------------

  Body register_tile(Sym first, Sym count, Sym member, Sym row_tile, Sym column_tile) {
    if (tile_.empty())
      for (int64_t i = 0; i < tile_size() / simd_; ++i) tile_.push_back(accumulators_.add({&c_.plan.reduces[0], 1}, simd_)[0]);
    Body body;
    for (const int sum : tile_) body.push_back(declare_accumulator(arena_, sum));
    add(body, each_term(first, count, [&](Sym term, const Index& terms) {
          Body products;
          each_vector(products, [&](int64_t r, int64_t vector, Sym lane) {
            const UOp* a = row_factor(member, row_tile, r, term, terms);
            const Sym column = vector * simd_ + lane;
            const UOp* b = reads_columns_
                               ? column_factor(first_row_, column_of(column_tile) + column, terms)
                               : arena_.acc(dtype_, packed_columns_, packed_column_at(member, column_tile, first, term) + column);
            return Body{update_accumulator(arena_, sum_of(r, vector), lane, a, b)};
          });
          return products;
        }));
    if (has_one_block() && !contraction_.is_turned()) {
      store_tile(row_tile, column_tile, body);
      return body;
    }
    const Sym begin = tile_at(member, row_tile, column_tile);
    each_vector(body, [&](int64_t r, int64_t vector, Sym lane) {
      const UOp* sum = arena_.acc(dtype_, sum_of(r, vector), lane);
      const Sym at = begin + in_tile(r, vector * simd_ + lane);
      return Body{has_one_block() ? set_accumulator(arena_, sums_[0], at, plus_zero(sum)) : update_accumulator(arena_, sums_[0], at, sum)};
    });
    return body;
  }
  /// What `statements` makes of each term of a block, by its number in the block and its index along the axes of terms: run after run of
  /// the last of these, where indices are used and runs are long, so that there are no divisions for each term.
  template <class Statements>
  Body each_term(Sym first, Sym count, Statements statements) {
    const Sym length = term_shape_.back();
    if ((!reads_columns_ && !row_windows_) || term_shape_.size() < 2 || !proven_at_most(kLeastRun, length)) {
      Stmt* term = new_loop(arena_, "term", 0, count);
      term->body = statements(term->variable, unflatten(first + term->variable, term_shape_));
      return {term};
    }
    Stmt* run = new_loop(arena_, "run", floor_div(first, length), ceil_div(first + count, length));
    const Sym begin = run->variable * length;
    Stmt* term = new_loop(arena_, "term", max(Sym(0), first - begin), min(length, first + count - begin));
    Index terms = unflatten(run->variable, Shape(term_shape_.begin(), term_shape_.end() - 1));
    terms.push_back(term->variable);
    term->body = statements(begin - first + term->variable, terms);
    run->body = {term};
    return {run};
  }
  Sym in_tile(Sym row, Sym column) const { return row * row_size_ + column; }
  int sum_of(int64_t row, int64_t vector) const { return tile_[static_cast<size_t>(row * (tile_columns_ / simd_) + vector)]; }
  /// Statements for each vector of a tile, row after row: what a row needs is in a register no longer than it is used.
  template <class Statements>
  void each_vector(Body& body, Statements statements) {
    for (int64_t row = 0; row < tile_rows_; ++row)
      for (int64_t vector = 0; vector < tile_columns_ / simd_; ++vector) {
        Stmt* lane = new_loop(arena_, "lane", 0, simd_);
        lane->body = statements(row, vector, lane->variable);
        add(body, vector_columns(arena_, lane, simd_));
      }
  }

  // --- few rows ----------------------------------------------------------------------------------------------------------

  /// Sums of all rows and columns of the block, which lie in memory.
  void streamed_block(Sym first, Sym count, Body& body) {
    each_sum(body, [&](Sym at) { return set_accumulator(arena_, streamed_, at, zero()); });
    add(body, each_member([&](Sym member) {
          Body steps;
          const Sym full = floor_div(count, terms_together_) * terms_together_;
          const auto terms = [&](Sym begin, Sym end, int64_t together) {
            if (proven_at_most(end, begin)) return;
            Stmt* term = new_loop(arena_, "term", begin, end);
            term->step = together;
            term->body = streamed_terms(first, term->variable, together, member);
            steps.push_back(term);
          };
          terms(0, full, terms_together_);
          terms(full, count, 1);
          return steps;
        }));
    if (has_one_block()) return;
    each_sum(body, [&](Sym at) { return update_accumulator(arena_, sums_[0], at, arena_.acc(dtype_, streamed_, at)); });
  }
  /// Of the block that begins at term `first`, `count` terms from its number `term` on.
  Body streamed_terms(Sym first, Sym term, int64_t count, Sym member) {
    return each("rowtile", row_tiles(), [&](Sym row_tile) {
      Stmt* column = new_loop(arena_, "column", 0, columns_here_);
      for (int64_t r = 0; r < tile_rows_; ++r)
        for (int64_t t = 0; t < count; ++t) {
          const Index terms = unflatten(first + term + t, term_shape_);
          const UOp* a = row_factor(member, row_tile, r, term + t, terms);
          const UOp* b = column_factor(first_row_, column->variable, terms);
          column->body.push_back(update_accumulator(arena_, streamed_, tile_at(member, row_tile, 0) + in_tile(r, column->variable), a, b));
        }
      Body loops = vectorise(arena_, column, simd_, false);
      if (count > 1 && simd_ * static_cast<int64_t>(size_of(dtype_)) == kLineBytes) ask_ahead(loops, term, count);
      return loops;
    });
  }
  /// Vectors of a few rows of the columns' factor far apart, which take as long to be used as to come from memory: those of the next terms
  /// are asked for meanwhile, into the second cache (8 x 4096 x 4096: 1.2 times as fast).
  void ask_ahead(const Body& loops, Sym term, int64_t count) {
    for (Stmt* loop : loops) {
      if (loop->kind != StmtKind::kLoop || loop->step != simd_) continue;
      Body asked;
      for (const UOp* u : uops_of(arena_, loop->body)) {
        if (u->kind != UKind::kLoad || u->type.lanes != simd_ || !depends_on(u->index, variable_of(term))) continue;
        asked.push_back(prefetch(arena_, u->buffer, substitute(u->index, {{variable_of(term), term + count}})));
      }
      loop->body.insert(loop->body.begin(), asked.begin(), asked.end());
    }
  }

  // --- the results -------------------------------------------------------------------------------------------------------

  /// Added to the +0.0 that the sum of blocks begins with: sums of products that underflow may be -0.0.
  const UOp* plus_zero(const UOp* sum) { return arena_.apply(Op::kAdd, dtype_, {sum, zero()}); }
  /// Stores of what is made of `sum`, which is that of this row and column of the block.
  Body stores_of(const UOp* sum, Sym row, Sym column) {
    c_.values.bind(&reduce_, from_accumulator(arena_, reduce_, sum));
    Index position = position_;
    if (contraction_.rows) position[*contraction_.row_position] = first_row_ + row;
    position[contraction_.column_position] = first_column_ + column;
    Body stores = store_outputs(c_, c_.plan.passes[0].stores, position);
    mark_in_place(c_);
    for (const Param& parameter : c_.kernel.params) HARP_ASSERT(parameter.in_place.empty(), "tiles overlap, and read what they stored");
    return stores;
  }

  /// A tile of a block of terms that is the only one: from the registers, where it is whole and little is to be done, else from memory.
  void store_tile(Sym row_tile, Sym column_tile, Body& body) {
    const auto sum = [&](int64_t r, int64_t vector, Sym lane) { return plus_zero(arena_.acc(dtype_, sum_of(r, vector), lane)); };
    const Sym first_row = row_of(row_tile), first_column = column_of(column_tile);
    const Sym rows_left = rows_from(row_tile), columns_left = columns_from(column_tile);
    Body direct;
    each_vector(direct, [&](int64_t r, int64_t vector, Sym lane) {
      return stores_of(sum(r, vector, lane), first_row + r, first_column + vector * simd_ + lane);
    });
    const Sym whole = min(rows_left - tile_rows_, columns_left - tile_columns_);
    const bool is_short = uops_of(arena_, direct).size() <= static_cast<size_t>(kMostWrittenOut * tile_size() / simd_);
    if (is_short && proven_nonnegative(whole)) return add(body, direct);

    result_ = accumulators_.add_array(dtype_, tile_size());
    Body through_memory;
    each_vector(through_memory, [&](int64_t r, int64_t vector, Sym lane) {
      return Body{set_accumulator(arena_, result_, in_tile(r, vector * simd_ + lane), sum(r, vector, lane))};
    });
    Stmt* row = new_loop(arena_, "row", 0, min(Sym(tile_rows_), rows_left));
    row->body = store_row(result_, in_tile(row->variable, 0), first_row + row->variable, first_column, columns_left);
    through_memory.push_back(row);
    if (!is_short || proven_nonnegative(Sym(-1) - whole)) return add(body, through_memory);
    Stmt* is_whole = arena_.statement(StmtKind::kIf);
    is_whole->condition = whole;
    is_whole->body = std::move(direct);
    is_whole->otherwise = std::move(through_memory);
    body.push_back(is_whole);
  }
  /// A row of a tile whose sums lie in `array` from `begin` on.
  Body store_row(int array, Sym begin, Sym row, Sym first_column, Sym columns_left) {
    Stmt* column = new_loop(arena_, "column", 0, min(Sym(tile_columns_), columns_left));
    const UOp* sum = arena_.acc(dtype_, array, begin + column->variable);
    if (array == streamed_) sum = plus_zero(sum);
    column->body = stores_of(sum, row, first_column + column->variable);
    return finish_inner_loop(c_, column, simd_, c_.schedule.overlap);
  }
  /// The block's, row after row of all tiles beside each other.
  void store_block(int array, Body& body) {
    add(body, each_member([&](Sym member) {
          return each("rowtile", row_tiles(), [&](Sym row_tile) {
            return each("row", min(Sym(tile_rows_), rows_from(row_tile)), [&](Sym row) {
              return each("columntile", column_tiles(), [&](Sym tile) {
                return store_row(array, tile_at(member, row_tile, tile) + in_tile(row, 0), row_of(row_tile) + row, column_of(tile),
                                 columns_from(tile));
              });
            });
          });
        }));
  }

  /// The block's where columns become rows: those of a tile are transposed, as far as there are rows, and stored one after the other.
  void store_turned(int array, Body& body) {
    Body stores = each_member([&](Sym member) {
      return each("columntile", column_tiles(), [&](Sym tile) {
        Stmt* transpose = arena_.statement(StmtKind::kTranspose);
        transpose->source = array;
        transpose->from = tile_at(member, 0, tile);
        transpose->from_stride = row_size_;
        transpose->rows = tile_columns_;
        transpose->length = rows_here_;
        transpose->accumulator = turned_;
        transpose->index = 0;
        transpose->stride = block_rows_;
        Body inside = {transpose};
        add(inside, each("column", min(Sym(tile_columns_), columns_from(tile)), [&](Sym column) {
              Stmt* row = new_loop(arena_, "row", 0, rows_here_);
              const UOp* sum = arena_.acc(dtype_, turned_, column * block_rows_ + row->variable);
              row->body = stores_of(sum, row->variable, column_of(tile) + column);
              return finish_inner_loop(c_, row, simd_, c_.schedule.overlap);
            }));
        return inside;
      });
    });
    body.push_back(declare_accumulator(arena_, turned_));
    add(body, stores);
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
  int64_t terms_together_;  // more than one: nothing is copied but rows (is_streamed)
  int64_t tile_rows_, tile_columns_, row_size_, panel_rows_, block_rows_, block_columns_;
  bool pack_rows_, shares_columns_, overlaps_rows_ = false, overlaps_columns_ = false;
  Index position_;  // of the kept axes, but rows and columns
  Dim group_ = 1;
  int64_t block_group_ = 1;
  Sym first_row_ = 0, first_column_, first_of_group_ = 0, rows_here_ = 1, columns_here_, group_here_ = 1;
  std::vector<int> sums_;  // by level
  std::vector<int> tile_;  // by row and vector
  std::optional<Windows> windows_, row_windows_;
  bool reads_columns_ = false;  // where they lie, or their windows are copied to
  int streamed_ = -1, result_ = -1, turned_ = -1, packed_rows_ = -1, packed_columns_ = -1;
};

}  // namespace

void lower_contraction(KernelContext& context) {
  const std::optional<Contraction> contraction = as_contraction(context.plan);
  HARP_ASSERT(contraction, "a kernel that is no contraction");
  ContractionLowering(context, *contraction).run();
}

}  // namespace harp::lower
