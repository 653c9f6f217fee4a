#include "schedule/schedule_contraction.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "base/integers.h"
#include "schedule/legal.h"
#include "schedule/register_tile.h"
#include "schedule/views.h"

namespace harp {
namespace {

// Names as in lower/contraction.cpp: C = A·B, a tile of registers (AxisSchedule::unroll) within a block for the caches
// (AxisSchedule::tile), and factors that are copied (AxisSchedule::pack). What is measured is GFLOP/s, or how many times as fast.

// --- Blocks

constexpr int64_t kRowsTogether = 224, kColumnsTogether = 512, kUsualSize = 4;  // sums of so many bytes are in the second cache
// Rows of a block where the columns' factor is copied once for all of them, and bytes of that copy, which is in the third cache and passes
// through the second for each block. (2048 x 2048 x 2048: by 70 rows 103 GFLOP/s, by 28 106.) So few leave room for more columns, for which
// the rows' factor is copied less often (1024 x 1024 x 1024 by f32 1.02 times, 512 x 512 x 512 by f64 1.03 times as fast as with half of
// them). Where sums are stored at once, as many columns of any size: row after row of them.
constexpr int64_t kSharingRows = 32, kSharedBytes = 4 << 20, kWideColumns = 1024;
// Where such rows are read in place, nothing is copied again for a block of columns: what 256 terms of so few read of their factor stays in
// the second cache. (By f32 1024 x 1024 x 1024 by two workers 1.04 times as fast as 32 rows by 1024 columns, 512 x 512 x 512 1.01 times, by
// f64 1.02 times.)
constexpr int64_t kRowsInPlace = 64, kColumnsOfRowsInPlace = 256;
constexpr int64_t kMany = 1 << 20;  // rows or columns, more of which make no difference
// Rows of windows of a group, elements they read, and sums they have, which are in the second cache.
constexpr int64_t kPixelsTogether = 448, kWindowsTogether = 1 << 16, kSumsOfWindows = 1 << 16;

// --- Few rows (schedule_few_rows)

constexpr int64_t kFewRows = 16, kManyColumns = 256, kRowsTogetherOfFew = 8;
// Elements of few rows that are in registers, and bytes that are in the first cache: sums, and rows of the columns' factor that are added
// to them together. (8 x 1024 x 1024: by 384 columns and 4 terms 185 GFLOP/s, by 512 and 2 148, by 4096 and 8 152.)
constexpr int64_t kElementsOfFewRows = 32, kBytesOfFewRows = 20 << 10;
constexpr int64_t kEvenColumns = 64;  // of which many sizes are multiples
// A columns' factor this large comes from memory, of which whole pages are read, by no more than 8 rows two at a time. (8 x 4096 x 4096: 28
// GB/s, 20 beside other work; by 384 columns and 4 terms, which are more pages at once, 15 to 31; by 4096 and 8 20.) Else, and where that
// much has no room in the first cache, so many sums are in the second.
constexpr int64_t kFar = 32 << 20, kSumsOfFewRows = int64_t{1} << 15;

// --- Copies

constexpr int64_t kNarrow = 128;                // columns for which copying the rows' factor does not pay
constexpr int64_t kRowsOfTile = 16;             // read side by side: more compete for the lines of the first cache
constexpr int64_t kWays = 8, kWayBytes = 4096;  // of that

// --- Is a tile faster than adding row after row? From so many rows, columns and terms on.

constexpr int64_t kLeastRows = 4, kLeastColumns = 8, kLeastDepth = 16;

constexpr RegisterTile kFewColumns{1, 2};  // of a single row, whose columns are read side by side

// --- Where factors lie

/// Does the factor, where it lies in memory, lie along that axis of the reduction's source?
bool lies_along(const Program& program, const KernelPlan& kernel, const Node* factor, size_t axis) {
  const std::vector<ArrayView> views = KernelViews(program, kernel).of(factor);
  return !views.empty() && std::all_of(views.begin(), views.end(), [&](const View& view) {
    return view.strides[axis].is_constant(1) || view.strides[axis].is_constant(0);
  });
}
/// The axis of the terms, if there is one alone.
std::optional<size_t> term_axis(const Node& reduce) {
  std::optional<size_t> found;
  for (const int axis : reduce.as<ReduceAttributes>().axes) {
    if (reduce.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1)) continue;
    if (found) return std::nullopt;
    found = static_cast<size_t>(axis);
  }
  return found;
}

/// Is the rows' factor an array whose elements lie beside each other neither along the rows nor along the terms? Then it would be copied
/// one by one, which takes longer than it saves.
bool is_scattered(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  const Node* array = contraction.row_factor;
  for (; !is_loaded(program, kernel, array); array = array->sources[0])
    if (is_elementwise(array->op) || array->sources.empty()) return false;  // computed, which is done once for a copy
  const std::optional<size_t> terms = term_axis(*kernel.reduces[0]);
  return terms && contraction.rows && !lies_along(program, kernel, contraction.row_factor, *terms) &&
         !lies_along(program, kernel, contraction.row_factor, *contraction.rows);
}

Schedule untiled(const KernelPlan& kernel) {
  Schedule s;
  s.recipe = Template::kContraction;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  return s;
}

/// Rows that a tile may read side by side where they lie: those a power of two of bytes apart compete for the lines of few sets. (1024 x
/// 1024 by 64 in place: 13 rows of two vectors 93 GFLOP/s, 8 of two 105, 6 of four 106.)
int64_t rows_in_place(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  int64_t most = kRowsOfTile;
  for (const ArrayView& view : KernelViews(program, kernel).of(contraction.row_factor)) {
    const Sym& stride = view.strides[*contraction.rows];
    if (!stride.is_constant() || stride.is_constant(0)) continue;
    const int64_t apart = stride.constant() * view.element_bytes;
    most = std::min(most, kWayBytes / std::gcd(apart, kWayBytes) * kWays);
  }
  return most;
}

/// Is the factor an array, however it is looked at, and nothing to be computed or filled in?
bool is_array(const Program& program, const KernelPlan& kernel, const Node* factor) {
  while (!is_loaded(program, kernel, factor) && is_movement(factor->op) && factor->op != Op::kPad) factor = factor->sources[0];
  return is_loaded(program, kernel, factor);
}

/// Is the columns' factor an array that is as well read where it lies, by any number of rows? (Without copies of either factor 512 x 512
/// x 512 by f32 111 GFLOP/s, 108 with them; 256 x 256 x 256 by f64 58, 55 with them.)
bool are_columns_near(const Program& program, const KernelPlan& kernel, const Contraction& contraction, int width) {
  const Node &factor = *contraction.column_factor, &reduce = *kernel.reduces[0];
  const int64_t size = static_cast<int64_t>(size_of(factor.dtype));
  const std::optional<size_t> terms = term_axis(reduce);
  const std::vector<ArrayView> views = KernelViews(program, kernel).of(&factor);
  if (!terms || !is_array(program, kernel, &factor) || views.size() != 1 || width * size != kLineBytes) return false;
  const Sym &apart = views[0].strides[*terms], &count = reduce.sources[0]->shape[*terms];
  return views[0].strides[contraction.columns].is_constant(1) && apart.is_constant() && count.is_constant() &&
         std::abs(apart.constant()) * count.constant() * size <= kNearColumns;
}

/// Is the rows' factor an array that is as well read where it lies, by tiles that overlap? Rows along the terms are (without the copy,
/// which transposes, 1024 x 1024 x 1024 by f32 226 GFLOP/s, 218 with it; 2048 x 2048 x 2048 229 and 219; 512 x 512 x 512 by f64 109 and
/// 106); across them where the columns' factor is, too (256 x 256 x 256 238 and 219, 512 x 512 x 512 230 and 227, but 1024 x 1024 x 1024
/// 191 and 221, since all terms of a tile compete for the same lines).
bool are_rows_near(const Program& program, const KernelPlan& kernel, const Contraction& contraction, bool columns_are_near, int width) {
  const Node &factor = *contraction.row_factor, &reduce = *kernel.reduces[0];
  const std::optional<size_t> terms = term_axis(reduce);
  return terms && width * static_cast<int64_t>(size_of(factor.dtype)) == kLineBytes && row_count(reduce, contraction).is_constant() &&
         is_array(program, kernel, &factor) && (columns_are_near || lies_along(program, kernel, &factor, *terms));
}

/// Few rows: each element of the columns' factor is used so seldom that it is read where it lies, several rows of it at a time; the sums of
/// a block of columns are in memory, next to the registers.
Schedule schedule_few_rows(const KernelPlan& kernel, const Contraction& contraction, int64_t rows, const Target& target, int width) {
  Schedule s = untiled(kernel);
  AxisSchedule &row_axis = s.axes[*contraction.row_position], &column_axis = s.axes[s.axes.size() - 2];
  const Node& reduce = *kernel.reduces[0];
  const int64_t tiles = std::max<int64_t>(1, ceil_div(rows, kRowsTogetherOfFew)), together = std::max<int64_t>(1, ceil_div(rows, tiles)),
                size = static_cast<int64_t>(size_of(working_dtype(reduce.dtype)));
  const Dim elements = term_count(reduce) * reduce.sources[0]->shape[contraction.columns];
  const bool are_far = elements.is_constant() && elements.constant() >= kFar / size;
  const bool by_pages = are_far && tiles == 1 && !target.one_load;
  const int64_t terms = 8 * together <= kElementsOfFewRows || (are_far && !by_pages) ? 8 : are_far ? 2 : 4;
  row_axis.unroll = static_cast<int>(together);
  row_axis.tile = tiles * together;
  s.axes.back().unroll = static_cast<int>(terms);
  column_axis.simd_width = width;
  column_axis.tile = by_pages  ? kPageBytes / size
                     : are_far ? kSumsOfFewRows / row_axis.tile
                               : kBytesOfFewRows / size / (row_axis.tile + terms) / kEvenColumns * kEvenColumns;
  return s;
}

/// Elements of the array below windows that those of so many rows, of so many members of their group, are read from: the unfolds from the
/// last on are those of rows, of the group, and of axes with one window at a time.
double windows_read(const Node* factor, int64_t all_terms, int64_t rows, int64_t members) {
  const Node* array = array_below_windows(factor);
  double elements = static_cast<double>(all_terms);
  std::array<int64_t, 2> windows = {rows, members};
  size_t unfolds = 0;
  for (const Node* node = factor; node != array; node = node->sources[0]) {
    if (node->op != Op::kUnfold) continue;
    const auto& unfold = node->as<UnfoldAttributes>();
    const int64_t size = std::max<int64_t>(1, range(unfold.size).hi), count = unfolds < windows.size() ? windows[unfolds] : 1;
    ++unfolds;
    elements *= static_cast<double>((count - 1) * unfold.stride + (size - 1) * unfold.dilation + 1) / static_cast<double>(size);
  }
  return elements;
}

/// Is each window one element of an array in memory, that is read as well where it lies?
bool are_elements(const Program& program, const KernelPlan& kernel, const Node* factor) {
  const Node* array = array_below_windows(factor);
  for (const Node* node = factor; node != array; node = node->sources[0])
    if (node->op == Op::kUnfold && !node->as<UnfoldAttributes>().size.is_constant(1)) return false;
  return is_loaded(program, kernel, array);
}

/// Windows are rows: what those of a group of rows read is copied for all columns, and so are the columns for all rows. Threads have more
/// than one block of columns where those are their axis.
Schedule schedule_windows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Target& target,
                          int width) {
  const Shape space = iteration_space(kernel);
  const bool are_known = space[*contraction.row_position].is_constant() && space[contraction.column_position].is_constant();
  Schedule s = untiled(kernel);
  const auto most = [&](size_t position) { return std::clamp<int64_t>(range(space[position]).hi, 1, kMany); };
  const auto blocks_of = [](int64_t tiles, int64_t wanted) { return ceil_div(tiles, ceil_div(tiles, std::max<int64_t>(1, wanted))); };
  const int64_t size = static_cast<int64_t>(size_of(working_dtype(kernel.reduces[0]->dtype))),
                all_terms = std::max<int64_t>(1, range(term_count(*kernel.reduces[0])).hi);
  const RegisterTile tile = best_tile({.rows = most(*contraction.row_position),
                                       .columns = most(contraction.column_position),
                                       .terms = std::min(all_terms, kChainBlock),
                                       .most_rows = kRowsOfTile,
                                       .columns_of_copy = 0,
                                       .are_known = are_known},
                                      width, target);

  AxisSchedule& columns = s.axes[contraction.column_position];
  const int64_t tile_columns = tile.vectors * width, column_tiles = ceil_div(most(contraction.column_position), tile_columns),
                shared_tiles = kSharedBytes / size / tile_columns / all_terms;
  columns.simd_width = width;
  columns.unroll = static_cast<int>(tile.vectors);
  columns.pack = shared_tiles > 0;
  int64_t together = blocks_of(column_tiles, shared_tiles > 0 ? shared_tiles : kColumnsTogether / tile_columns);
  if (contraction.column_position == 0) together = std::min(together, ceil_div(column_tiles, 2));
  columns.tile = std::min(together, kMostTile / tile_columns) * tile_columns;

  AxisSchedule& rows = s.axes[*contraction.row_position];
  const int64_t row_tiles = ceil_div(most(*contraction.row_position), tile.rows),
                wanted_rows = std::min(kPixelsTogether, kSumsOfWindows / columns.tile);
  rows.unroll = static_cast<int>(tile.rows);
  rows.tile = blocks_of(row_tiles, wanted_rows / tile.rows) * tile.rows;
  rows.pack = !are_elements(program, kernel, contraction.row_factor);
  if (contraction.group_position) {
    AxisSchedule& group = s.axes[*contraction.group_position];
    const int64_t members = most(*contraction.group_position);
    group.tile = blocks_of(members, wanted_rows / rows.tile);
    while (group.tile > 1 && windows_read(contraction.row_factor, all_terms, rows.tile, group.tile) > kWindowsTogether) --group.tile;
  }
  return s;
}

