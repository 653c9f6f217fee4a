#include "lower/contraction_factors.h"

#include <algorithm>
#include <cstdlib>

#include "lower/panel.h"
#include "schedule/cpu/tuning.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Maximum size in bytes of a columns' factor that is expected to stay in the first-level cache without packing: half of that cache.
constexpr int64_t kMaxUnpackedBytes = 16 << 10;

constexpr int kTermBits = 16;  // number of bits of a term if a 32-bit lane holds two terms

}  // namespace

// --- values --------------------------------------------------------------------------------------------------------------------

const UOp* ContractionFactors::value(const Node* factor, const Index& index) {
  return to_accumulator(block_.arena, block_.reduce, block_.c.values.value(factor, factor->rank() == 0 ? Index{} : index));
}

ContractionFactors::Term ContractionFactors::term_at(Sym first, Sym number) const {
  return {first, number, block_.layout.terms_of_lane == 1 ? unflatten(first + number, block_.layout.term_shape) : Index{}};
}

/// Returns the content of a lane: the term itself, or two terms, the first in the low half and the second in the high half. If the number
/// of terms is odd, the high half of the last lane is zero. In that case the last term is read for both halves, because the memory beyond
/// it may be unreadable.
const UOp* ContractionFactors::lane_of(const Term& term, const ReadTerm& read) {
  const ContractionLayout& layout = block_.layout;
  if (layout.terms_of_lane == 1) return read(term.index);
  Arena& arena = block_.arena;
  const auto number = [&](int64_t n) { return arena.constant(scalar_from_int(block_.dtype, n)); };
  const Sym next = term.first + term.number * layout.terms_of_lane + 1, last = layout.terms - 1;
  const bool are_even = layout.lanes_fill(layout.terms);
  Index low_index = term.index, high_index = term.index;
  if (term.index.empty()) {
    low_index = unflatten(next - 1, layout.term_shape);
    high_index = unflatten(are_even ? next : min(next, last), layout.term_shape);
  } else {
    high_index.back() += 1;
  }
  const UOp *low = read(low_index), *high = read(high_index);
  if (!are_even) high = arena.apply(Op::kWhere, block_.dtype, {arena.in_range(last - next), high, number(0)});
  low = arena.apply(Op::kBitAnd, block_.dtype, {low, number((1 << kTermBits) - 1)});
  high = arena.apply(Op::kShl, block_.dtype, {high, number(kTermBits)});
  return arena.apply(Op::kBitOr, block_.dtype, {low, high});
}

const UOp* ContractionFactors::row(Sym member, Sym row_tile, int64_t row, const Term& term) {
  if (packs_rows_) return block_.arena.acc(block_.dtype, packed_rows_, block_.layout.packed_row_at(member, row_tile, term.number, row));
  const Sym there = block_.first_row + block_.row_of(row_tile) + row, last = block_.layout.rows - 1;
  return lane_of(term, [&](const Index& terms) {
    if (!row_windows_) return row_in_place(block_.layout.whole_rows ? there : min(there, last), terms);
    const Index index = block_.source_index(there, block_.first_column, terms);
    return to_accumulator(block_.arena, block_.reduce, row_windows_->value(block_.contraction.row_factor, index));
  });
}
const UOp* ContractionFactors::row_in_place(Sym row, const Index& terms) {
  return value(block_.contraction.row_factor, block_.source_index(row, block_.first_column, terms));
}

const UOp* ContractionFactors::column_in_place(Sym column, const Index& terms) {
  const Index index = block_.source_index(block_.first_row, block_.first_column + column, terms);
  if (!column_windows_) return value(block_.contraction.column_factor, index);
  return to_accumulator(block_.arena, block_.reduce, column_windows_->value(block_.contraction.column_factor, index));
}

const UOp* ContractionFactors::column(Sym member, Sym column_tile, Sym column, const Term& term) {
  if (reads_columns_) return column_in_place(block_.column_of(column_tile) + column, term.index);
  const Sym at = block_.layout.packed_column_at(member, column_tile, term.first, term.number) + column;
  return block_.arena.acc(block_.dtype, packed_columns_, at);
}

// --- packed tiles --------------------------------------------------------------------------------------------------------------

