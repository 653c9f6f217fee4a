#include "schedule/cpu/schedule_contraction.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "base/integers.h"
#include "schedule/contraction_blocks.h"
#include "schedule/cpu/register_tile.h"
#include "schedule/cpu/tuning.h"
#include "schedule/legal.h"
#include "schedule/narrow_products.h"
#include "schedule/symmetric_product.h"
#include "schedule/views.h"

namespace harp {
namespace {

// The names in this file are those of lower/contraction.cpp: the product is C = A·B. AxisSchedule::unroll is the size of a register tile,
// AxisSchedule::tile is the size of a cache block, and AxisSchedule::pack says that a factor is packed.

// Sizes above this number are treated as this number, because they make no difference to the choice.
constexpr int64_t kMany = 1 << 20;
// The tile for a product with a single row: each column of the columns' factor is read as a separate memory stream.
constexpr RegisterTile kFewColumns{1, 2};
// A tile has at most this many rows if the number of rows is unknown. It has at most this many vectors if the number of columns is unknown
// and, in addition, the number of rows or the length of the lines of pixels is unknown. There may be fewer rows and columns than the tile
// has, or the last tile may be mostly empty, so the tile is as small as it can be without loss for many rows and columns: as
// register_tile.cpp says, 8 rows of two vectors are as fast as any larger tile.
constexpr RegisterTile kUnknownTile{8, 2};

// --- Memory layout of the factors

/// Tests whether the factor is contiguous in memory along this axis of the reduction's source, or does not vary along it.
bool lies_along(const Program& program, const KernelPlan& kernel, const Node* factor, size_t axis) {
  const std::vector<ArrayView> views = KernelViews(program, kernel).of(factor);
  return !views.empty() && std::all_of(views.begin(), views.end(), [&](const View& view) {
    return view.strides[axis].is_constant(1) || view.strides[axis].is_constant(0);
  });
}
/// Returns the axis of the terms (the summed axis) if only one summed axis has a size other than 1.
std::optional<size_t> term_axis(const Node& reduce) {
  std::optional<size_t> found;
  for (const int axis : reduce.as<ReduceAttributes>().axes) {
    if (reduce.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1)) continue;
    if (found) return std::nullopt;
    found = static_cast<size_t>(axis);
  }
  return found;
}

/// Tests whether the rows' factor A is an array that is contiguous in memory neither along the rows nor along the terms. Packing such a
/// factor would copy single elements, which takes longer than it saves.
bool is_scattered(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  const Node* array = contraction.row_factor;
  for (; !is_loaded(program, kernel, array); array = array->sources[0])
    // A factor that is computed is evaluated once, into its packed copy, so the memory order of its operands does not matter.
    if (is_elementwise(array->op) || array->sources.empty()) return false;
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

/// Returns how many rows of the rows' factor a tile may read without packing. If rows are a power of two bytes apart, they compete for few
/// cache sets, so the number is small.
int64_t most_unpacked_rows(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  int64_t most = kMaxTileRows;
  for (const ArrayView& view : KernelViews(program, kernel).of(contraction.row_factor)) {
    const Sym& stride = view.strides[*contraction.rows];
    if (!stride.is_constant() || stride.is_constant(0)) continue;
    const int64_t stride_bytes = stride.constant() * view.element_bytes;
    most = std::min(most, kWayBytes / std::gcd(stride_bytes, kWayBytes) * kWays);
  }
  return most;
}

/// Tests whether the columns' factor B is an array that register tiles read in place as fast as a packed copy, for any number of rows. (512
/// x 512 x 512 in f32 runs at 111 GFLOP/s with neither factor packed and at 108 with both packed; 256 x 256 x 256 in f64 at 58 and 55.)
bool are_columns_near(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width) {
  const Node &factor = *contraction.column_factor, &reduce = *kernel.reduces[0];
  const int64_t size = static_cast<int64_t>(size_of(factor.dtype));
  const std::optional<size_t> terms = term_axis(reduce);
  const std::vector<ArrayView> views = KernelViews(program, kernel).of(&factor);
  if (!terms || !is_array(program, kernel, &factor) || views.size() != 1 || !is_whole_line(width * size)) return false;
  // A vector cannot be loaded from a row that is shorter. Without a copy for all rows, each block of rows would make its own.
  if (proven_less(reduce.sources[0]->shape[contraction.columns], width)) return false;
  const Sym &term_stride = views[0].strides[*terms], &count = reduce.sources[0]->shape[*terms];
  return views[0].strides[contraction.columns].is_constant(1) && term_stride.is_constant() && count.is_constant() &&
         std::abs(term_stride.constant()) * count.constant() * size <= near_columns_bytes(cpu);
}

/// Tests whether the rows' factor A is an array that register tiles read in place as fast as a packed copy, even if the last tile overlaps
/// the one before. This is true for rows that are contiguous along the terms, because packing would transpose them. (1024 x 1024 x 1024 in
/// f32 runs at 226 GFLOP/s in place and at 218 packed; 2048 x 2048 x 2048 at 229 and 219; 512 x 512 x 512 in f64 at 109 and 106.) For other
/// rows it is true if the columns' factor B is read in place, too. (256 x 256 x 256 runs at 238 in place and at 219 packed, 512 x 512 x 512
/// at 230 and 227. But 1024 x 1024 x 1024 runs at 191 in place and at 221 packed, because all terms of a tile compete for the same cache
/// sets.) If the terms may be few, packing may take longer than the products.
bool are_rows_near(const Program& program, const KernelPlan& kernel, const Contraction& contraction, bool columns_are_near, const Cpu& cpu,
                   int width) {
  const Node &factor = *contraction.row_factor, &reduce = *kernel.reduces[0];
  const std::optional<size_t> terms = term_axis(reduce);
  if (!terms || !is_array(program, kernel, &factor)) return false;
  const bool are_along_terms = lies_along(program, kernel, &factor, *terms);
  if (are_along_terms && !proven_at_most(fusion_limits(cpu).tile_terms, term_count(reduce))) return true;
  return is_whole_line(width * static_cast<int64_t>(size_of(factor.dtype))) && row_count(reduce, contraction).is_constant() &&
         (columns_are_near || are_along_terms);
}

/// Tests whether the columns' factor B is contiguous along the terms, as in x @ transpose(w).
bool is_crossed(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  const std::optional<size_t> terms = term_axis(*kernel.reduces[0]);
  return terms && lies_along(program, kernel, contraction.column_factor, *terms) &&
         !lies_along(program, kernel, contraction.column_factor, contraction.columns);
}

/// Tests whether the columns' factor is known to be larger than L3.
bool are_columns_far(const Node& reduce, const Contraction& contraction, const Cpu& cpu) {
  const Dim elements = term_count(reduce) * reduce.sources[0]->shape[contraction.columns];
  return elements.is_constant() && elements.constant() >= cpu.caches.third / static_cast<int64_t>(size_of(working_dtype(reduce.dtype)));
}

/// Tests whether a contraction may have too many columns and terms for register tiles if it has few rows (see kSkinnyTerms).
bool may_be_skinny(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu) {
  const Node& reduce = *kernel.reduces[0];
  if (!contraction.rows || contraction.group_position) return false;
  if (range(reduce.sources[0]->shape[contraction.columns]).hi < kSkinnyColumns) return false;
  if (range(term_count(reduce)).hi < kSkinnyTerms && !are_columns_far(reduce, contraction, cpu)) return false;
  return lies_along(program, kernel, contraction.column_factor, contraction.columns);
}

/// Schedules a contraction with few rows (skinny GEMM). Each element of the columns' factor is used only a few times, so the factor is read
/// in place, several terms at a time. The sums of a block of columns stay in L1.
Schedule schedule_skinny_gemm(const KernelPlan& kernel, const Contraction& contraction, int64_t rows, const Cpu& cpu, int width) {
  Schedule s = untiled(kernel);
  AxisSchedule &row_axis = s.axes[*contraction.row_position], &column_axis = s.axes[s.axes.size() - 2];
  const Node& reduce = *kernel.reduces[0];
  const int64_t tiles = std::max<int64_t>(1, ceil_div(rows, kSkinnyRowsTogether)), together = std::max<int64_t>(1, ceil_div(rows, tiles)),
                size = static_cast<int64_t>(size_of(working_dtype(reduce.dtype)));
  const bool are_far = are_columns_far(reduce, contraction, cpu);
  const bool by_pages = are_far && tiles == 1 && kSkinnyRowsTogether * kPageBytes < cpu.caches.first;
  const int64_t terms = 8 * together <= kSkinnyElements || (are_far && !by_pages) ? 8 : are_far ? 2 : 4;
  row_axis.unroll = static_cast<int>(together);
  row_axis.tile = tiles * together;
  s.axes.back().unroll = static_cast<int>(terms);
  column_axis.simd_width = width;
  column_axis.tile = by_pages  ? kPageBytes / size
                     : are_far ? kSkinnySums / row_axis.tile
                               : kSkinnyBytes / size / (row_axis.tile + terms) / kSkinnyEvenColumns * kSkinnyEvenColumns;
  return s;
}

/// Estimates how many elements of their array the windows of a convolution read, for `rows` rows and `members` members of the group
/// (Contraction::group_position). The Unfold op that is applied last makes the windows of the rows, and the Unfold before it makes the
/// windows of the group. Of every other Unfold, a single window is read. If the group has no Unfold, each member reads different elements.
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
  for (; unfolds < windows.size(); ++unfolds) elements *= static_cast<double>(windows[unfolds]);
  return elements;
}

/// Returns how many terms (narrow integers) each lane of the factors should hold: as many as fit a lane and as the machine multiplies in
/// one instruction.
int preferred_terms_of_lane(const Node& reduce, const Contraction& contraction, const Cpu& cpu, int width) {
  const int64_t rows = range(row_count(reduce, contraction)).hi, columns = range(reduce.sources[0]->shape[contraction.columns]).hi;
  const int most = cpu.dot_products ? kTermsOfQuad : cpu.multiplies_pairs ? kTermsOfPair : 1;
  const bool pays = width > 1 && std::min(rows, columns) >= kMinSideOfPairs;
  return pays ? std::min(most, most_terms_of_lane(reduce, contraction)) : 1;
}

/// Schedules a convolution whose rows are windows. For a block of rows and members of the group, the elements that the windows read are
/// copied once for all columns. The columns' factor B is packed once for all rows. If threads divide the columns, there are at least two
/// blocks of columns. A line has at most `most_pixels`, if the number of its pixels is unknown.
Schedule schedule_windows(const KernelPlan& kernel, const Contraction& contraction, int64_t most_pixels, const Cpu& cpu, int width) {
  const Shape space = iteration_space(kernel);
  const bool are_known = space[*contraction.row_position].is_constant() && space[contraction.column_position].is_constant();
  Schedule s = untiled(kernel);
  const auto most = [&](size_t position) {
    return std::clamp<int64_t>(range(space[position]).hi, 1, position == *contraction.row_position ? most_pixels : kMany);
  };
  const auto blocks_of = [](int64_t tiles, int64_t wanted) { return ceil_div(tiles, ceil_div(tiles, std::max<int64_t>(1, wanted))); };
  const int64_t size = static_cast<int64_t>(size_of(working_dtype(kernel.reduces[0]->dtype))),
                all_terms = std::max<int64_t>(1, range(term_count(*kernel.reduces[0])).hi);
  // Windows are not packed. If a lane holds several terms, generated code combines the terms when it uses them. Combining two terms takes
  // fewer instructions than computing their products, but combining four would take more. If the terms are adjacent channels, no division
  // is needed to compute their positions.
  const Node& reduce = *kernel.reduces[0];
  const Dim channels = reduce.sources[0]->shape[static_cast<size_t>(reduce.as<ReduceAttributes>().axes.back())];
  const bool are_adjacent = mod(channels, kTermsOfPair).is_constant(0);
  const int terms_of_lane = are_adjacent ? std::min(kTermsOfPair, preferred_terms_of_lane(reduce, contraction, cpu, width)) : 1;
  s.axes.back().simd_width = terms_of_lane;
  const RegisterTile tile = best_tile({.rows = most(*contraction.row_position),
                                       .columns = most(contraction.column_position),
                                       .terms = ceil_div(std::min(all_terms, kChainBlock), terms_of_lane),
                                       .max_rows = kMaxTileRows,
                                       .columns_of_copy = 0,
                                       .are_known = are_known},
                                      width, cpu);

  AxisSchedule& columns = s.axes[contraction.column_position];
  const int64_t tile_columns = tile.vectors * width, column_tiles = ceil_div(most(contraction.column_position), tile_columns),
                shared_tiles = shared_bytes(cpu) / size / tile_columns / all_terms;
  columns.simd_width = width;
  columns.unroll = static_cast<int>(tile.vectors);
  columns.pack = shared_tiles > 0;
  int64_t together = blocks_of(column_tiles, shared_tiles > 0 ? shared_tiles : kColumnsTogether / tile_columns);
  if (contraction.column_position == 0) together = std::min(together, ceil_div(column_tiles, 2));
  columns.tile = std::min(together, kMaxTile / tile_columns) * tile_columns;

  AxisSchedule& rows = s.axes[*contraction.row_position];
  const bool is_length_known = space[*contraction.row_position].is_constant();
  const int64_t row_tiles = ceil_div(most(*contraction.row_position), tile.rows),
                wanted_rows = std::min(kPixelsTogether, elements_of_windows(cpu) / columns.tile),
                of_line = is_length_known || !contraction.group_position ? wanted_rows : std::min(wanted_rows, kPixelsOfUnknownLine);
  rows.unroll = static_cast<int>(tile.rows);
  rows.tile = blocks_of(row_tiles, of_line / tile.rows) * tile.rows;
  rows.pack = true;
  // If there are many channels, the windows of only a few pixels are copied at a time. If the number of channels is unknown, each window is
  // copied on its own.
  const auto read = [&](int64_t members) { return windows_read(contraction.row_factor, all_terms, rows.tile, members); };
  const auto most_elements = static_cast<double>(elements_of_windows(cpu));
  const double most_of_line = is_length_known ? static_cast<double>(kMaxCopiedWindows) : most_elements;
  if (term_count(reduce).is_constant()) {
    const int64_t wanted = rows.tile;
    while (rows.tile > tile.rows && read(1) > most_of_line) rows.tile -= tile.rows;
    // If the windows of even a single tile have too many elements to be copied together (as in the gradient of weights, whose terms are
    // all pixels), windows are packed tile by tile. A small block would then only pack the columns more often.
    if (read(1) > static_cast<double>(kMaxCopiedWindows)) rows.tile = wanted;
  }
  if (contraction.group_position) {
    AxisSchedule& group = s.axes[*contraction.group_position];
    group.tile = blocks_of(most(*contraction.group_position), wanted_rows / rows.tile);
    while (group.tile > 1 && read(group.tile) > most_elements) --group.tile;
  }
  return s;
}

/// Returns the number of register tiles in a block: between half of `most` and `most`, chosen so that the shares of two workers are as
/// equal as possible.
int64_t even_tiles(int64_t tiles, int64_t most) {
  const auto of_one_worker = [&](int64_t of_block) { return ceil_div(ceil_div(tiles, of_block), 2) * of_block; };
  int64_t best = most;
  for (int64_t of_block = most; 2 * of_block >= most && of_block > 0; --of_block)
    if (of_one_worker(of_block) < of_one_worker(best)) best = of_block;
  return best;
}

/// Returns the number of register tiles in a block: `least` or a few more, chosen so that the last block has room for at least one whole
/// tile. The last tile can then overlap the previous one, instead of being computed in smaller pieces.
int64_t whole_tiles(const Dim& rows, int64_t of_tile, int64_t least) {
  if (!rows.is_constant() || rows.constant() % of_tile == 0) return least;
  for (int64_t of_block = least; of_block <= least + kMaxExtraTiles; ++of_block)
    if ((rows.constant() - 1) % (of_block * of_tile) + 1 >= of_tile) return of_block;
  return least;
}

/// Tests whether the columns are the pixels of lines of unknown length, which may be short. A tile is then partly empty, but without tiles,
/// vectors would run along the line, too, and fill as little.
bool has_unknown_lines(const Node& reduce, const Contraction& contraction) {
  return array_below_windows(contraction.column_factor) != nullptr && !reduce.sources[0]->shape[contraction.columns].is_constant();
}

/// Schedules contractions with many rows, or with a single row.
class ManyRows {
 public:
  ManyRows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, int64_t rows, const Cpu& cpu, int width,
           int terms_of_lane)
      : program_(program),
        kernel_(kernel),
        contraction_(contraction),
        rows_(rows),
        cpu_(cpu),
        width_(width),
        terms_of_lane_(terms_of_lane) {}

