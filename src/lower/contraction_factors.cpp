#include "lower/contraction_factors.h"

#include <algorithm>
#include <cstdlib>

#include "ir/functions.h"
#include "ir/walk.h"
#include "schedule/cpu/tuning.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Maximum size in bytes of a columns' factor that is expected to stay in the first-level cache without packing: half of that cache.
constexpr int64_t kMaxUnpackedBytes = 16 << 10;

/// Windows that are rows are packed one element at a time if they are not copied, and no packing follows the copy. So copying them pays
/// with fewer reads of each element than for windows that are columns, which are packed after the copy unless they are contiguous.
constexpr double kMinReadsOfRow = 1.25;

constexpr int kLaneBits = 32;               // bits of a lane that holds several terms
constexpr int64_t kSignBits = -0x7f7f7f80;  // 0x80808080: the sign bits of four bytes

}  // namespace

// --- values --------------------------------------------------------------------------------------------------------------------

const UOp* ContractionFactors::value(const Node* factor, const Index& index) {
  return to_accumulator(block_.arena, block_.reduce, block_.c.values.value(factor, factor->rank() == 0 ? Index{} : index));
}

ContractionFactors::Term ContractionFactors::term_at(Sym first, Sym number) const {
  return {first, number, block_.layout.terms_of_lane == 1 ? unflatten(first + number, block_.layout.term_shape) : Index{}};
}

/// Returns the value of a lane: a single term, or the low bits of several terms, with the first term in the lowest bits. A lane may have
/// positions beyond the last term, unless it is known to be full (`is_full`); these positions contain zeros. To compute such a zero, the
/// code reads the last term and then selects 0, because memory beyond the last term may not be readable.
const UOp* ContractionFactors::lane_of(const Term& term, bool is_full, const ReadTerm& read) {
  const ContractionLayout& layout = block_.layout;
  if (layout.terms_of_lane == 1) return read(term.index);
  Arena& arena = block_.arena;
  const auto number = [&](int64_t n) { return arena.constant(scalar_from_int(block_.dtype, n)); };
  const int bits = kLaneBits / layout.terms_of_lane;
  const Sym first = term.first + term.number * layout.terms_of_lane, last = layout.terms - 1;
  const UOp* lane = nullptr;
  for (int i = 0; i < layout.terms_of_lane; ++i) {
    const Sym at = first + i;
    Index index = term.index;
    if (index.empty())
      index = unflatten(i == 0 || is_full ? at : min(at, last), layout.term_shape);
    else
      index.back() += i;
    const UOp* value = read(index);
    if (i > 0 && !is_full) value = arena.apply(Op::kWhere, block_.dtype, {arena.in_range(last - at), value, number(0)});
    if (i + 1 < layout.terms_of_lane) value = arena.apply(Op::kBitAnd, block_.dtype, {value, number((1 << bits) - 1)});
    if (i > 0) value = arena.apply(Op::kShl, block_.dtype, {value, number(i * bits)});
    lane = lane == nullptr ? value : arena.apply(Op::kBitOr, block_.dtype, {lane, value});
  }
  return lane;
}
/// Returns the value of a lane of the rows' factor. It is the value that lane_of() returns, but if have_first_sums(), the sign bits of its
/// bytes are inverted (schedule/narrow_products.h, Quads).
const UOp* ContractionFactors::row_lane_of(const Term& term, bool is_full, const ReadTerm& read) {
  const UOp* lane = lane_of(term, is_full, read);
  if (!have_first_sums()) return lane;
  return block_.arena.apply(Op::kBitXor, block_.dtype, {lane, block_.arena.constant(scalar_from_int(block_.dtype, kSignBits))});
}

