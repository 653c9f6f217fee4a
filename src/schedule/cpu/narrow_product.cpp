#include "schedule/cpu/narrow_product.h"

#include <algorithm>

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

/// Tests whether at most one summed axis has a size other than 1. The elements of the few columns are usually read in place. With several
/// summed axes, divisions would be needed to compute the position of a term.
bool has_one_term_axis(const Node& reduce) {
  return std::ranges::count_if(reduce.as<ReduceAttributes>().axes,
                               [&](int axis) { return !reduce.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1); }) <= 1;
}

}  // namespace

std::optional<Variant> narrow_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                      int width) {
  const Node& reduce = *kernel.reduces[0];
  const std::optional<Contraction> other = exchanged(reduce, contraction);
  if (width == 1 || !other || !has_one_term_axis(reduce)) return std::nullopt;
  // The variant is not for fewer rows than a vector has lanes: the vector would be mostly empty, and the other schedules take little time
  // for so few results.
  const Dim rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns];
  const Sym are_few = Sym(fusion_limits(cpu).tile_columns - 1) - columns, fill_vector = rows - width;
  if (columns.is_constant() || proven_nonnegative(Sym(-1) - are_few) || proven_nonnegative(Sym(-1) - fill_vector)) return std::nullopt;
  Schedule s;
  s.recipe = Template::kContraction;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  AxisSchedule &few = s.axes[*other->row_position], &many = s.axes[other->column_position];
  few.unroll = static_cast<int>(kTile.rows);
  // the block has room for all columns, which are fewer than tile_columns
  few.tile = 2 * kTile.rows;
  // a factor that is computed is packed, so that it is computed only once for all tiles of a block
  few.pack = !is_array(program, kernel, contraction.column_factor);
  many.simd_width = width;
  many.unroll = static_cast<int>(kTile.vectors);
  many.tile = kTogether;
  return Variant{proven_nonnegative(fill_vector) ? are_few : min(are_few, fill_vector), s};
}

}  // namespace harp
