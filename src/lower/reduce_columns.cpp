// Lowers reductions in chain order (docs/semantics.md, "Sums"). The rows to reduce are read one after the other; each row is combined into
// the accumulators of a tile of columns, and the columns are the vector axis. Each block of rows is one chain, and the results of the
// blocks are combined one after the other.
#include <algorithm>

#include "lower/masked_end.h"
#include "lower/reduce_lowering.h"
#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

// A tile with fewer columns than a quarter (1 / kPartOfVector) of a vector's lanes is processed by scalar code, which is then faster.
constexpr int kPartOfVector = 4;
constexpr int kMaxVectorsOfRest = 4;  // the remainder loop of unroll-and-jam, which rarely runs, unrolls at most this many vectors of a row
// If the accumulators are more than this many vectors, a loop that initialises only the columns in use is faster than initialising all.
constexpr int64_t kVectorsSetAtOnce = 4;

/// Returns the number of items of each level: of elements at level 0, else of blocks of the level below.
std::vector<Sym> counts_of(size_t levels, Sym count) {
  std::vector<Sym> counts = {count};
  while (counts.size() < levels) counts.push_back(ceil_div(counts.back(), kChainBlock));
  return counts;
}

}  // namespace

// --- blocks ------------------------------------------------------------------------------------------------------------------

void ReduceLowering::chain_blocks(const std::vector<BlockLevel>& levels, Sym count, Sym width, const Elements& elements,
                                  const WholeBlocks& whole, Body& body) {
  const std::vector<Sym> counts = counts_of(levels.size(), count);
  chain_level(levels, counts, levels.size() - 1, 0, counts.back(), width, elements, whole, body);
}

void ReduceLowering::chain_level(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                                 Sym width, const Elements& elements, const WholeBlocks& whole, Body& body) {
  declare_columns(levels[level], body);
  chain_items(levels, counts, level, begin, end, width, elements, whole, body);
}

void ReduceLowering::chain_items(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                                 Sym width, const Elements& elements, const WholeBlocks& whole, Body& body) {
  if (level == 0) {
    elements(begin, end, body);
    return;
  }
  if (level == 1 && whole.together > 1) {
    const Sym end_of_whole = min(end, floor_div(counts[0], kChainBlock)),
              rest = begin + floor_div(max(end_of_whole - begin, Sym(0)), whole.together) * whole.together;
    Loop* groups = new_loop(arena_, "blocks", begin, rest);
    groups->step = whole.together;
    whole.reduce(groups->variable, groups->body);
    body.push_back(groups);
    begin = rest;
  }
  if (proven_at_most(end, begin)) return;
  Loop* blocks = new_loop(arena_, cat("block", level), begin, end);
  const Sym first = blocks->variable * kChainBlock;
  chain_level(levels, counts, level - 1, first, min(first + kChainBlock, counts[level - 1]), width, elements, whole, blocks->body);
  carry_columns(levels[level - 1], levels[level], width, blocks->body);
  body.push_back(blocks);
}

void ReduceLowering::carry_columns(const BlockLevel& from, const BlockLevel& to, Sym width, Body& body) {
  if (width.is_constant(1)) return carry(from, 0, to, 0, body);
  Loop* columns = new_loop(arena_, "column", 0, width);
  carry(from, columns->variable, to, columns->variable, columns->body);
  for (Stmt* s : vector_columns(columns, simd_width_)) body.push_back(s);
}

void ReduceLowering::declare_columns(const BlockLevel& level, Body& body) {
  declare(level, body);
  if (!columns_set_) return;
  Loop* column = new_loop(arena_, "column", 0, *columns_set_);
  for (const int a : level.accumulators)
    column->body.push_back(
        set_accumulator(arena_, a, column->variable, arena_.constant(c_.kernel.accumulators[static_cast<size_t>(a)].init)));
  for (Stmt* s : vector_loop(column, simd_width_)) body.push_back(s);
}

