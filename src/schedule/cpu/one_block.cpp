#include "schedule/cpu/one_block.h"

#include "schedule/contraction_blocks.h"
#include "schedule/cpu/schedule_contraction.h"
#include "schedule/fusion_limits.h"
#include "schedule/law.h"

namespace harp {

std::optional<Variant> one_block(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                 int width) {
  const Node& reduce = *kernel.reduces[0];
  const Dim rows = row_count(reduce, contraction), columns = reduce.sources[0]->shape[contraction.columns], terms = term_count(reduce);
  if (width == 1 || !contraction.rows || contraction.group_position || contraction.is_output_transposed()) return std::nullopt;
  for (const Node* factor : {contraction.row_factor, contraction.column_factor})
    if (array_below_windows(factor) != nullptr) return std::nullopt;
  // The tiles of other schedules for a known number of terms go directly to the output, too. A few terms and columns, both known, are added
  // in one expression (few_terms.h).
  const FusionLimits limits = fusion_limits(cpu);
  if (terms.is_constant() && (terms.constant() >= limits.tile_terms || columns.is_constant())) return std::nullopt;
  Schedule s = schedule_contraction(program, kernel, contraction, cpu, width);
  if (s.axes.back().simd_width > 1 || s.axes.back().unroll > 1) return std::nullopt;
  const std::optional<Sym> guard = all_nonnegative({Sym(kChainBlock) - terms, terms - 1, rows - limits.tile_rows, columns - 1});
  if (!guard) return std::nullopt;
  // A factor that is computed stays packed, so that it is computed only once for all tiles of a block, and so does one whose terms are far
  // apart in memory, where they may compete for few cache sets. Half of the product is computed by blocks of rows whose sums are in memory.
  if (is_array(program, kernel, contraction.row_factor) && lies_along_terms(program, kernel, contraction.row_factor))
    s.axes[*contraction.row_position].pack = false;
  s.axes[contraction.column_position].pack = false;
  s.half = false;
  return Variant{guard->is_constant() ? std::nullopt : guard, s};
}

}  // namespace harp