/// Tiles of a block, `most` or down to half as many, so that of the blocks two workers get as much each as they can.
int64_t even_tiles(int64_t tiles, int64_t most) {
  const auto of_one_worker = [&](int64_t of_block) { return ceil_div(ceil_div(tiles, of_block), 2) * of_block; };
  int64_t best = most;
  for (int64_t of_block = most; 2 * of_block >= most && of_block > 0; --of_block)
    if (of_one_worker(of_block) < of_one_worker(best)) best = of_block;
  return best;
}

/// Tiles of a block, `least` or a few more, so that in the last block, too, there are rows for one: the last tile overlaps the one before
/// then, and is not stored piece by piece. (1000 x 17 x 333: 1.01 to 1.02 times as fast, and rows may be read where they lie, another
/// 1.03.)
int64_t whole_tiles(const Dim& rows, int64_t of_tile, int64_t least) {
  constexpr int64_t kMore = 4;
  if (!rows.is_constant() || rows.constant() % of_tile == 0) return least;
  for (int64_t of_block = least; of_block <= least + kMore; ++of_block)
    if ((rows.constant() - 1) % (of_block * of_tile) + 1 >= of_tile) return of_block;
  return least;
}

/// Many rows, or a single one.
class ManyRows {
 public:
  ManyRows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Target& target, int width)
      : program_(program), kernel_(kernel), contraction_(contraction), target_(target), width_(width) {}

  Schedule schedule() const {
    Schedule s = untiled(kernel_);
    AxisSchedule& columns = s.axes[contraction_.column_position];
    columns.pack = shares_columns() && !columns_are_near_;
    int64_t columns_of_copy = std::min(columns_, block_columns());
    if (contraction_.group_position) {
      AxisSchedule& group = s.axes[*contraction_.group_position];
      group.tile = std::clamp<int64_t>(kColumnsTogether / std::max<int64_t>(1, columns_of_copy), 1, kColumnsTogether);
      const int64_t members = range(iteration_space(kernel_)[*contraction_.group_position]).hi;
      columns_of_copy *= std::min(group.tile, std::max<int64_t>(1, members));
    }
    RegisterTile tile = kFewColumns;
    bool is_in_place = false;
    if (contraction_.rows) {
      AxisSchedule& rows = s.axes[*contraction_.row_position];
      rows.pack = copies_rows(columns_of_copy);
      tile = tile_for(rows.pack, columns_of_copy);
      rows.unroll = static_cast<int>(tile.rows);
      is_in_place = shares_columns() && !rows.pack && !has_one_block_of_terms_;
      rows.tile = tiles_of_block(tile.rows, is_in_place ? kRowsInPlace : kSharingRows) * tile.rows;
    }
    columns.simd_width = width_;
    columns.unroll = static_cast<int>(tile.vectors);
    const int64_t together = is_in_place ? kColumnsOfRowsInPlace * kUsualSize / std::max(size_, kUsualSize) : block_columns();
    columns.tile = ceil_div(together, tile.vectors * width_) * tile.vectors * width_;
    return s;
  }

 private:
  /// Are there blocks of rows enough for a copy of the columns' factor that all of them use? It has to fit the third cache.
  bool shares_columns() const { return rows_ > kRowsTogether && !contraction_.group_position && terms_ <= kSharedBytes / size_ / kNarrow; }
  /// Columns of a block, more of them where they are shared: the rows' factor is copied less often then.
  int64_t block_columns() const {
    if (!shares_columns()) return std::min(kColumnsTogether, kColumnsTogether * kUsualSize / size_);
    const int64_t wanted = has_one_block_of_terms_ ? kWideColumns : kWideColumns * kUsualSize / std::max(size_, kUsualSize);
    return std::min(wanted, kSharedBytes / size_ / std::max<int64_t>(1, terms_));
  }
  bool copies_rows(int64_t columns_of_copy) const {
    return columns_of_copy > kNarrow && !are_rows_near(program_, kernel_, contraction_, columns_are_near_, width_) &&
           !is_scattered(program_, kernel_, contraction_);
  }
  RegisterTile tile_for(bool copies_rows, int64_t columns_of_copy) const {
    return best_tile({.rows = std::min(rows_, kMany),
                      .columns = std::min(columns_, kMany),
                      .terms = std::min(terms_, kChainBlock),
                      .most_rows = copies_rows ? kRowsOfTile : rows_in_place(program_, kernel_, contraction_),
                      .columns_of_copy = copies_rows ? columns_of_copy : 0,
                      .are_known = row_dim_.is_constant() && column_dim_.is_constant(),
                      .has_workers = shares_columns() && !has_one_block_of_terms_ && *contraction_.row_position == 0},
                     width_, target_);
  }
  /// Tiles of rows of a block: so few where columns are shared, since their copy passes through the second cache for each block; else
  /// blocks of about one size.
  int64_t tiles_of_block(int64_t tile_rows, int64_t shared_rows) const {
    const int64_t tiles = ceil_div(std::clamp<int64_t>(rows_, 1, kMany), tile_rows), sharing = ceil_div(shared_rows, tile_rows);
    if (!shares_columns()) return ceil_div(tiles, ceil_div(tiles * tile_rows, kRowsTogether));
    return has_one_block_of_terms_ ? whole_tiles(row_dim_, tile_rows, sharing) : even_tiles(tiles, sharing);
  }

  const Program& program_;
  const KernelPlan& kernel_;
  const Contraction& contraction_;
  const Target& target_;
  const int width_;
  const Node& reduce_ = *kernel_.reduces[0];
  const Dim row_dim_ = row_count(reduce_, contraction_), column_dim_ = reduce_.sources[0]->shape[contraction_.columns];
  const int64_t rows_ = range(row_dim_).hi, columns_ = range(column_dim_).hi, terms_ = range(term_count(reduce_)).hi,
                size_ = static_cast<int64_t>(size_of(working_dtype(reduce_.dtype)));
  const bool has_one_block_of_terms_ = terms_ <= kChainBlock, columns_are_near_ = are_columns_near(program_, kernel_, contraction_, width_);
};

}  // namespace

Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Target& target,
                              int width) {
  if (contraction.rows && contraction.group_is_rows) return schedule_windows(program, kernel, contraction, target, width);
  const int64_t rows = range(row_count(*kernel.reduces[0], contraction)).hi,
                columns = range(kernel.reduces[0]->sources[0]->shape[contraction.columns]).hi;
  if (contraction.rows && rows <= kFewRows && columns >= kManyColumns && !contraction.group_position &&
      lies_along(program, kernel, contraction.column_factor, contraction.columns))
    return schedule_few_rows(kernel, contraction, rows, target, width);
  return ManyRows(program, kernel, contraction, target, width).schedule();
}