int ReduceLowering::chain_levels(const RowPass& pass) const {
  return levels_of(pass, element_count(sizes(outer_)), kChainBlock, element_count(sizes(kept_)), c_.holds);
}

// --- tiles of columns --------------------------------------------------------------------------------------------------------

Body ReduceLowering::columns(const Index& outer_kept) {
  if (kept_.empty()) return column_passes(outer_kept, Sym(0), 1, 1);
  const Dim width = size(kept_.back());
  const int64_t wanted = c_.schedule.axes[kept_.size() - 1].tile;
  size_t row_bytes = 0;
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* r : pass.reduces) row_bytes += size_of(accumulator_dtype(*r)) * static_cast<size_t>(chain_levels(pass));
  int64_t tile = kLanes;
  // Unless the schedule gives the size of a tile, it is kLanes times the largest power of two for which the accumulators fit on the stack.
  while (tile * 2 * static_cast<int64_t>(row_bytes) <= kFrameBytes) tile *= 2;
  if (has_lane_columns()) tile = kLanes;  // few columns, because each has up to 64 accumulators at each level
  if (wanted > 0) tile = wanted;
  if (range(width).hi <= tile) {
    const int64_t most = std::max<int64_t>(range(width).hi, 1);
    const int64_t capacity = (most + simd_width_ - 1) / simd_width_ * simd_width_;
    return column_passes(outer_kept, Sym(0), width, capacity);
  }
  Loop* tiles = new_loop(arena_, "tile", 0, ceil_div(width, tile));
  const Sym start = tiles->variable * tile;
  tiles->body = column_passes(outer_kept, start, min(Sym(tile), width - start), tile);
  return {tiles};
}

Body ReduceLowering::column_passes(const Index& outer_kept, Sym start, Sym width, int64_t capacity) {
  return with_nan_retry([&] { return passes_over({outer_kept, start, width, capacity}); });
}

Body ReduceLowering::passes_over(const Tile& tile) {
  Body body;
  rows_.declare(accumulators_, kept_.empty() ? std::nullopt : std::optional(RowValues::Tile{kept_.back(), tile.start, tile.capacity}),
                body);
  if (const std::optional<int64_t> most = elements_of_transposed(tile)) {
    transposed_.emplace(c_, accumulators_, tile.capacity, *most, simd_width_);
    transposed_->load({tile.outer_kept, tile.start, tile.width}, body);
  }
  for (const RowPass& pass : c_.plan.passes) {
    pass_ = &pass;
    copy_windows(tile, body);
    const Body statements = pass.reduces.empty() ? (kept_.empty() ? row_loops({}) : column_rows(tile))
                            : has_lane_columns() ? lane_columns_pass(tile)
                                                 : chain_pass(tile);
    body.insert(body.end(), statements.begin(), statements.end());
    rows_.bind(pass);
    Loop* columns = new_loop(arena_, "column", 0, tile.width);
    bind_results(columns->variable);
    columns->body = store_outputs(c_, pass.stores, kept_at(tile, columns->variable));
    if (!columns->body.empty())
      for (Stmt* s : columns_of_results(columns)) body.push_back(s);
    if (kept_.empty()) bind_results(0);
    keep_column_values(tile, body);
  }
  release_column_values();
  if (transposed_) transposed_->store(body);
  return body;
}

std::optional<int64_t> ReduceLowering::elements_of_transposed(const Tile& tile) const {
  if (!has_lane_columns() || tile.capacity % simd_width_ != 0) return std::nullopt;
  const int64_t most = most_elements(element_count(sizes(inner_)), 1, c_.holds);
  return most > 0 && most <= kMaxCopiedTerms ? std::optional(most) : std::nullopt;
}

