#include "lower/contraction_block.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "lower/masked_end.h"

namespace harp::lower {

using namespace ir;

ContractionBlock::ContractionBlock(KernelContext& context, const Contraction& contraction)
    : c(context),
      arena(context.arena),
      contraction(contraction),
      layout(context.plan, context.schedule, contraction, context.holds),
      reduce(*context.plan.reduces[0]),
      dtype(accumulator_dtype(reduce)),
      accumulators(context.kernel),
      position_(layout.kept_axes.size(), Sym(0)) {}

// --- loops over blocks ---------------------------------------------------------------------------------------------------------

/// Returns the indices of the kernel's axes in the order of the loops, outermost first. If the output is transposed, the loops have the
/// same order as the axes; but if threads divide the first two axes, those along which the shared columns are packed come first, so that
/// each worker packs them once. Otherwise batch axes come first, then rows, then columns, with two exceptions. If the columns' factor is
/// packed once for all rows (shared), the loop over columns is outside of the loop over rows, so that the factor is packed between the two.
/// If the factor is not shared and rows are the kernel's first axis (the thread axis), the loop over rows stays first.
std::vector<size_t> ContractionBlock::order() const {
  const std::optional<size_t> rows = contraction.row_position;
  const size_t columns = contraction.column_position;
  std::vector<size_t> order;
  for (size_t i = 0; i < layout.kept_axes.size(); ++i)
    if (layout.is_output_transposed || (i != columns && (i != rows || (i == 0 && !layout.shares_columns)))) order.push_back(i);
  if (layout.is_output_transposed) {
    if (layout.shares_columns && threads_divide_two_axes())
      std::stable_partition(order.begin(), order.end(), [&](size_t axis) { return is_packed_along(axis); });
    return order;
  }
  if (rows && layout.shares_columns)
    order.insert(order.end(), {columns, *rows});
  else if (rows && rows != 0)
    order.insert(order.end(), {*rows, columns});
  else
    order.push_back(columns);
  return order;
}

Sym ContractionBlock::blocks_along(size_t axis) const {
  if (axis == contraction.row_position) return ceil_div(layout.rows, layout.block_rows);
  if (axis == contraction.column_position) return ceil_div(layout.columns, layout.block_columns);
  if (axis == contraction.group_position) return ceil_div(layout.group, layout.block_group);
  return reduce.sources[0]->shape[layout.kept_axes[axis]];
}

void ContractionBlock::go_to_block(size_t axis, Sym number) {
  const auto go = [&](const Dim& count, int64_t size, Sym& first, Sym& here) {
    first = number * size, here = min(Sym(size), count - first);
  };
  if (axis == contraction.row_position)
    go(layout.rows, layout.block_rows, first_row, rows_here);
  else if (axis == contraction.column_position)
    go(layout.columns, layout.block_columns, first_column, columns_here);
  else if (axis == contraction.group_position)
    go(layout.group, layout.block_group, first_of_group, group_here);
  else
    position_[axis] = number;
}

Body ContractionBlock::each_block(std::span<const size_t> axes, const std::function<Body()>& inside) {
  if (axes.empty()) return inside();
  const size_t axis = axes[0];
  const LoopKind kind = axis == 0 && c.schedule.axes[0].kind == AxisKind::kThread ? LoopKind::kThread : LoopKind::kSequential;
  const Sym count = blocks_along(axis);
  if (kind == LoopKind::kThread && axis == contraction.row_position && layout.computes_half && !count.is_constant(1))
    return each_pair_of_row_blocks(axes.subspan(1), inside);
  if (kind == LoopKind::kThread && threads_divide_two_axes())
    for (size_t other = 1; other < axes.size(); ++other)
      if (!blocks_along(axes[other]).is_constant(1)) return each_block_of_two(axes, other, inside);
  const auto block = [&](Sym number) {
    go_to_block(axis, number);
    return each_block(axes.subspan(1), inside);
  };
  const std::string name = axis == contraction.row_position      ? "rows"
                           : axis == contraction.column_position ? "columns"
                           : axis == contraction.group_position  ? "group"
                                                                 : cat("oidx", axis);
  return each(name, count, block, kind);
}

bool ContractionBlock::threads_divide_two_axes() const {
  const auto is_blocked = [](std::optional<size_t> position) { return position == size_t{0}; };
  return !is_blocked(contraction.row_position) && !is_blocked(contraction.column_position) && !is_blocked(contraction.group_position) &&
         !blocks_along(0).is_constant();
}

/// Makes the thread loop over the indices of the kernel's first axis and the blocks of axes[other], the next axis with several blocks.
Body ContractionBlock::each_block_of_two(std::span<const size_t> axes, size_t other, const std::function<Body()>& inside) {
  const Sym count = blocks_along(axes[0]), blocks = blocks_along(axes[other]);
  const auto of_both = [&](Sym number) {
    Define *index = arena.statement<Define>(), *block = arena.statement<Define>();
    index->value = arena.index(floor_div(number, blocks)), index->variable = arena.syms().loop("oidx0", 0, count);
    block->value = arena.index(mod(number, blocks)), block->variable = arena.syms().loop("block", 0, blocks);
    go_to_block(axes[0], index->variable);
    for (size_t i = 1; i < other; ++i) go_to_block(axes[i], 0);
    go_to_block(axes[other], block->variable);
    block->body = each_block(axes.subspan(other + 1), inside);
    index->body = {block};
    return Body{index};
  };
  return each("oidx", count * blocks, of_both, LoopKind::kThread);
}

/// Makes the thread loop over the blocks of rows if only the blocks up to the diagonal are computed (Schedule::half). The later a block of
/// rows, the more columns it has. So each iteration of the thread loop computes two blocks, one from the beginning and one from the end:
/// the work of an iteration, and thus the share of each worker, is always the same. If the number of blocks is odd, the last iteration has
/// only one block.
Body ContractionBlock::each_pair_of_row_blocks(std::span<const size_t> axes, const std::function<Body()>& inside) {
  const Sym count = ceil_div(layout.rows, layout.block_rows);
  const auto of_pair = [&](Sym pair) {
    return each("second", min(Sym(2), count - pair * 2), [&](Sym second) {
      auto* define = arena.statement<Define>();
      define->value = arena.index(pair + second * (count - 1 - pair * 2));
      // This variable is defined only to tell the range analysis that the index of the block is in 0 … count - 1, which it cannot derive
      // from the expression.
      define->variable = arena.syms().loop("rowblock", 0, count);
      first_row = define->variable * layout.block_rows, rows_here = min(Sym(layout.block_rows), layout.rows - first_row);
      define->body = each_block(axes, inside);
      return Body{define};
    });
  };
  return each("rows", ceil_div(count, 2), of_pair, LoopKind::kThread);
}

void ContractionBlock::go_to_member(Sym member) {
  if (contraction.group_position) position_[*contraction.group_position] = first_of_group + member;
}

std::optional<size_t> ContractionBlock::product_axis() const {
  for (size_t i = layout.kept_axes.size(); i-- > 0;)
    if (i != contraction.row_position && i != contraction.column_position && i != contraction.group_position) return i;
  return std::nullopt;
}

Sym ContractionBlock::row_of(Sym row_tile) const {
  const Sym row = row_tile * layout.tile_rows;
  return layout.overlaps_rows ? min(row, rows_here - layout.tile_rows) : row;
}
Sym ContractionBlock::rows_from(Sym row_tile) const { return layout.whole_rows ? Sym(layout.tile_rows) : rows_here - row_of(row_tile); }
Sym ContractionBlock::column_of(Sym column_tile) const {
  const Sym column = column_tile * layout.tile_columns;
  return layout.overlaps_columns ? min(column, columns_here - layout.tile_columns) : column;
}
Sym ContractionBlock::columns_from(Sym column_tile) const {
  return layout.whole_columns ? Sym(layout.tile_columns) : columns_here - column_of(column_tile);
}

Index ContractionBlock::source_index(Sym row, Sym column, const Index& terms) const {
  Index index(reduce.sources[0]->shape.size(), Sym(0));
  for (size_t i = 0; i < layout.kept_axes.size(); ++i) index[layout.kept_axes[i]] = position_[i];
  if (contraction.rows) index[*contraction.rows] = row;
  index[contraction.columns] = column;
  for (size_t i = 0; i < terms.size(); ++i) index[layout.term_axes[i]] = terms[i];
  return index;
}

// --- sums in memory ------------------------------------------------------------------------------------------------------------

void ContractionBlock::add_sums() {
  if (layout.stores_tiles()) return;
  const bool needs_one = layout.has_one_block_of_terms || is_free_of_order(reduce.op, dtype);
  const int levels = needs_one ? 1 : levels_needed(ceil_div(layout.terms, kChainBlock), kChainBlock);
  for (int level = 0; level < levels; ++level) sums_.push_back(accumulators.add_array(dtype, layout.block_size()));
}

Body ContractionBlock::each_block_of_terms(const BlockOfTerms& block_of_terms) {
  if (layout.has_one_block_of_terms) return block_of_terms(0, layout.terms);
  std::vector<Sym> counts = {ceil_div(layout.terms, kChainBlock)};
  while (counts.size() < sums_.size()) counts.push_back(ceil_div(counts.back(), kChainBlock));
  Body body;
  // If there are no terms, the sums are set to 0 here: sums_of_level() sets those of the lowest level only inside the loops of higher
  // levels, which then do not run.
  if (sums_.size() > 1 && !proven_positive(layout.terms))
    body.push_back(new_if(arena, -layout.terms, each_sum([&](Sym at) { return set_accumulator(arena, sums_of_all_terms(), at, zero()); })));
  add(body, sums_of_level(sums_.size() - 1, counts, 0, counts.back(), block_of_terms));
  if (sums_of_all_terms() != sums_.back())
    add(body, only_with_levels(
                  each_sum([&](Sym at) { return set_accumulator(arena, sums_of_all_terms(), at, arena.acc(dtype, sums_.back(), at)); })));
  return body;
}

/// Returns statements that set sums_[level] to the sum of items begin … end - 1. At level 0 the items are blocks of terms; at higher levels
/// they are the results of blocks of the level below. If no higher level is needed, only sums_[0] is set.
Body ContractionBlock::sums_of_level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, const BlockOfTerms& block_of_terms) {
  Body zeros = each_sum([&](Sym at) { return set_accumulator(arena, sums_[level], at, zero()); });
  Body body = level > 0 ? only_with_levels(std::move(zeros)) : unless_one_block(std::move(zeros));
  add(body, each(cat("block", level), end - begin, [&](Sym block) {
        const Sym first = (begin + block) * kChainBlock;
        if (level == 0) return block_of_terms(first, min(Sym(kChainBlock), layout.terms - first));
        Body inside = sums_of_level(level - 1, counts, first, min(first + kChainBlock, counts[level - 1]), block_of_terms);
        add(inside, only_with_levels(each_sum(
                        [&](Sym at) { return update_accumulator(arena, sums_[level], at, arena.acc(dtype, sums_[level - 1], at)); })));
        return inside;
      }));
  return body;
}