  Schedule schedule() const {
    Schedule s = untiled(kernel_);
    s.axes.back().simd_width = terms_of_lane_;
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
      rows.pack = terms_of_lane_ > 1 || copies_rows(columns_of_copy);
      tile = tile_for(rows.pack, columns_of_copy);
      rows.unroll = static_cast<int>(tile.rows);
      is_in_place = shares_columns() && !rows.pack && !has_one_block_of_terms_;
      rows.tile = tiles_of_block(tile.rows, is_in_place ? kUnpackedRows : kSharingRows) * tile.rows;
    }
    columns.simd_width = width_;
    columns.unroll = static_cast<int>(tile.vectors);
    const int64_t together = is_in_place ? kUnpackedColumns * kUsualSize / std::max(size_, kUsualSize) : block_columns();
    columns.tile = ceil_div(together, tile.vectors * width_) * tile.vectors * width_;
    if (columns.pack) limit_copy(columns);
    if (may_compute_half(reduce_, contraction_)) halve(s);
    return s;
  }

 private:
  /// Reduces the columns of a block, and if necessary those of a tile, so that the copy for all rows has at most kMaxSharedColumns
  /// elements.
  void limit_copy(AxisSchedule& columns) const {
    const int64_t most = kMaxSharedColumns / std::max<int64_t>(1, terms_);
    while (columns.unroll > 1 && columns.unroll * width_ > most) --columns.unroll;
    const int64_t of_tile = int64_t{columns.unroll} * width_;
    columns.tile = std::min(columns.tile, std::max<int64_t>(1, most / of_tile) * of_tile);
    if (of_tile > most) columns.pack = false;
  }
  /// If there are enough rows, changes the schedule to one that computes only half of the product. The number of rows of a block must then
  /// be a multiple of the number of columns of a tile, and of the rows of a tile. If the smallest such block is too large, the tile gets
  /// fewer rows, but at least half as many.
  void halve(Schedule& s) const {
    AxisSchedule& rows = s.axes[*contraction_.row_position];
    const AxisSchedule& columns = s.axes[contraction_.column_position];
    const int most = rows.unroll;
    const int64_t wanted = std::min(rows.tile, rows_ / kLeastHalfBlocks);
    for (int tile_rows = most; 2 * tile_rows >= most; --tile_rows) {
      const int64_t least = std::lcm(int64_t{tile_rows}, int64_t{columns.unroll} * columns.simd_width),
                    block = std::max<int64_t>(1, wanted / least) * least;
      if (least > kMostHalfRows || rows_ / block < kLeastHalfBlocks) continue;
      rows.unroll = tile_rows;
      rows.tile = block;
      s.half = true;
      return;
    }
  }
  /// Tests whether the columns' factor B should be packed once for all rows: there must be several blocks of rows, and L3 must have room
  /// for the packed copy of at least kNarrow columns.
  bool shares_columns() const {
    return rows_ > rows_together(cpu_) && !contraction_.group_position && terms_ <= shared_bytes(cpu_) / size_ / kNarrow;
  }
  /// Returns the number of columns of a cache block. It is higher if all rows share one packed copy of the columns, so that the rows'
  /// factor A is packed less often.
  int64_t block_columns() const {
    if (has_unknown_lines_) return kPixelsOfUnknownLine;
    if (!shares_columns()) return std::min(kColumnsTogether, kColumnsTogether * kUsualSize / size_);
    const int64_t wanted = has_one_block_of_terms_ ? kWideColumns : kWideColumns * kUsualSize / std::max(size_, kUsualSize);
    return std::min(wanted, shared_bytes(cpu_) / size_ / std::max<int64_t>(1, terms_));
  }
  bool copies_rows(int64_t columns_of_copy) const {
    if (is_scattered(program_, kernel_, contraction_)) return false;
    // A factor that is computed would be computed again for each tile of columns, one element at a time.
    if (!is_array(program_, kernel_, contraction_.row_factor)) return columns_of_copy > kComputedTiles * kUnknownTile.vectors * width_;
    return columns_of_copy > kNarrow && !are_rows_near(program_, kernel_, contraction_, columns_are_near_, cpu_, width_);
  }
  RegisterTile tile_for(bool copies_rows, int64_t columns_of_copy) const {
    const int64_t most_rows = copies_rows ? kMaxTileRows : most_unpacked_rows(program_, kernel_, contraction_);
    const bool are_rows_known = row_dim_.is_constant(), are_columns_known = column_dim_.is_constant();
    RegisterTile tile = best_tile({.rows = std::min(rows_, kMany),
                                   .columns = std::min(columns_, has_unknown_lines_ ? kPixelsOfUnknownLine : kMany),
                                   .terms = ceil_div(std::min(terms_, kChainBlock), terms_of_lane_),
                                   .max_rows = are_rows_known ? most_rows : std::min(most_rows, kUnknownTile.rows),
                                   .columns_of_copy = copies_rows ? columns_of_copy : 0,
                                   .are_known = are_rows_known && are_columns_known,
                                   .has_workers = shares_columns() && !has_one_block_of_terms_ && *contraction_.row_position == 0},
                                  width_, cpu_);
    // A line of pixels, or all columns, may fill only a few vectors. Further vectors of the tile would be computed for nothing.
    if (!are_columns_known && tile.vectors > kUnknownTile.vectors && (!are_rows_known || has_unknown_lines_)) {
      tile.vectors = kUnknownTile.vectors;
      const int64_t room = (cpu_.vector_registers - 1 - tile.vectors) / tile.vectors;
      if (!are_rows_known) tile.rows = std::min({room, most_rows, kUnknownTile.rows});
    }
    return tile;
  }
  /// Returns the number of register tiles in a block of rows. If all rows share one packed copy of the columns, the number is small, so
  /// that L2 has room for a block with more columns. Otherwise the rows are divided into blocks of about equal size.
  int64_t tiles_of_block(int64_t tile_rows, int64_t shared_rows) const {
    const int64_t tiles = ceil_div(std::clamp<int64_t>(rows_, 1, kMany), tile_rows), sharing = ceil_div(shared_rows, tile_rows);
    if (!shares_columns()) return ceil_div(tiles, ceil_div(tiles * tile_rows, rows_together(cpu_)));
    return has_one_block_of_terms_ ? whole_tiles(row_dim_, tile_rows, sharing) : even_tiles(tiles, sharing);
  }

  const Program& program_;
  const KernelPlan& kernel_;
  const Contraction& contraction_;
  const int64_t rows_;  // the largest number of rows
  const Cpu& cpu_;
  const int width_, terms_of_lane_;
  const Node& reduce_ = *kernel_.reduces[0];
  const Dim row_dim_ = row_count(reduce_, contraction_), column_dim_ = reduce_.sources[0]->shape[contraction_.columns];
  const int64_t columns_ = range(column_dim_).hi, terms_ = range(term_count(reduce_)).hi,
                size_ = static_cast<int64_t>(size_of(working_dtype(reduce_.dtype)));
  // Whether the columns are windows of a convolution along lines of pixels of unknown length, which may be short.
  const bool has_unknown_lines_ = contraction_.group_position && has_unknown_lines(reduce_, contraction_);
  const bool has_one_block_of_terms_ = terms_ <= kChainBlock,
             columns_are_near_ = are_columns_near(program_, kernel_, contraction_, cpu_, width_);
};