void ReduceLowering::copy_windows(const Tile& tile, Body& body) {
  reads_whole_vectors_ = false;
  if (c_.plan.passes.size() != 1 || !pass_->row_stores.empty() || kept_.empty()) return;
  // Windows are not copied on a GPU, where a thread has too few columns to benefit from a copy, and not in lanes order, where rows are too
  // long.
  if (c_.program.target.gpu() != nullptr || attributes_.order != ReduceOrder::kChain) return;
  const bool is_narrow = tile.width.is_constant() && tile.width.constant() < simd_width_ / kPartOfVector;
  const bool holds_vectors = tile.capacity % simd_width_ == 0 && !is_narrow;
  const Sym read = holds_vectors ? ceil_div(tile.width, simd_width_) * simd_width_ : tile.width;
  std::vector<Windows::Axis> axes = {{new_loop(arena_, "column", 0, tile.width)->variable, tile.width, read, tile.capacity}};
  const Sym any_column = new_loop(arena_, "column", 0, tile.capacity)->variable;
  Index index = source_index(kept_at(tile, axes[0].variable), 0, 0), index_of_any = source_index(kept_at(tile, any_column), 0, 0);
  for (const size_t axis : outer_) {
    if (!size(axis).is_constant() || size(axis).constant() < 1) return;
    axes.push_back({new_loop(arena_, "term", 0, size(axis))->variable, size(axis), size(axis), size(axis).constant()});
    index[axis] = index_of_any[axis] = axes.back().variable;
  }
  for (const Node* reduce : pass_->reduces)
    for (const Node* operand : operands_of(*reduce))
      if (operand->rank() > 0 && !windows_.contains(operand))
        if (auto copy = Windows::copy(c_, accumulators_, operand, index, axes, Windows::kMinReads, simd_width_, body))
          windows_.emplace(operand, *copy);
  if (windows_.empty() || !holds_vectors || !pass_->row_values.empty()) return;
  // Tests whether columns beyond the last one can be read, too. A copy of windows permits this if positions in the copy are linear for
  // every column for which the tile has space, not only for the columns that exist. Any other operand must not vary along the columns.
  const auto is_readable = [&](const Node* operand) {
    const auto copy = windows_.find(operand);
    if (copy == windows_.end()) return operand->rank() == 0 || !varies(operand, kept_.back());
    const UOp* value = copy->second.value(operand, index_of_any);
    return value->kind == UKind::kAcc && linear_in(value->index, variable_of(any_column)).has_value();
  };
  reads_whole_vectors_ =
      std::ranges::all_of(pass_->reduces, [&](const Node* reduce) { return std::ranges::all_of(operands_of(*reduce), is_readable); });
}

Sym ReduceLowering::columns_read(const Tile& tile) const {
  return reads_whole_vectors_ ? ceil_div(tile.width, simd_width_) * simd_width_ : tile.width;
}

Index ReduceLowering::kept_at(const Tile& tile, Sym column) const {
  Index kept = tile.outer_kept;
  if (!kept_.empty()) kept.push_back(tile.start + column);
  return kept;
}

// --- rows --------------------------------------------------------------------------------------------------------------------

bool ReduceLowering::sets_columns_in_use(const Tile& tile) const {
  return c_.program.target.gpu() == nullptr && !kept_.empty() && !size(kept_.back()).is_constant() && tile.capacity >= kLanes &&
         tile.capacity > kVectorsSetAtOnce * simd_width_;
}

bool ReduceLowering::may_be_one_block(Sym count) const {
  if (c_.program.target.gpu() != nullptr || c_.plan.passes.size() != 1 || count.is_constant()) return false;
  if (!pass_->row_values.empty() || !pass_->row_stores.empty()) return false;
  return std::ranges::all_of(pass_->reduces, [](const Node* reduce) { return reduce->as<ReduceAttributes>().product; });
}