/// Returns an If statement that runs the statements only if higher levels of blocks are needed, that is, if there are more than kChainBlock
/// blocks of terms. If that is proven, returns the statements alone.
Body ContractionBlock::only_with_levels(Body statements) {
  if (proven_nonnegative(terms_beyond_one_level())) return statements;
  return {new_if(arena, terms_beyond_one_level(), std::move(statements))};
}

Body ContractionBlock::each_sum(const std::function<Stmt*(Sym at)>& statement) {
  const auto sums = [&](Sym begin, Sym count) {
    Loop* sum = new_loop(arena, "sum", 0, count);
    sum->body = {statement(begin + sum->variable)};
    return Body{sum};
  };
  const Body nest = each_member([&](Sym member) {
    if (layout.are_tiles_by_columns())
      return each_column_tile([&](Sym tile) { return sums(layout.tile_at(member, 0, tile), row_tiles() * layout.tile_size()); });
    return each_row_tile([&](Sym tile) { return sums(layout.tile_at(member, tile, 0), column_tiles() * layout.tile_size()); });
  });
  return vector_nest(first_loop_in(nest), layout.simd);
}

Body ContractionBlock::unless_one_block(Body statements) {
  if (!layout.may_have_one_block) return statements;
  return {new_if(arena, Sym(-1) - layout.is_one_block(), std::move(statements))};
}