void ContractionFactors::add_copied_columns() {
  if (!reads_columns_) packed_columns_ = block_.accumulators.add_array(block_.dtype, block_.layout.packed_columns_size());
}
void ContractionFactors::add_copied_rows() {
  if (packs_rows_) packed_rows_ = block_.accumulators.add_array(block_.dtype, block_.layout.packed_rows_size());
}
std::vector<int> ContractionFactors::copies() const {
  std::vector<int> arrays;
  if (packed_columns_ >= 0 && !block_.layout.shares_columns) arrays.push_back(packed_columns_);
  if (packed_rows_ >= 0) arrays.push_back(packed_rows_);
  return arrays;
}

Body ContractionFactors::pack_rows(Sym first, Sym count) {
  if (!packs_rows_) return {};
  const ContractionLayout& layout = block_.layout;
  return block_.each_member_with_rows([&](Sym member) {
    return block_.each_row_tile([&](Sym tile) {
      const Sym row = block_.first_row + block_.row_of(tile);
      const Panel panel{block_.dtype,      packed_rows_,       layout.packed_row_at(member, tile, 0, 0),
                        layout.panel_rows, !layout.whole_rows, layout.simd};
      return pack(block_.c, panel, layout.rows - row, layout.lanes_of(count), [&](Sym lane, Sym term) {
        return lane_of(term_at(first, term), [&](const Index& terms) { return row_in_place(row + lane, terms); });
      });
    });
  });
}

Body ContractionFactors::pack_columns(Sym member, Sym column_tile, Sym first, Sym count) {
  if (reads_columns_ || block_.layout.shares_columns) return {};
  return pack_tile_of_columns(member, column_tile, first, count);
}

Body ContractionFactors::pack_tile_of_columns(Sym member, Sym column_tile, Sym first, Sym count) {
  const ContractionLayout& layout = block_.layout;
  const Sym column = block_.column_of(column_tile);
  const Sym left = layout.whole_columns ? Sym(layout.tile_columns) : layout.columns - block_.first_column - column;
  const Panel panel{block_.dtype, packed_columns_, layout.packed_column_at(member, column_tile, first, 0), layout.tile_columns,
                    true,         layout.simd};
  return pack(block_.c, panel, left, layout.lanes_of(count), [&](Sym lane, Sym term) {
    return lane_of(term_at(first, term), [&](const Index& terms) { return column_in_place(column + lane, terms); });
  });
}

Body ContractionFactors::share_columns() {
  Body body;
  copy_column_windows(body);
  if (reads_columns_) return body;
  add_copied_columns();
  body.push_back(declare_accumulator(block_.arena, packed_columns_));
  const Dim& terms = block_.layout.terms;
  add(body, block_.each_member_with_columns([&](Sym member) {
    return block_.each("block", ceil_div(terms, kChainBlock), [&](Sym block) {
      const Sym first = block * kChainBlock;
      return block_.each_column_tile(
          [&](Sym tile) { return pack_tile_of_columns(member, tile, first, min(Sym(kChainBlock), terms - first)); });
    });
  }));
  return body;
}

// --- windows -------------------------------------------------------------------------------------------------------------------

Body ContractionFactors::copy_windows() {
  Body body;
  if (!block_.layout.shares_columns) {
    copy_column_windows(body);
    if (!reads_columns_) reads_columns_ = are_near();
  }
  copy_row_windows(body);
  return body;
}

/// Copies the elements that the overlapping windows of a factor read in this block. `along` is the variable of the block's rows for the
/// rows' factor, and that of the block's columns for the columns' factor. `row` and `column` are the position of the factor.
std::optional<Windows> ContractionFactors::copy_windows(const Node* factor, const Windows::Axis& along, Sym row, Sym column,
                                                        bool has_members, Body& body) {
  const ContractionLayout& layout = block_.layout;
  std::vector<Windows::Axis> axes = {along};
  const auto axis = [&](std::string_view name, Sym count, int64_t most) {
    axes.push_back({new_loop(block_.arena, name, 0, count)->variable, count, most});
    return axes.back().variable;
  };
  if (has_members) block_.go_to_member(axis("member", block_.group_here, layout.block_group));
  Index index = block_.source_index(row, column, 0);
  if (has_members) block_.go_to_member(0);
  for (size_t i = 0; i < layout.term_axes.size(); ++i) {
    const Dim& terms = layout.term_shape[i];
    if (!terms.is_constant()) return std::nullopt;
    index[layout.term_axes[i]] = axis("term", terms, std::max<int64_t>(1, terms.constant()));
  }
  return Windows::copy(block_.c, block_.accumulators, factor, index, axes, layout.simd, body);
}

