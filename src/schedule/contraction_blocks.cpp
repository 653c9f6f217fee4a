#include "schedule/contraction_blocks.h"

#include <algorithm>

#include "base/integers.h"
#include "schedule/few_columns.h"
#include "schedule/law.h"

namespace harp {
namespace {

// Of products of integers with few terms: the largest ratio of the columns of all tiles to those that C has. (15 terms of i32: with 17
// columns tiles take 1.6 of the time, with 33 1.3.)
constexpr double kMostWaste = 1.4;
// Of products of fewer than kFewTermsOfRow terms: a row of more than kTileVectors vectors, but at most kMostVectorsOfRow, has no tiles.
// (6000 rows of f32 with 3 terms: with 24, 40, 48 and 200 columns tiles take 0.64, 1.5, 1.3 and 0.7 of the time.)
constexpr int64_t kFewTermsOfRow = 8, kTileVectors = 3, kMostVectorsOfRow = 9;

/// Returns the size of a cache block along the axis at `position`: the schedule's tile for that axis, but at most the size of the axis,
/// rounded up to whole register tiles of `tile` elements.
int64_t block_extent(const KernelPlan& kernel, const Schedule& schedule, size_t position, int64_t tile) {
  const int64_t wanted = std::max(schedule.axes[position].tile, tile),
                most = std::max<int64_t>(1, range(iteration_space(kernel)[position]).hi);
  return ceil_div(std::min(wanted, most), tile) * tile;
}
/// Returns the number of columns of a cache block.
int64_t block_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const AxisSchedule& columns = schedule.axes[contraction.column_position];
  return block_extent(kernel, schedule, contraction.column_position, int64_t{columns.unroll} * columns.simd_width);
}
int64_t block_group(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  return contraction.group_position ? block_extent(kernel, schedule, *contraction.group_position, 1) : 1;
}

/// Tests whether the factor consists of 16-bit floats, which are converted when they are read.
bool is_of_halves(const Node* factor) {
  while (is_movement(factor->op) || factor->op == Op::kCast) factor = factor->sources[0];
  return is_half(factor->dtype);
}

}  // namespace

std::optional<Sym> all_nonnegative(std::initializer_list<Sym> conditions) {
  Sym all = 0;
  for (const Sym& condition : conditions) {
    if (proven_nonnegative(Sym(-1) - condition)) return std::nullopt;
    for (const Sym& other : conditions)
      if (proven_nonnegative(Sym(-1) - condition - other)) return std::nullopt;  // they exclude each other
    if (!proven_nonnegative(condition)) all = all.is_constant() ? condition : min(all, condition);
  }
  return all;
}

std::optional<Sym> fills_tiles(const Node& reduce, const Contraction& contraction, const FusionLimits& limits) {
  const Dim rows = row_count(reduce, contraction), terms = term_count(reduce);
  int64_t least_rows = limits.tile_rows, least_terms = limits.tile_terms;
  // If the columns are windows of a convolution with many terms, register tiles pay with fewer rows: without tiles, the windows would be
  // read again for each row, from a copy of their elements (lower/windows.h). With an unknown number of terms that is a condition.
  const bool have_many_terms = proven_less(kChainBlock, terms), are_few_rows = proven_less(rows, limits.tile_rows);
  if (array_below_windows(contraction.column_factor) != nullptr && limits.window_rows < least_rows && (have_many_terms || are_few_rows))
    least_rows = limits.window_rows, least_terms = std::max(least_terms, kChainBlock + 1);
  // If the rows are the windows, there are few filters, and a line of pixels is shorter still (is_better_exchanged() in contraction.cpp):
  // without tiles, vectors would run along that line.
  const Dim columns = reduce.sources[0]->shape[contraction.columns];
  const bool are_windows_rows = contraction.rows && contraction.group_is_rows && !limits.many_threads;
  const int64_t least_columns = are_windows_rows && have_many_terms && proven_at_most(rows, columns) ? 1 : limits.tile_columns;
  return all_nonnegative({rows - least_rows, columns - least_columns, terms - least_terms});
}