/// Returns the schedule for at most `rows` rows. `are_few` says whether these are few enough for skinny GEMM.
Schedule schedule_rows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, int64_t rows, bool are_few,
                       const Cpu& cpu, int width) {
  const int terms_of_lane = preferred_terms_of_lane(*kernel.reduces[0], contraction, cpu, width);
  if (terms_of_lane == 1 && are_few && may_be_skinny(program, kernel, contraction, cpu))
    return schedule_skinny_gemm(kernel, contraction, rows, cpu, width);
  return ManyRows(program, kernel, contraction, rows, cpu, width, terms_of_lane).schedule();
}

/// Returns the fewest rows, columns and terms for which register tiles are faster than adding one row of products after the other.
FusionLimits limits_of_tiles(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu) {
  const Node& reduce = *kernel.reduces[0];
  const Dim rows = row_count(reduce, contraction);
  const bool crossed = is_crossed(program, kernel, contraction);
  FusionLimits limits = fusion_limits(cpu);
  if (crossed) limits.few_terms = kFewestCrossedTerms;
  if (const std::optional<FusionLimits> of_few_terms = limits_of_few_terms(reduce, contraction, limits, crossed)) {
    limits = *of_few_terms;
  } else if (crossed) {
    // If the columns' factor B is contiguous along the terms, adding rows of products would read B one element at a time, so tiles pay even
    // for a single row.
    limits.tile_rows = 1;
  } else if (contraction.group_is_rows && !rows.is_constant()) {
    limits.tile_rows = 0;  // see has_unknown_lines()
  } else if (proven_at_most(rows, kSkinnyRows) && may_be_skinny(program, kernel, contraction, cpu)) {
    limits.tile_rows = std::min(limits.tile_rows, kFewestSkinnyRows);
  }
  if (has_unknown_lines(reduce, contraction)) limits.tile_columns = 0;
  // An unknown number of terms may be small. Unless elements of adjacent columns are adjacent in memory, tiles then pay, too.
  const bool are_apart = array_below_windows(contraction.column_factor) == nullptr &&
                         !lies_along(program, kernel, contraction.column_factor, contraction.columns);
  if (are_apart && !term_count(reduce).is_constant() && limits.few_terms > 0)
    limits.tile_terms = std::min(limits.tile_terms, limits.few_terms);
  return limits;
}

}  // namespace