// --- the results ---------------------------------------------------------------------------------------------------------------

Body ContractionBlock::stores_of(const UOp* sum, Sym row, Sym column, bool is_mirrored) {
  c.values.bind(&reduce, from_accumulator(arena, reduce, sum));
  Index position = position_;
  Sym at_row = first_row + row, at_column = first_column + column;
  if (is_mirrored) std::swap(at_row, at_column);
  if (contraction.rows) position[*contraction.row_position] = at_row;
  position[contraction.column_position] = at_column;
  Body stores = store_outputs(c, c.plan.passes[0].stores, position);
  mark_in_place(c);
  for (const Param& parameter : c.kernel.params)
    HARP_ASSERT(parameter.in_place.empty(), parameter.name,
                " may be overwritten in place, but the tiles overlap and would read elements that they stored");
  return stores;
}

bool ContractionBlock::masks_columns() {
  if (masks_columns_) return *masks_columns_;
  masks_columns_ = false;
  if (layout.is_output_transposed || layout.computes_half || !proven_less(layout.columns, layout.simd)) return false;
  if (!has_masked_vectors(c.program.target, reduce, layout.simd)) return false;
  Loop* lane = new_loop(arena, "lane", 0, layout.simd);
  lane->body = stores_of(zero(), 0, lane->variable);
  const auto is_stored = [&](const Stmt* s) { return is_stored_whole(*as<Store>(s), lane, layout.simd); };
  const auto is_loaded = [&](const UOp* u) {
    const bool is_of_all_lanes = u->kind == UKind::kLoad && !depends_on(u->index, variable_of(lane->variable));
    return mask_of(u) == nullptr && (is_of_all_lanes || is_loaded_whole(u, lane, layout.simd));
  };
  masks_columns_ = std::ranges::all_of(lane->body, is_stored) &&
                   std::ranges::all_of(uops_of(arena, lane->body), [&](const UOp* u) { return !is_read(u) || is_loaded(u); });
  return *masks_columns_;
}