/// Copies the elements that the windows of the rows' factor read in this block. Afterwards row() reads this copy.
void ContractionFactors::copy_row_windows(Body& body) {
  if (!block_.contraction.rows || !block_.contraction.group_is_rows) return;
  const Sym row = new_loop(block_.arena, "row", 0, block_.rows_here)->variable;
  row_windows_ = copy_windows(block_.contraction.row_factor, {row, block_.rows_here, block_.layout.block_rows}, block_.first_row + row,
                              block_.first_column, block_.layout.rows_have_members, body);
  if (row_windows_) packs_rows_ = false;
}

/// Copies the elements that the windows of the columns' factor read in this block. If columns are contiguous in the copy, and a lane does
/// not hold several terms, tiles read the copy without packing.
void ContractionFactors::copy_column_windows(Body& body) {
  const Sym column = new_loop(block_.arena, "column", 0, block_.columns_here)->variable;
  column_windows_ = copy_windows(block_.contraction.column_factor, {column, block_.columns_here, block_.layout.block_columns},
                                 block_.first_row, block_.first_column + column, block_.layout.columns_have_members, body);
  if (!column_windows_ || block_.layout.terms_of_lane > 1) return;
  const UOp* value = column_in_place(column, unflatten(0, block_.layout.term_shape));
  const auto along = value->kind == UKind::kAcc ? linear_in(value->index, variable_of(column)) : std::nullopt;
  reads_columns_ = along && along->coefficient.is_constant(1);
}

/// Tests whether reading the columns' factor in place is as fast as reading a packed copy. The columns must be contiguous in memory.
bool ContractionFactors::are_near() {
  const ContractionLayout& layout = block_.layout;
  if (layout.term_shape.size() != 1 || !layout.whole_columns || layout.terms_of_lane > 1) return false;
  const Sym column = new_loop(block_.arena, "column", 0, block_.columns_here)->variable,
            term = new_loop(block_.arena, "term", 0, layout.terms)->variable;
  const UOp* value = column_in_place(column, unflatten(term, layout.term_shape));
  if (value->kind != UKind::kLoad || mask_of(value) != nullptr) return false;
  const auto along = linear_in(value->index, variable_of(column)), down = linear_in(value->index, variable_of(term));
  return along && along->coefficient.is_constant(1) && down && down->coefficient.is_constant() &&
         are_near(std::abs(down->coefficient.constant()) * static_cast<int64_t>(size_of(block_.dtype)));
}

/// Tests whether a columns' factor is small enough to be read in place. The elements of consecutive terms are `distance` bytes apart.
///
/// If vectors are whole cache lines, a tile needs one vector of the factor for every tile_rows multiply-adds. In that time the next vector
/// arrives from the second-level cache; only the first tile of rows waits for more distant memory. With more than one block of terms the
/// factor must fit in the second-level cache. (Measured in f32: 64 x 64 x 1024 has 112 GFLOP/s in place and 100 packed; 128 x 1024 x 1024
/// has 80 in place and 90 packed.) Shorter vectors are needed at least twice as often, so with these the factor must fit in the first-level
/// cache.
bool ContractionFactors::are_near(int64_t distance) const {
  const ContractionLayout& layout = block_.layout;
  const bool is_one_block = proven_at_most(layout.terms, kChainBlock);
  if (!is_whole_line(layout.simd * static_cast<int64_t>(size_of(block_.dtype))))
    return is_one_block && distance * layout.most_terms() <= kMaxUnpackedBytes;
  return is_one_block ||
         (layout.terms.is_constant() && distance * layout.most_terms() <= near_columns_bytes(block_.c.program.target.cpu_or_default()));
}

}  // namespace harp::lower