bool lies_along_terms(const Program& program, const KernelPlan& kernel, const Node* factor) {
  const std::optional<size_t> terms = term_axis(*kernel.reduces[0]);
  return terms && lies_along(program, kernel, factor, *terms);
}

bool is_array(const Program& program, const KernelPlan& kernel, const Node* factor) {
  while (!is_loaded(program, kernel, factor) && is_movement(factor->op) && factor->op != Op::kPad) factor = factor->sources[0];
  return is_loaded(program, kernel, factor);
}

Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width) {
  if (contraction.rows && contraction.group_is_rows) return schedule_windows(kernel, contraction, kMany, cpu, width);
  const int64_t rows = range(row_count(*kernel.reduces[0], contraction)).hi;
  return schedule_rows(program, kernel, contraction, rows, rows <= kSkinnyRows, cpu, width);
}

std::optional<Variant> few_rows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                int width) {
  const Node& reduce = *kernel.reduces[0];
  if (!contraction.rows || contraction.group_position) return std::nullopt;
  const Sym rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns], terms = term_count(reduce);
  if (proven_at_most(rows, kSkinnyRows)) return std::nullopt;  // schedule_contraction() chooses skinny GEMM for these
  const auto scheduled = [&](int64_t most) {
    return schedule_rows(program, kernel, contraction, std::min(most, range(rows).hi), true, cpu, width);
  };
  std::optional<Sym> guard;
  int64_t most = 0;
  if (may_be_skinny(program, kernel, contraction, cpu)) {
    if (preferred_terms_of_lane(reduce, contraction, cpu, width) > 1) return std::nullopt;  // tiles of such lanes are faster
    const Sym elements = terms * columns;
    const int64_t most_near = near_columns_bytes(cpu) / static_cast<int64_t>(size_of(working_dtype(reduce.dtype)));
    const bool is_near = proven_at_most(elements, most_near);
    most = is_near ? kUnknownRowsOfNear : kUnknownRowsOfFar;
    guard = all_nonnegative(
        {rows - kFewestSkinnyRows, most - rows, columns - kSkinnyColumns, is_near ? terms - kSkinnyTerms : elements - (most_near + 1)});
  } else if (is_crossed(program, kernel, contraction)) {
    const std::optional<Sym> tiles = pays(program, kernel, contraction, cpu, width);
    most = rows_together(cpu);
    const Schedule all = schedule_contraction(program, kernel, contraction, cpu, width), few = scheduled(most);
    const size_t position = contraction.column_position;
    // the same tiles and copies, only in smaller blocks
    if (!all.half && all.axes[position].pack == few.axes[position].pack) return std::nullopt;
    if (tiles) guard = all_nonnegative({*tiles, most - rows});
  }
  if (!guard) return std::nullopt;
  return Variant{guard, scheduled(most)};
}

