#include "schedule/cpu/lane_columns.h"

#include <algorithm>

#include "base/integers.h"
#include "schedule/contraction_blocks.h"
#include "schedule/cpu/tuning.h"
#include "schedule/kernel_structure.h"
#include "schedule/lane_groups.h"
#include "schedule/law.h"
#include "schedule/legal.h"

namespace harp {
namespace {

/// Each column of a tile has accumulators for up to 64 lanes, which take `bytes` for each lane. Returns the number of columns whose
/// accumulators for one lane fit in `room` bytes, as a multiple of `width`.
int64_t columns_in(int64_t room, int64_t bytes, int width) {
  return std::clamp<int64_t>(room / bytes / width * width, width, kMaxLaneColumns);
}

/// Returns a number of columns for each tile, at most `most`, for which two workers get equal numbers of tiles.
int64_t even_columns(int64_t columns, int64_t most, int width) {
  const int64_t tiles = ceil_div(ceil_div(columns, most), 2) * 2;
  return std::min(most, ceil_div(ceil_div(columns, tiles), int64_t{width}) * width);
}

/// Returns the variant for an argmax or argmin of short rows, whose tiles are copied.
std::optional<Variant> copied_rows(const KernelPlan& kernel, int width) {
  const int64_t terms = term_count(*kernel.reduces[0]).constant();
  const Dim rows = iteration_space(kernel).back();
  if (terms > std::min(kMostCopiedTerms, kMostCopiedVectors * width) || proven_less(rows, kFewestCopiedRows)) return std::nullopt;
  Schedule s;
  s.recipe = Template::kReduce;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  s.axes.back().unroll = kElementsOfLane;
  AxisSchedule& across = s.axes[s.axes.size() - 2];
  across.simd_width = width;
  across.tile = kCopiedRows;
  if (proven_at_most(kFewestCopiedRows, rows)) return Variant{std::nullopt, s};
  return Variant{rows - kFewestCopiedRows, s};
}

/// Tests whether the kernel computes a costly operation, such as exp, for each element of the rows. In vectors along short rows, most lanes
/// of such an operation would be for nothing.
bool has_costly_elements(const Program& program, const KernelPlan& kernel) {
  const Shape elements = squeezed(kernel.reduces[0]->sources[0]->shape);
  return std::ranges::any_of(computed_nodes(program, kernel), [&](const Node* node) {
    return is_elementwise(node->op) && info(node->op).cost >= kCostlyOperation && squeezed(node->shape) == elements;
  });
}

/// Returns how many elements of a row are few: with vectors across the rows, the kernel is then faster than with vectors along each row.
int64_t few_terms_of(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width) {
  const int64_t few = has_costly_elements(program, kernel) ? kFewTermsOfCostlyRow : kFewTermsOfRow;
  // Without masks, vectors along a row are slower: the elements that do not fill a vector are processed one by one.
  return cpu.mask_registers ? few : std::clamp(kFewVectorsOfRow * width, few, kMostFewTerms);
}

/// Returns the variant for rows of an unknown number of elements, if at most `few` turn out to exist. `bytes` is the size of the
/// accumulators for one element.
std::optional<Variant> short_rows(const Program& program, const KernelPlan& kernel, int64_t bytes, int64_t few, int width) {
  const Dim terms = term_count(*kernel.reduces[0]), rows = iteration_space(kernel).back();
  // A tile also has copies of the arrays that are loaded, of the values that are kept, and of the outputs (lower/transposed_rows.h).
  for (const int read : kernel.reads) bytes += static_cast<int64_t>(size_of(program.buffers[static_cast<size_t>(read)].node->dtype));
  for (const RowPass& pass : kernel.passes) {
    for (const Node* node : pass.row_values) bytes += static_cast<int64_t>(size_of(node->dtype));
    for (const Node* node : pass.short_row_values) bytes += static_cast<int64_t>(size_of(node->dtype));
    for (const size_t store : pass.row_stores) bytes += static_cast<int64_t>(size_of(kernel.stores[store].node->dtype));
  }
  Schedule s;
  s.recipe = recipe_of(kernel);
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  AxisSchedule& across = s.axes[s.axes.size() - 2];
  across.simd_width = width;
  across.tile = std::min(columns_in(kShortRowsBytes / few, bytes, width), kMaxShortRows);
  // A vector along a short row is mostly empty. For a costly operation that takes longer than to process one by one the elements of rows
  // that do not fill a vector across the rows, unless these are few rows of many elements.
  const Sym enough = has_costly_elements(program, kernel) ? max(rows - kFewestShortRows, rows - max(terms, 2)) : rows - kFewestShortRows;
  const std::optional<Sym> guard = all_nonnegative({Sym(few) - terms, enough});
  if (!guard) return std::nullopt;
  return Variant{guard->is_constant() ? std::nullopt : guard, s};
}

}  // namespace

std::optional<Variant> lane_columns(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width) {
  if (width == 1 || !may_have_lane_columns(program, kernel)) return std::nullopt;
  const Node& first = *kernel.reduces[0];
  if (has_arg_extreme(kernel)) return copied_rows(kernel, width);
  const Dim terms = term_count(first), rows = iteration_space(kernel).back();
  const bool are_crossed = reads_across_rows(program, kernel);
  if (are_crossed && kernel.passes.size() > 1) return std::nullopt;  // only tiles of few elements are kept for later passes
  // With few rows, vectors across the rows would be mostly empty. They then pay only if each row has so many terms that it takes little of
  // the time to initialise the 64 lanes of each row and to fold them into one value.
  if (proven_less(rows, proven_at_most(kManyTermsOfRow, terms) ? kFewestLanes : width)) return std::nullopt;
  const int64_t few = few_terms_of(program, kernel, cpu, width);
  if (!are_crossed && proven_less(few, terms)) return std::nullopt;
  int64_t bytes = 0;  // of the accumulators of one column for one of the 64 lanes
  for (const Node* reduce : kernel.reduces)
    bytes += static_cast<int64_t>(std::max<size_t>(sizeof(float), size_of(working_dtype(reduce->dtype))));
  if (!are_crossed) return short_rows(program, kernel, bytes, few, width);
  Schedule s;
  s.recipe = Template::kReduce;
  s.axes.resize(iteration_space(kernel).size() + 1);
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().kind = AxisKind::kReduce;
  AxisSchedule& across = s.axes[s.axes.size() - 2];
  across.simd_width = width;
  const int64_t size = static_cast<int64_t>(size_of(first.sources[0]->dtype));
  const bool is_near = proven_at_most(element_count(first.sources[0]->shape) * size, cpu.caches.second);
  const int64_t room = has_lane_groups(kernel) ? grouped_lane_bytes(cpu) : is_near ? near_lane_bytes(cpu) : far_lane_bytes(cpu);
  across.tile = columns_in(room, bytes, width);
  if (s.axes.size() == 2 && rows.is_constant()) across.tile = even_columns(rows.constant(), across.tile, width);
  s.axes.back().unroll = kElementsOfLane;
  return Variant{std::nullopt, s};
}

}  // namespace harp
