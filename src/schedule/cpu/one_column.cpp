#include "schedule/cpu/one_column.h"

#include "schedule/contraction_blocks.h"
#include "schedule/cpu/schedule_contraction.h"
#include "schedule/law.h"

namespace harp {
namespace {

// The rows of a tile. A multiply-add of one of them waits for the previous one of the same row, so they are enough to hide that.
constexpr int kRowsTogether = 8;
// The most rows. For more of them, vectors along the rows are worth the time to fill them.
constexpr int64_t kMostRows = 256;

}  // namespace

std::optional<Variant> one_column(const Program& program, const KernelPlan& kernel, const Contraction& contraction) {
  const Node& reduce = *kernel.reduces[0];
  const Dim columns = reduce.sources[0]->shape[contraction.columns];
  if (!contraction.rows || contraction.group_position || columns.is_constant()) return std::nullopt;
  // A factor that is computed is packed, so that it is computed only once.
  for (const Node* factor : {contraction.row_factor, contraction.column_factor})
    if (!is_array(program, kernel, factor)) return std::nullopt;
  const Dim rows = row_count(reduce, contraction), terms = term_count(reduce);
  const std::optional<Sym> guard =
      all_nonnegative({columns - 1, 1 - columns, Sym(kChainBlock) - terms, terms - 1, Sym(kMostRows) - rows, rows - 1});
  if (!guard || guard->is_constant()) return std::nullopt;
  Schedule s;
  s.recipe = Template::kContraction;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  s.axes[*contraction.row_position].unroll = kRowsTogether;
  s.axes[*contraction.row_position].tile = kMostRows;
  s.axes[contraction.column_position].tile = 1;
  return Variant{guard, s};
}

}  // namespace harp