std::optional<Sym> fills_exchanged_tiles(const Node& reduce, const Contraction& contraction, const FusionLimits& limits) {
  const Shape& shape = reduce.sources[0]->shape;
  // The elements of the few columns are usually read in place. With several summed axes, divisions would be needed to compute the position
  // of a term.
  const auto is_long = [&](int axis) { return !shape[static_cast<size_t>(axis)].is_constant(1); };
  const bool has_windows = array_below_windows(contraction.column_factor) != nullptr;
  if (std::ranges::count_if(reduce.as<ReduceAttributes>().axes, is_long) > 1 || has_windows || !exchanged(reduce, contraction))
    return std::nullopt;
  const Dim columns = shape[contraction.columns], terms = term_count(reduce);
  const Sym are_few = Sym(limits.tile_columns - 1) - columns;
  if (proven_nonnegative(Sym(-1) - are_few)) return std::nullopt;
  if (!columns.is_constant()) return are_few;
  if (columns.constant() < 2) return std::nullopt;
  // Integers of 64 bits take longer to multiply than to load, and the exchange saves loads only.
  if (is_int(reduce.dtype) && size_of(reduce.dtype) == sizeof(int64_t)) return std::nullopt;
  // With few terms, other schedules are as fast (few_terms.h). A row of 4 floats is one vector: adding one row of products after the other
  // is as fast if its terms are one block, in which no sum of another block has to be kept. A row of 5 columns
  // takes little longer to add, so with few terms the exchange does not pay for it, either.
  const bool is_vector = columns.constant() == kFewestOfVector && is_float(reduce.dtype) && !is_of_halves(contraction.column_factor);
  const int64_t least_terms = is_vector                                   ? kChainBlock + 1
                              : columns.constant() == kFewestOfVector + 1 ? 2 * limits.tile_terms
                                                                          : limits.tile_terms;
  if (range(terms).hi < least_terms) return std::nullopt;
  return proven_at_most(least_terms, terms) ? Sym(0) : terms - least_terms;
}

std::optional<FusionLimits> limits_of_few_terms(const Node& reduce, const Contraction& contraction, FusionLimits limits, bool crossed) {
  const Dim terms = term_count(reduce), columns = reduce.sources[0]->shape[contraction.columns];
  const bool has_windows =
      array_below_windows(contraction.row_factor) != nullptr || array_below_windows(contraction.column_factor) != nullptr;
  if (limits.few_terms == 0 || !terms.is_constant() || terms.constant() >= limits.tile_terms || has_windows) return std::nullopt;
  // With so few terms, a tile takes little time, so it must be full, and there must be several rows for which B is packed. Multiplying
  // integers takes so long that tiles must not compute many columns twice or for nothing, unless other schedules read single elements.
  const int64_t lanes = limits.vector_bytes / static_cast<int64_t>(size_of(working_dtype(reduce.dtype)));
  limits.tile_terms = limits.few_terms;
  limits.tile_rows = limits.few_terms_rows;
  limits.tile_columns = std::max(limits.tile_columns, lanes);
  // The sums of a row of a few vectors stay in registers without tiles, too, and whole rows are stored one after the other. A tile of up to
  // kTileVectors is such a row itself.
  const Sym vectors = ceil_div(columns, lanes);
  const bool is_row_of_registers = !crossed && terms.constant() < kFewTermsOfRow && columns.is_constant() &&
                                   vectors.constant() > kTileVectors && vectors.constant() <= kMostVectorsOfRow;
  if (is_row_of_registers) return std::nullopt;
  const bool wastes_products =
      !crossed && is_int(reduce.dtype) && columns.is_constant() &&
      static_cast<double>(ceil_div(columns.constant(), lanes) * lanes) > kMostWaste * static_cast<double>(columns.constant());
  return wastes_products ? std::nullopt : std::optional(limits);
}

bool wants_tiles(const Node& reduce, const FusionLimits& limits) {
  const std::optional<Contraction> contraction = as_contraction(reduce);
  const std::optional<Sym> guard = contraction ? fills_tiles(reduce, *contraction, limits) : std::nullopt;
  return guard && guard->is_constant();
}

bool may_want_tiles(const Node& reduce, const FusionLimits& limits) {
  const std::optional<Contraction> contraction = as_contraction(reduce);
  if (!contraction || limits.many_threads) return contraction && fills_tiles(reduce, *contraction, limits);
  // With fewer rows than this, vectors along the rows would be mostly empty.
  const bool has_few_rows = range(row_count(reduce, *contraction)).hi < 2 * limits.tile_columns,
             has_known_columns = reduce.sources[0]->shape[contraction->columns].is_constant();
  const std::optional<FusionLimits> of_few_terms = limits_of_few_terms(reduce, *contraction, limits);
  return fills_tiles(reduce, *contraction, of_few_terms.value_or(limits)) ||
         (has_known_columns && !has_few_rows && fills_exchanged_tiles(reduce, *contraction, limits));
}

int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const int64_t columns = block_columns(kernel, contraction, schedule) * block_group(kernel, contraction, schedule);
  return contraction.rows ? columns * block_rows(kernel, contraction, schedule) : columns;
}

int64_t block_rows(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  return block_extent(kernel, schedule, *contraction.row_position, schedule.axes[*contraction.row_position].unroll);
}

int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const int64_t group = contraction.group_is_rows ? 1 : block_group(kernel, contraction, schedule),
                columns = block_columns(kernel, contraction, schedule) * group,
                terms = std::max<int64_t>(1, range(term_count(*kernel.reduces[0])).hi);
  return terms > kMaxSharedColumns ? terms : terms * columns;
}

}  // namespace harp
