#include "schedule/cpu/narrow_product.h"

#include <algorithm>

#include "base/integers.h"
#include "schedule/contraction_blocks.h"
#include "schedule/cpu/register_tile.h"
#include "schedule/cpu/schedule_contraction.h"
#include "schedule/fusion_limits.h"

namespace harp {
namespace {

// The usual number of rows of C in a block. It is so small that the sums of all levels of blocks stay in L1.
constexpr int64_t kTogether = 256;
// A known number of rows of C is divided into at least this many blocks, for the threads, as far as whole tiles permit.
constexpr int64_t kLeastBlocks = 8;

/// Returns the register tile. Rows and columns are exchanged, so the rows of a tile are columns of C, and its vectors lie along the rows of
/// C. There should be so many sums that no multiply-add waits for the previous one to the same sum. But if C has fewer rows than a tile,
/// the tile is packed with zeros, so its vectors must not be more than those rows fill.
RegisterTile tile_of(const Dim& rows, const Dim& columns, const Cpu& cpu, int width) {
  constexpr int64_t kUsualRows = 4, kMostVectors = 4;
  // Stands for an unknown, large number of rows. Tiles of 1, 2, 3 and 4 vectors divide it without rest.
  constexpr int64_t kManyVectors = 12;
  RegisterTile tile{kUsualRows, 2};
  // A tile for all columns, if there are registers for them, two vectors of the rows and a single element.
  if (columns.is_constant() && columns.constant() * 2 + 3 <= cpu.vector_registers) tile.rows = columns.constant();
  const int64_t in_flight = int64_t{cpu.addition_latency} * cpu.vector_multiply_adds_a_cycle, most = range(rows).hi;
  const int64_t room = (cpu.vector_registers - 1) / (tile.rows + 1);
  // Unknown rows may be far fewer than the most there can be, and a whole tile has to exist.
  const int64_t fit = rows.is_constant() ? most / width : most / width / 2;
  const int64_t most_vectors = std::clamp<int64_t>(std::min(fit, room), 1, kMostVectors);
  std::optional<int64_t> least;
  // with at least two vectors, each element of the other factor is loaded for two multiply-adds
  for (int64_t vectors = std::min<int64_t>(2, most_vectors); vectors <= most_vectors; ++vectors) {
    const int64_t tiles = rows.is_constant() ? ceil_div(most, vectors * width) : kManyVectors / vectors;
    const int64_t time = tiles * std::max(vectors * tile.rows, in_flight);
    if (!least || time < *least) least = time, tile.vectors = vectors;
  }
  return tile;
}

}  // namespace

std::optional<Variant> narrow_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                      int width) {
  const Node& reduce = *kernel.reduces[0];
  const std::optional<Sym> exchange_pays = fills_exchanged_tiles(reduce, contraction, fusion_limits(cpu));
  if (width == 1 || !exchange_pays) return std::nullopt;
  const Dim rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns];
  const RegisterTile tile = tile_of(rows, columns, cpu, width);
  const int64_t tile_rows = tile.vectors * width;
  // Other schedules take little time for fewer rows.
  const Sym fill_tile = rows - tile_rows;
  const std::optional<Sym> guard = all_nonnegative({*exchange_pays, fill_tile});
  if (!guard) return std::nullopt;
  const Contraction other = *exchanged(reduce, contraction);
  Schedule s;
  s.recipe = Template::kContraction;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  AxisSchedule &few = s.axes[*other.row_position], &many = s.axes[other.column_position];
  few.unroll = static_cast<int>(tile.rows);
  // the block has room for all columns, which are fewer than tile_columns
  few.tile = 2 * tile.rows;
  // a factor that is computed is packed, so that it is computed only once for all tiles of a block
  few.pack = !is_array(program, kernel, contraction.column_factor);
  many.simd_width = width;
  many.unroll = static_cast<int>(tile.vectors);
  const int64_t wanted = rows.is_constant() ? std::clamp<int64_t>(rows.constant() / kLeastBlocks, 1, kTogether) : kTogether;
  many.tile = ceil_div(wanted, tile_rows) * tile_rows;
  return Variant{guard, s};
}

}  // namespace harp