Body ReduceLowering::chain_pass(const Tile& tile) {
  const Sym count = element_count(sizes(outer_));
  std::vector<BlockLevel> levels;
  for (int l = chain_levels(*pass_); l-- > 0;) levels.push_back(new_level(tile.capacity));
  Body body;
  if (const int64_t shares = is_free_of_order(*pass_) ? interleaved_chains(*pass_, tile.width) : 1; shares > 1) {
    reduce_interleaved_shares(tile, levels[0], count, shares, body);
    results_.push_back({pass_, levels.back(), levels.size()});
    return body;
  }
  if (sets_columns_in_use(tile))
    columns_set_ = tile.capacity % simd_width_ == 0 ? ceil_div(tile.width, simd_width_) * simd_width_ : tile.width;
  declare_columns(levels.back(), body);
  Body blocks;
  const std::vector<Sym> counts = counts_of(levels.size(), count);
  const auto elements = [&](Sym begin, Sym end, Body& into) { reduce_rows(tile, levels[0], begin, end, into); };
  chain_items(levels, counts, levels.size() - 1, 0, counts.back(), tile.width, elements,
              levels.size() > 1 ? interleaved_blocks(tile, levels[1], count) : WholeBlocks(), blocks);
  if (columns_set_)  // the arrays need no initial value, because every element that is read is set after the declaration
    for (const BlockLevel& level : levels)
      for (const int a : level.accumulators) c_.kernel.accumulators[static_cast<size_t>(a)].is_row = true;
  columns_set_.reset();
  const bool has_short_form = levels.size() > 1 && may_be_one_block(count);
  if (has_short_form) {
    Body one;
    reduce_rows(tile, levels.back(), 0, min(Sym(kChainBlock), count), one);
    body.push_back(new_if(arena_, Sym(kChainBlock) - count, std::move(one), std::move(blocks)));
  } else {
    body.insert(body.end(), blocks.begin(), blocks.end());
  }
  // If the kernel also contains code for a single block, result() must add +0.0 to the sums, as for a single level. Sums over several
  // levels of blocks are not changed by this addition.
  results_.push_back({pass_, levels.back(), has_short_form ? 1 : levels.size()});
  return body;
}

void ReduceLowering::reduce_rows(const Tile& tile, const BlockLevel& level, Sym begin, Sym end, Body& body) {
  const int together = in_registers(columns_read(tile), simd_width_) ? 1 : std::max(1, c_.schedule.axes.back().unroll);
  const Sym full = begin + floor_div(end - begin, together) * together;
  // If the rows may be combined in any order, they are divided into `together` equal parts, each of which is read as a separate memory
  // stream.
  const Sym share = floor_div(end - begin, together);
  const bool are_interleaved = is_free_of_order(*pass_) && is_whole_row(tile);
  if (together > 1 && (full - begin).is_constant(together)) {
    const Body all = rows(tile, level, begin, together);
    body.insert(body.end(), all.begin(), all.end());
  } else if (together > 1 && !proven_at_most(full, begin)) {
    Loop* loop = new_loop(arena_, next_name(), begin, are_interleaved ? begin + share : full);
    loop->step = are_interleaved ? 1 : together;
    loop->body = rows(tile, level, loop->variable, together, are_interleaved ? share : 1);
    Loop* columns = first_loop_in(loop->body);
    if (c_.schedule.prefetch && is_whole_line(simd_width_ * static_cast<int64_t>(size_of(first_.sources[0]->dtype))))
      columns->tags.ahead = {.along = loop->variable, .distance = loop->step, .is_near = false};
    body.push_back(loop);
  }
  const Sym rest = together > 1 ? full : begin;
  if (!proven_at_most(end, rest)) {
    Loop* loop = new_loop(arena_, next_name(), rest, end);
    loop->body = rows(tile, level, loop->variable, 1);
    body.push_back(loop);
  }
}

Body ReduceLowering::column_rows(const Tile& tile) {
  Loop* loop = new_loop(arena_, next_name(), 0, element_count(sizes(has_lane_columns() ? inner_ : outer_)));
  loop->body = rows(tile, {}, loop->variable, 1);
  return {loop};
}