namespace {

/// Elements of an axis that are gone through together: whole tiles.
int64_t block_extent(const KernelPlan& kernel, const Schedule& schedule, size_t position, int64_t tile) {
  const int64_t wanted = std::max(schedule.axes[position].tile, tile),
                most = std::max<int64_t>(1, range(iteration_space(kernel)[position]).hi);
  return ceil_div(std::min(wanted, most), tile) * tile;
}
/// Columns of a block; indices along the axis that is more of them, or more rows.
int64_t block_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const AxisSchedule& columns = schedule.axes[contraction.column_position];
  return block_extent(kernel, schedule, contraction.column_position, int64_t{columns.unroll} * columns.simd_width);
}
int64_t block_group(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  return contraction.group_position ? block_extent(kernel, schedule, *contraction.group_position, 1) : 1;
}

}  // namespace

int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const int64_t columns = block_columns(kernel, contraction, schedule) * block_group(kernel, contraction, schedule);
  if (!contraction.rows) return columns;
  return columns * block_extent(kernel, schedule, *contraction.row_position, schedule.axes[*contraction.row_position].unroll);
}

int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule) {
  const int64_t group = contraction.group_is_rows ? 1 : block_group(kernel, contraction, schedule),
                columns = block_columns(kernel, contraction, schedule) * group,
                terms = std::max<int64_t>(1, range(term_count(*kernel.reduces[0])).hi);
  return terms > kMostSharedColumns ? terms : terms * columns;
}