const UOp* ContractionFactors::row(Sym member, Sym row_tile, int64_t row, const Term& term) {
  if (packs_rows_) return block_.arena.acc(block_.dtype, packed_rows_, block_.layout.packed_row_at(member, row_tile, term.number, row));
  const Sym there = block_.first_row + block_.row_of(row_tile) + row, last = block_.layout.rows - 1;
  return row_lane_of(term, block_.layout.lanes_fill(block_.layout.terms), [&](const Index& terms) {
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

// --- products of lanes ---------------------------------------------------------------------------------------------------------

Stmt* ContractionFactors::add_products(int sum, Sym lane, const UOp* row, const UOp* column) const {
  Arena& arena = block_.arena;
  const int terms = block_.layout.terms_of_lane;
  if (terms == 1) return update_accumulator(arena, sum, lane, row, column);
  if (terms == kTermsOfPair && !block_.c.program.target.cpu_or_default().dot_products)
    return update_accumulator(arena, sum, lane, arena.call(build_sum_of_pairs(arena), {row, column}));
  const UOp* before = arena.acc(block_.dtype, sum, lane);
  if (terms == kTermsOfPair) return set_accumulator(arena, sum, lane, arena.call(build_add_pairs(arena), {before, row, column}));
  const UOp *unsigned_bytes = quads_->are_columns_signed ? row : column, *signed_bytes = quads_->are_columns_signed ? column : row;
  return set_accumulator(arena, sum, lane, arena.call(build_add_quads(arena), {before, unsigned_bytes, signed_bytes}));
}

const UOp* ContractionFactors::first_sum(Sym member, Sym column_tile, Sym column, Sym first) {
  return block_.arena.acc(block_.dtype, first_sums_, block_.layout.column_numbers_at(member, column_tile, first) + column);
}

/// Returns statements that compute first_sum() for each column of a packed tile: minus the sum over the terms of s * c. Here c is an
/// element of the column, and s is the number that is added to an element r of the rows' factor when its sign bit is inverted
/// (schedule/narrow_products.h, Quads). The sums of a tile start from this value because their products are (r + s) * c instead of r * c.
Body ContractionFactors::add_first_sums(Sym member, Sym column_tile, Sym first, Sym count) {
  const ContractionLayout& layout = block_.layout;
  Arena& arena = block_.arena;
  while (static_cast<int64_t>(first_sum_registers_.size()) < layout.vectors_of_tile())
    first_sum_registers_.push_back(block_.accumulators.add({&block_.c.plan.reduces[0], 1}, layout.simd)[0]);
  const auto each_vector = [&](auto statement) {
    Body body;
    for (int64_t vector = 0; vector < layout.vectors_of_tile(); ++vector) {
      const int sum = first_sum_registers_[static_cast<size_t>(vector)];
      add(body, block_.each_lane([&](Sym lane) { return Body{statement(sum, lane, vector * layout.simd)}; }));
    }
    return body;
  };
  Body body;
  for (const int sum : first_sum_registers_) body.push_back(declare_accumulator(arena, sum));
  const UOp* added = arena.constant(scalar_from_int(block_.dtype, kSignBits));
  Loop* term = new_loop(arena, "term", 0, layout.lanes_of(count));
  const Sym packed = layout.packed_column_at(member, column_tile, first, term->variable);
  term->body = each_vector([&](int sum, Sym lane, int64_t begin) {
    return add_products(sum, lane, added, arena.acc(block_.dtype, packed_columns_, packed + begin + lane));
  });
  body.push_back(term);
  const Sym at = layout.column_numbers_at(member, column_tile, first);
  add(body, each_vector([&](int sum, Sym lane, int64_t begin) {
        const UOp* products = arena.acc(block_.dtype, sum, lane);
        return set_accumulator(arena, first_sums_, at + begin + lane, arena.apply(Op::kNeg, block_.dtype, {products}));
      }));
  return body;
}

// --- packed tiles --------------------------------------------------------------------------------------------------------------

void ContractionFactors::reserve_packed_columns() {
  if (!reads_columns_) packed_columns_ = block_.accumulators.add_array(block_.dtype, block_.layout.packed_columns_size());
  if (have_first_sums()) first_sums_ = block_.accumulators.add_array(block_.dtype, block_.layout.column_numbers_size());
  if (!reads_columns_ && are_columns_staged())
    staged_columns_ = block_.accumulators.add_array(block_.dtype, block_.layout.tile_columns * kStagedTerms);
}
void ContractionFactors::reserve_packed_rows() {
  if (!packs_rows_) return;
  packed_rows_ = block_.accumulators.add_array(block_.dtype, block_.layout.packed_rows_size());
  if (are_rows_staged()) staged_rows_ = block_.accumulators.add_array(block_.dtype, block_.layout.panel_rows * kStagedTerms);
}
std::vector<int> ContractionFactors::arrays_of_packed_tiles() const {
  std::vector<int> arrays;
  if (!block_.layout.shares_columns)
    for (const int array : {packed_columns_, first_sums_, staged_columns_})
      if (array >= 0) arrays.push_back(array);
  for (const int array : {packed_rows_, staged_rows_})
    if (array >= 0) arrays.push_back(array);
  return arrays;
}

/// Tests whether the factor is packed faster in runs, which are consecutive terms along the last of several term axes. That is so if the
/// addresses that packing reads are not linear in the number of the term, like those of a convolution's windows: without runs, the index of
/// each term would be computed by divisions.
template <class LaneAt>
bool ContractionFactors::has_runs(LaneAt lane_at) {
  const ContractionLayout& layout = block_.layout;
  if (layout.terms_of_lane > 1 || !layout.may_have_runs()) return false;
  const Sym lane = new_loop(block_.arena, "lane", 0, layout.simd)->variable,
            term = new_loop(block_.arena, "term", 0, layout.terms)->variable;
  return any_uop({lane_at(lane, term_at(0, term), true)},
                 [&](const UOp* u) { return has_position(u) && !linear_in(u->index, variable_of(term)).has_value(); });
}

/// Packs one block of terms of a tile, run by run (a run consists of consecutive terms along the last term axis). The first run may begin
/// before the block, and the last one may end behind it.
template <class LaneAt>
Body ContractionFactors::pack_runs(const Panel& panel, Sym left, Sym first, Sym count, LaneAt lane_at) {
  const Shape& shape = block_.layout.term_shape;
  const Sym length = shape.back();
  Loop* run = new_loop(block_.arena, "run", floor_div(first, length), ceil_div(first + count, length));
  const Sym begin = run->variable * length;
  // whether every block of terms consists of whole runs (terms that are consecutive along the last term axis)
  const bool are_whole = length.is_constant() && kChainBlock % length.constant() == 0;
  Panel part = panel;
  part.begin = panel.begin + (begin - first) * panel.lanes;
  part.first = are_whole ? Sym(0) : max(Sym(0), first - begin);
  const Sym end = are_whole ? length : min(length, first + count - begin);
  const Index outer = unflatten(run->variable, Shape(shape.begin(), shape.end() - 1));
  run->body = pack(block_.c, part, left, end - part.first, [&](Sym lane, Sym term) {
    Index index = outer;
    index.push_back(term);
    return lane_at(lane, Term{first, begin - first + term, std::move(index)}, true);
  });
  return {run};
}

/// Packs one block of terms of a tile. If the terms may not fill the last lane, separate code packs that lane, and only that code tests
/// whether each term exists.
template <class LaneAt>
Body ContractionFactors::pack_terms(const Panel& panel, Sym left, Sym first, Sym count, LaneAt lane_at) {
  const ContractionLayout& layout = block_.layout;
  if (panel.staged < 0 && has_runs(lane_at)) return pack_runs(panel, left, first, count, lane_at);
  const bool are_full = layout.lanes_fill(layout.terms);
  const Sym full = are_full ? layout.lanes_of(count) : floor_div(count, layout.terms_of_lane);
  Body body;
  if (!full.is_constant(0))
    body = pack(block_.c, panel, left, full, [&](Sym lane, Sym number) { return lane_at(lane, term_at(first, number), true); });
  if (are_full) return body;
  Panel last = panel;
  last.begin = panel.begin + full * panel.lanes;
  add(body, pack(block_.c, last, left, layout.lanes_of(count) - full,
                 [&](Sym lane, Sym number) { return lane_at(lane, term_at(first, full + number), false); }));
  return body;
}

Body ContractionFactors::pack_rows(Sym first, Sym count) {
  if (!packs_rows_) return {};
  const ContractionLayout& layout = block_.layout;
  return block_.each_member_with_rows([&](Sym member) {
    return block_.each_row_tile([&](Sym tile) {
      const Sym row = block_.first_row + block_.row_of(tile);
      const Panel panel{block_.dtype,       packed_rows_,       layout.packed_row_at(member, tile, 0, 0),
                        layout.panel_rows,  !layout.whole_rows, layout.simd,
                        quads_.has_value(), staged_rows_};
      return pack_terms(panel, layout.rows - row, first, count, [&](Sym lane, const Term& term, bool is_full) {
        return row_lane_of(term, is_full, [&](const Index& terms) { return row_in_place(row + lane, terms); });
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
  const Panel panel{
      block_.dtype,       packed_columns_, layout.packed_column_at(member, column_tile, first, 0), layout.tile_columns, true, layout.simd,
      quads_.has_value(), staged_columns_};
  Body body = pack_terms(panel, left, first, count, [&](Sym lane, const Term& term, bool is_full) {
    return lane_of(term, is_full, [&](const Index& terms) { return column_in_place(column + lane, terms); });
  });
  if (have_first_sums()) add(body, add_first_sums(member, column_tile, first, count));
  return body;
}

Body ContractionFactors::share_columns() {
  Body body;
  copy_column_windows(body);
  if (reads_columns_) return body;
  reserve_packed_columns();
  for (const int array : {packed_columns_, first_sums_, staged_columns_})
    if (array >= 0) body.push_back(declare_accumulator(block_.arena, array));
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
/// rows' factor, and that of the block's columns for the columns' factor. `row` and `column` say for which row and column of the product
/// the factor is read; they depend on that variable.
std::optional<Windows> ContractionFactors::copy_windows(const Node* factor, const Windows::Axis& along, Sym row, Sym column,
                                                        bool has_members, double min_reads, Body& body) {
  const ContractionLayout& layout = block_.layout;
  std::vector<Windows::Axis> axes = {along};
  const auto axis = [&](std::string_view name, Sym count, int64_t most) {
    axes.push_back({new_loop(block_.arena, name, 0, count)->variable, count, count, most});
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
  return Windows::copy(block_.c, block_.accumulators, factor, index, axes, min_reads, layout.simd, body);
}

/// Copies the elements that the windows of the rows' factor read in this block. Afterwards row() reads this copy.
void ContractionFactors::copy_row_windows(Body& body) {
  if (!block_.contraction.rows || !block_.contraction.group_is_rows) return;
  const ContractionLayout& layout = block_.layout;
  const Sym row = new_loop(block_.arena, "row", 0, block_.rows_here)->variable,
            read = layout.whole_rows ? block_.rows_here : block_.row_tiles() * layout.tile_rows;
  row_windows_ = copy_windows(block_.contraction.row_factor, {row, block_.rows_here, read, layout.block_rows}, block_.first_row + row,
                              block_.first_column, layout.rows_have_members, kMinReadsOfRow, body);
  if (row_windows_) packs_rows_ = false;
}

/// Copies the elements that the windows of the columns' factor read in this block. If columns are contiguous in the copy, and a lane does
/// not hold several terms, tiles read the copy without packing.
void ContractionFactors::copy_column_windows(Body& body) {
  const ContractionLayout& layout = block_.layout;
  const bool has_tiles = !layout.whole_columns && layout.terms_together == 1;  // true: tiles also read columns beyond the last one
  const Sym column = new_loop(block_.arena, "column", 0, block_.columns_here)->variable,
            read = has_tiles ? block_.column_tiles() * layout.tile_columns : block_.columns_here;
  column_windows_ = copy_windows(block_.contraction.column_factor, {column, block_.columns_here, read, layout.block_columns},
                                 block_.first_row, block_.first_column + column, layout.columns_have_members, Windows::kMinReads, body);
  if (!column_windows_ || layout.terms_of_lane > 1) return;
  const UOp* value = column_in_place(column, unflatten(0, layout.term_shape));
  const auto along = value->kind == UKind::kAcc ? linear_in(value->index, variable_of(column)) : std::nullopt;
  reads_columns_ = along && along->coefficient.is_constant(1);
}

/// Tests whether generated code can load whole vectors of the factor's elements along the terms, but not along the lanes (the rows or the
/// columns of a tile). That is so if the elements of consecutive terms are adjacent in memory, or two to four elements apart, and those of
/// consecutive lanes are farther apart. Examples are weights in bf16 that are stored column by column, and the real parts of complex
/// numbers. A packed vector of lanes would then be assembled from single elements, each of which takes longer than its products with a few
/// rows. `value` is the factor at this lane and term.
///
/// A plain array that is contiguous along the terms does not count, because pack() transposes it without a further copy.
bool ContractionFactors::has_vectors_of_terms(const UOp* value, Sym lane, Sym term) const {
  // Generated code loads elements that are at most this far apart as whole vectors, which it shuffles, if the vectors have enough lanes.
  constexpr int64_t kMaxStep = 4;
  const ContractionLayout& layout = block_.layout;
  if (!is_float(block_.dtype) || layout.terms_of_lane > 1 || proven_less(layout.terms, layout.simd)) return false;
  if (value->kind == UKind::kLoad)
    if (const auto along = linear_in(value->index, variable_of(term)); along && along->coefficient.is_constant(1)) return false;
  const auto steps_of_vector = [&](const Sym& step) {
    if (!step.is_constant() || step.constant() < 1 || step.constant() > kMaxStep) return false;
    return step.is_constant(1) || layout.simd >= 2 * step.constant();
  };
  bool are_all_linear = true, is_crossed = false;
  for_each_uop({value}, [&](const UOp* u) {
    if (u->kind == UKind::kAlu || u->kind == UKind::kCall || u->kind == UKind::kConst) return;
    const auto along = u->kind == UKind::kLoad && mask_of(u) == nullptr ? linear_in(u->index, variable_of(term)) : std::nullopt;
    const auto across = along ? linear_in(along->rest, variable_of(lane)) : std::nullopt;
    if (!across || depends_on(along->coefficient, variable_of(lane)))
      are_all_linear = false;
    else if (steps_of_vector(along->coefficient))
      is_crossed |= !steps_of_vector(across->coefficient) && !across->coefficient.is_constant(0);
    else
      are_all_linear &= along->coefficient.is_constant(0);
  });
  return are_all_linear && is_crossed;
}

bool ContractionFactors::are_columns_staged() {
  if (column_windows_) return false;
  const Sym column = new_loop(block_.arena, "column", 0, block_.columns_here)->variable,
            term = new_loop(block_.arena, "term", 0, block_.layout.terms)->variable;
  return has_vectors_of_terms(column_in_place(column, unflatten(term, block_.layout.term_shape)), column, term);
}
bool ContractionFactors::are_rows_staged() {
  const Sym row = new_loop(block_.arena, "row", 0, block_.layout.rows)->variable,
            term = new_loop(block_.arena, "term", 0, block_.layout.terms)->variable;
  return has_vectors_of_terms(row_in_place(row, unflatten(term, block_.layout.term_shape)), row, term);
}

/// Tests whether a tile reads the columns' factor in place as fast as from a packed copy. Its columns must be contiguous, and only one term
/// axis may have more than one element (a convolution with a 1 x 1 kernel has three term axes).
bool ContractionFactors::are_near() {
  const ContractionLayout& layout = block_.layout;
  const auto is_long = [](const Dim& size) { return !size.is_constant(1); };
  if (std::ranges::count_if(layout.term_shape, is_long) != 1 || !layout.whole_columns || layout.terms_of_lane > 1) return false;
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
    return is_one_block && distance * layout.most_terms <= kMaxUnpackedBytes;
  return is_one_block ||
         (layout.terms.is_constant() && distance * layout.most_terms <= near_columns_bytes(block_.c.program.target.cpu_or_default()));
}

}  // namespace harp::lower