Body ContractionBlock::masked(const Body& stores, Sym column, Sym lane) {
  if (!masks_columns()) return stores;
  const UOp* exists = arena.in_range(layout.columns - 1 - first_column - column);
  Substituter with_masks(arena, {});
  for (const UOp* u : uops_of(arena, stores))
    if (u->kind == UKind::kLoad && depends_on(u->index, variable_of(lane)))
      with_masks.replace(u, arena.load(u->type.dtype, u->buffer, u->index, exists));
  Body result = with_masks(stores);
  for (Stmt* s : result) as<Store>(s)->mask = exists;
  return result;
}

Body ContractionBlock::store_row(const SumAt& sum_at, Sym begin, Sym row, Sym first_column, Sym columns_left) {
  Loop* column = new_loop(arena, "column", 0, masks_columns() ? Sym(layout.simd) : min(Sym(layout.tile_columns), columns_left));
  column->body = masked(stores_of(sum_at(begin + column->variable), row, first_column + column->variable), first_column + column->variable,
                        column->variable);
  if (masks_columns()) return vector_columns(column, layout.simd);
  return inner_loop(c, column, layout.simd, c.schedule.may_overlap());
}

Body ContractionBlock::store_rows(const SumAt& sum_at) {
  return each_member([&](Sym member) {
    return each_row_tile([&](Sym row_tile) {
      return each("row", min(Sym(layout.tile_rows), rows_from(row_tile)), [&](Sym row) {
        return each_column_tile([&](Sym tile) {
          const Sym begin = layout.tile_at(member, row_tile, tile) + layout.in_tile(row, 0);
          return store_row(sum_at, begin, row_of(row_tile) + row, column_of(tile), columns_from(tile));
        });
      });
    });
  });
}

}  // namespace harp::lower