namespace {

/// Where (>= 0) there are at least so many rows, and enough columns and terms.
std::optional<Sym> are_enough(const Node& reduce, const Contraction& contraction, int64_t least_rows) {
  Sym guard = 0;
  for (const auto& [size, least] : {std::pair{row_count(reduce, contraction), least_rows},
                                    {reduce.sources[0]->shape[contraction.columns], kLeastColumns},
                                    {term_count(reduce), kLeastDepth}}) {
    if (range(size).hi < least) return std::nullopt;
    if (!proven_at_most(least, size)) guard = guard.is_constant() ? size - least : min(guard, size - least);
  }
  return guard;
}

}  // namespace

std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  // Adding row after row, which is faster with few rows, would go through memory along the terms one by one.
  const std::optional<size_t> terms = term_axis(*kernel.reduces[0]);
  const bool is_crossed = terms && lies_along(program, kernel, contraction.column_factor, *terms) &&
                          !lies_along(program, kernel, contraction.column_factor, contraction.columns);
  return are_enough(*kernel.reduces[0], contraction, is_crossed ? 1 : kLeastRows);
}

bool wants_tiles(const Node& reduce) {
  const std::optional<Contraction> contraction = as_contraction(reduce);
  const std::optional<Sym> guard = contraction ? are_enough(reduce, *contraction, kLeastRows) : std::nullopt;
  return guard && guard->is_constant();
}

}  // namespace harp