std::optional<Variant> short_lines(const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width) {
  const Node& reduce = *kernel.reduces[0];
  const Dim filters = row_count(reduce, contraction), pixels = reduce.sources[0]->shape[contraction.columns];
  if (width == 1 || !has_unknown_lines(reduce, contraction) || !filters.is_constant() || filters.constant() < 1) return std::nullopt;
  const std::optional<Contraction> other = exchanged(reduce, contraction);
  // Lines of more pixels fill vectors better than the filters do.
  const int64_t most = filters.constant() / ceil_div(filters.constant(), int64_t{width});
  if (!other || most < 1) return std::nullopt;
  const std::optional<Sym> guard = all_nonnegative({most - pixels, term_count(reduce) - fusion_limits(cpu).tile_terms});
  if (!guard) return std::nullopt;
  return Variant{guard, schedule_windows(kernel, *other, most, cpu, width)};
}

bool may_store_tiles(const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width) {
  const Node& reduce = *kernel.reduces[0];
  const Dim terms = term_count(reduce), columns = reduce.sources[0]->shape[contraction.columns];
  if (width == 1 || !contraction.rows || contraction.group_position || contraction.is_output_transposed()) return false;
  for (const Node* factor : {contraction.row_factor, contraction.column_factor})
    if (array_below_windows(factor) != nullptr) return false;
  if (preferred_terms_of_lane(reduce, contraction, cpu, width) > 1) return false;
  // A few terms and columns, both known, are added in one expression (few_terms.h).
  return !terms.is_constant() || (terms.constant() < fusion_limits(cpu).tile_terms && !columns.is_constant());
}

std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width) {
  const Node& reduce = *kernel.reduces[0];
  const std::optional<Sym> full = fills_tiles(reduce, contraction, limits_of_tiles(program, kernel, contraction, cpu));
  if ((full && full->is_constant()) || !may_store_tiles(kernel, contraction, cpu, width)) return full;
  const Dim rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns], terms = term_count(reduce);
  const std::optional<Sym> stored =
      all_nonnegative({rows - fusion_limits(cpu).tile_rows, columns - 1, terms - 1, Sym(kChainBlock) - terms});
  if (!stored || stored->is_constant()) return stored ? stored : full;
  return full ? max(*full, *stored) : stored;
}

}  // namespace harp
