#include "schedule/cpu/narrow_product.h"

#include "schedule/contraction_blocks.h"
#include "schedule/cpu/register_tile.h"
#include "schedule/cpu/schedule_contraction.h"
#include "schedule/fusion_limits.h"

namespace harp {
namespace {

// Rows and columns are exchanged, so the rows of a tile are columns of C. There are few of them, because C may have only one column, but
// enough that, with two vectors each, no multiply-add waits for the previous one to the same sum.
constexpr RegisterTile kTile{4, 2};
// The number of rows of C in a block. It is a multiple of the rows of every tile, and so small that the sums of all levels of blocks stay
// in L1.
constexpr int64_t kTogether = 256;

}  // namespace

std::optional<Variant> narrow_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                      int width) {
  const Node& reduce = *kernel.reduces[0];
  const std::optional<Sym> exchange_pays = fills_exchanged_tiles(reduce, contraction, fusion_limits(cpu));
  if (width == 1 || !exchange_pays) return std::nullopt;
  // The schedule is not for fewer rows than a vector has lanes: the vector would be mostly empty, and the other schedules take little time
  // for so few results.
  const Dim rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns];
  const Sym fill_vector = rows - width;
  if (proven_nonnegative(Sym(-1) - fill_vector)) return std::nullopt;
  const Contraction other = *exchanged(reduce, contraction);
  Schedule s;
  s.recipe = Template::kContraction;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  AxisSchedule &few = s.axes[*other.row_position], &many = s.axes[other.column_position];
  const RegisterTile tile = columns.is_constant() && columns.constant() < kTile.rows ? RegisterTile{columns.constant(), 4} : kTile;
  few.unroll = static_cast<int>(tile.rows);
  // the block has room for all columns, which are fewer than tile_columns
  few.tile = 2 * tile.rows;
  // a factor that is computed is packed, so that it is computed only once for all tiles of a block
  few.pack = !is_array(program, kernel, contraction.column_factor);
  many.simd_width = width;
  many.unroll = static_cast<int>(tile.vectors);
  many.tile = kTogether;
  if (proven_nonnegative(fill_vector)) return Variant{*exchange_pays, s};
  return Variant{exchange_pays->is_constant() ? fill_vector : min(*exchange_pays, fill_vector), s};
}

}  // namespace harp