Body ReduceLowering::rows(const Tile& tile, const BlockLevel& level, Sym row, int n, Sym distance, Sym first) {
  const bool is_chain = attributes_.order == ReduceOrder::kChain;
  const int together = kept_.empty() ? 1 : c_.schedule.axes[kept_.size() - 1].unroll;
  const bool is_left = n == 1 && c_.schedule.axes.back().unroll > 1;
  const auto combine = [&](Sym column, const UOp* mask, Body& body) {
    std::vector<Index> indices;
    for (int i = 0; i < n; ++i) {
      const Sym at = row + distance * i;
      indices.push_back(source_index(kept_at(tile, column), is_chain ? at : Sym(0), is_chain ? Sym(0) : at));
    }
    if (n > 1)
      visit_all(level, first + column, indices, body, mask);
    else
      visit(level, first + column, indices[0], body, mask);
  };
  return each_column(tile, is_left ? std::min(together, kMaxVectorsOfRest) : together, combine);
}

Body ReduceLowering::each_column(const Tile& tile, int together, const ColumnStatements& statements) {
  const auto loop_over = [&](Sym begin, Sym end, bool is_masked) {
    Loop* columns = new_loop(arena_, "column", begin, end);
    bind_results(columns->variable);
    const UOp* mask = is_masked ? arena_.in_range(tile.width - 1 - columns->variable) : nullptr;
    masks_columns_ = is_masked;
    statements(columns->variable, mask, columns->body);
    masks_columns_ = false;
    return columns;
  };
  const auto in_vectors = [&](Loop* columns) { return columns_of_row(columns, together); };
  if (transposed_) {
    Loop* whole = loop_over(0, ceil_div(tile.width, simd_width_) * simd_width_, false);
    if (TransposedRows::load_no_columns(arena_, whole->body, whole->variable)) return in_vectors(whole);
  }
  if (may_mask_rest(tile)) {
    const Sym whole = floor_div(tile.width, simd_width_) * simd_width_;
    Loop* rest = loop_over(whole, ceil_div(tile.width, simd_width_) * simd_width_, true);
    const std::vector<const UOp*> uops = uops_of(arena_, rest->body);
    const auto is_whole = [&](const UOp* u) {
      const bool is_of_all_columns = is_read(u) && mask_of(u) == nullptr && !depends_on(u->index, variable_of(rest->variable));
      return !is_read(u) || is_of_all_columns || is_loaded_whole(u, rest, simd_width_);
    };
    if (std::ranges::all_of(uops, is_whole)) {
      Body body = whole.is_constant(0) ? Body{} : in_vectors(loop_over(0, whole, false));
      for (Stmt* s : vector_loop(rest, simd_width_)) body.push_back(s);
      return body;
    }
  }
  return in_vectors(loop_over(0, columns_read(tile), false));
}

bool ReduceLowering::may_mask_rest(const Tile& tile) const {
  if (kept_.empty()) return false;
  const bool has_rest = has_lane_columns() ? !mod(tile.width, simd_width_).is_constant(0) : !size(kept_.back()).is_constant();
  return has_rest && tile.capacity % simd_width_ == 0 && windows_.empty() && !c_.schedule.nan_flag && pass_->row_values.empty() &&
         pass_->row_stores.empty() && !pass_->reduces.empty() && std::ranges::all_of(pass_->reduces, [&](const Node* reduce) {
           return has_masked_vectors(c_.program.target, *reduce, simd_width_);
         });
}

Body ReduceLowering::columns_of_row(Loop* columns, int together) {
  return pass_->reduces.empty() ? vector_loop(columns, simd_width_) : vector_columns(columns, simd_width_, together);
}

Body ReduceLowering::columns_of_results(Loop* columns) { return vector_loop(columns, simd_width_); }

}  // namespace harp::lower
