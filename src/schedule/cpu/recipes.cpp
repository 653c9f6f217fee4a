// Chooses for each kernel on a CPU its recipe (the kind of loop nest to which it is lowered, a Template), its schedule, and the variants
// for different sizes.
#include "schedule/cpu/recipes.h"

#include <algorithm>
#include <bit>

#include "schedule/body_lanes.h"
#include "schedule/contraction_blocks.h"
#include "schedule/cpu/element_lanes.h"
#include "schedule/cpu/few_terms.h"
#include "schedule/cpu/fewer_than_lanes.h"
#include "schedule/cpu/interleave.h"
#include "schedule/cpu/lane_columns.h"
#include "schedule/cpu/narrow_product.h"
#include "schedule/cpu/one_column.h"
#include "schedule/cpu/row_streams.h"
#include "schedule/cpu/schedule_contraction.h"
#include "schedule/cpu/short_axes.h"
#include "schedule/cpu/short_scans.h"
#include "schedule/cpu/stream.h"
#include "schedule/cpu/transpose.h"
#include "schedule/cpu/tuning.h"
#include "schedule/few_terms.h"
#include "schedule/gathered.h"
#include "schedule/kernel_structure.h"
#include "schedule/law.h"
#include "schedule/legal.h"

namespace harp {
namespace {

/// Returns the largest number of lanes for which every vector of the kernel fits one register. It depends on the widest value that the
/// kernel computes. 16-bit floats are computed as f32 (if they are only copied, they keep their width); other narrow dtypes keep their
/// width. Values of one element, such as a size as a number, are scalars and do not count, and neither do, in reductions along rows, values
/// with one element for each row. The indices of an argmax or argmin (i64) do not count either, because they have fewer bits until they are
/// stored. If `lanes_are_rows`, each lane processes another row, so values with one element for each row are vectors and do count. An index
/// by which an elementwise kernel reads whole rows does not count.
int natural_width(const Program& program, const KernelPlan& kernel, const Cpu& cpu, bool lanes_are_rows = false) {
  size_t widest = 1;
  const Node* reduce = kernel.reduces.empty() ? nullptr : kernel.reduces[0];
  const bool along_rows =
      reduce != nullptr && !lanes_are_rows && (reduce->as<ReduceAttributes>().order == ReduceOrder::kLanes || has_arg_extreme(kernel));
  // Two exceptions: a kernel that computes a single element has no other values, so they all count; and a reduction to one element counts,
  // because it combines many elements.
  const bool computes_one = reduce == nullptr && element_count(iteration_space(kernel)).is_constant(1);
  const auto is_scalar = [&](const Node* node) {
    if (!computes_one && !is_reduce(node->op) && element_count(node->shape).is_constant(1)) return true;
    return along_rows && (node->op == Op::kConstant || ((!is_reduce(node->op) || is_arg_extreme(node->op)) &&
                                                        element_count(node->shape) == element_count(reduce->shape)));
  };
  const auto meet = [&](const Node* node, bool computes) {
    widest = std::max(widest, size_of(computes ? working_dtype(node->dtype) : node->dtype));
  };
  const bool is_elementwise_kernel = reduce == nullptr && kernel.scans.empty() && !lanes_are_rows;
  const std::unordered_set<const Node*> indices =
      is_elementwise_kernel ? indices_of_rows(program, kernel) : std::unordered_set<const Node*>();
  for (const Node* node : computed_values(program, kernel)) {
    if (indices.contains(node)) continue;
    if (is_arg_extreme(node->op)) {
      widest = std::max(widest, std::max(sizeof(int32_t), size_of(working_dtype(node->sources[0]->dtype))));
      if (lanes_are_rows) continue;
    }
    if (is_scalar(node)) continue;
    if (is_custom(node->op)) widest = std::max(widest, sizeof(int64_t));  // the body of a custom function computes positions in i64
    const bool computes = is_reduce(node->op) || is_scan(node->op) || is_scatter(node->op) ||
                          (is_elementwise(node->op) && node->op != Op::kWhere && node->op != Op::kBitcast);
    if (is_reduce(node->op) || is_scan(node->op))
      widest = std::max(widest, size_of(accumulator_dtype(*node)));
    else
      meet(node, computes);
    if (node->op == Op::kCheckIndex) widest = size_of(DType::kI64);  // an index check computes in i64, whatever the dtype of the index
    for (size_t i = 0; i < node->sources.size(); ++i) {
      const DType dtype = node->sources[i]->dtype;
      if (node->op == Op::kGather && i == 1 && (are_positions(*node->sources[1]) || indices.contains(node->sources[1]))) continue;
      if (is_operand(node->op, i) || is_bool(dtype))
        meet(node->sources[i], computes);
      else  // the indices of a gather may take two registers; often they need no vector, because the index is the same in all lanes
        widest = std::max(widest, size_of(info(dtype).computes_in) / 2);
    }
  }
  for (const StorePlan& s : kernel.stores)
    if (!is_scalar(s.node) && !is_arg_extreme(s.node->op)) meet(s.node, false);
  return std::min(std::max(1, cpu.vector_bytes / static_cast<int>(widest)), kMaxLanes);
}

/// Returns the number of lanes for a scan down columns: usually `width`. If a row of known size does not fill one vector of `width` lanes,
/// returns the largest number that divides the row into whole vectors, provided that the running values of all these vectors fit in
/// registers.
int lanes_of_columns(const Dim& columns, int width) {
  if (!columns.is_constant() || columns.constant() < 1 || columns.constant() >= width) return width;
  const int64_t largest = columns.constant() & -columns.constant(), lanes = largest < kFewestLanes ? 1 : largest;
  return columns.constant() <= lanes * kRunningVectors ? static_cast<int>(lanes) : width;
}

Schedule choose_scan(const KernelPlan& kernel, int width) {
  Schedule s;
  s.recipe = Template::kScan;
  s.axes.resize(iteration_space(kernel).size());
  const size_t scanned = static_cast<size_t>(scan_axis(kernel)), threads = static_cast<size_t>(thread_axis(kernel));
  const int vectors = vector_axis(kernel);
  if (threads < s.axes.size()) s.axes[threads].kind = AxisKind::kThread;
  if (vectors >= 0 && vectors != scan_axis(kernel)) width = lanes_of_columns(iteration_space(kernel)[static_cast<size_t>(vectors)], width);
  if (vectors >= 0) s.axes[static_cast<size_t>(vectors)].simd_width = width;
  if (scanned < s.axes.size()) s.axes[scanned].kind = AxisKind::kScan;
  if (vectors >= 0 && vectors == scan_axis(kernel) && width > 1) s.axes[scanned].unroll = kPipelinedGroups;
  if (vectors >= 0 && vectors != scan_axis(kernel)) {
    // A scan down the columns that processes one row at a time reads a single memory stream. That is best if it processes whole rows. If a
    // row is longer than a tile, each step processes only the part of a row that is in the tile, and several rows are unrolled, so that
    // they are read as several streams.
    AxisSchedule& columns = s.axes[static_cast<size_t>(vectors)];
    columns.tile = page_tile(kernel.scans);
    if (scanned < s.axes.size() && !proven_at_most(iteration_space(kernel)[static_cast<size_t>(vectors)], columns.tile))
      s.axes[scanned].unroll = kPiecesTogether;
  }
  return s;
}

/// Returns the number of elements of a custom function that a vector computes; 1: they are computed one by one. A short row of known length
/// gets the narrowest vectors that hold it.
int lanes_of_custom(const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  if (options.simd_width != 0) return options.simd_width;
  const int64_t lanes = std::min<int64_t>(cpu.vector_bytes / static_cast<int64_t>(lanes_of_body(*kernel.alone)->bytes), kMaxLanes);
  const Dim size = iteration_space(kernel).back();
  if (size.is_constant() && size.constant() < kFewestElements) return 1;
  const int64_t needed = size.is_constant() ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size.constant()))) : lanes;
  return lanes < kFewestElements ? 1 : static_cast<int>(std::min(lanes, needed));
}

/// Returns the number of iterations that a vector combines in a loop of a custom function whose elements vectors cannot compute.
int chains_of_custom(const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  const size_t bytes = bytes_of_chains(*kernel.alone);
  if (bytes == 0) return 1;
  if (options.simd_width != 0) return options.simd_width;
  return std::clamp(cpu.vector_bytes / static_cast<int>(bytes), 1, kMaxLanes);
}

/// Returns the schedule of a routine, custom function or native call. Threads divide the rows of a routine or the elements of a custom
/// function. A native call has no thread axis, because the called function may use threads itself.
Schedule choose_call(const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  Schedule s;
  s.recipe = recipe_of(kernel);
  s.axes.resize(iteration_space(kernel).size());
  if (thread_axis(kernel) == 0) s.axes.front().kind = AxisKind::kThread;
  if (s.recipe == Template::kCustom && !s.axes.empty())
    s.axes.back().simd_width = vector_axis(kernel) < 0 ? chains_of_custom(kernel, cpu, options) : lanes_of_custom(kernel, cpu, options);
  return s;
}

Schedule choose_scatter(const KernelPlan& kernel, int width) {
  Schedule s;
  s.recipe = Template::kScatter;
  s.partition = false;
  s.axes.resize(iteration_space(kernel).size());
  const int scattered = scatter_axis(kernel);
  if (scattered >= 0) s.axes[static_cast<size_t>(scattered)].kind = AxisKind::kScatter;
  if (thread_axis(kernel) == 0) s.axes.front().kind = AxisKind::kThread;
  if (!s.axes.empty()) s.axes.back().simd_width = width;
  return s;
}

/// Tests whether a kernel over an array of unknown length may compute the elements after the last whole vector one by one, instead of by a
/// vector that overlaps the previous one. It may if these elements are cheap, and if the array is a single row, so that they occur only
/// once.
bool ends_in_singles(const Program& program, const KernelPlan& kernel, int width) {
  const Shape space = iteration_space(kernel);
  if (space.size() != 1 || space[0].is_constant() || width > kSinglesLanes) return false;
  int cost = 0;
  for (const Node* node : computed_nodes(program, kernel))
    if (!is_movement(node->op) && node->rank() > 0) cost += info(node->op).cost;
  return cost <= kSinglesCost;
}

/// Tests whether the kernel reduces overlapping windows, whose elements are copied to scratch memory (lower/windows.h).
bool reduces_windows(const KernelPlan& kernel) {
  const auto reads_windows = [](const Node* operand) { return array_below_windows(operand) != nullptr; };
  return std::ranges::any_of(kernel.reduces, [&](const Node* reduce) { return std::ranges::any_of(operands_of(*reduce), reads_windows); });
}

Schedule choose(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  Schedule s;
  const int width = options.simd_width ? options.simd_width : natural_width(program, kernel, cpu);
  if (!kernel.scans.empty()) return choose_scan(kernel, width);
  if (kernel.alone != nullptr) return is_scatter(kernel.alone->op) ? choose_scatter(kernel, width) : choose_call(kernel, cpu, options);
  s.axes.resize(iteration_space(kernel).size());
  if (!s.axes.empty()) {
    s.axes.front().kind = AxisKind::kThread;
    s.axes.back().simd_width = width;
  }
  if (!kernel.reduces.empty()) {
    s.recipe = recipe_of(kernel);
    const auto& attributes = kernel.reduces[0]->as<ReduceAttributes>();
    AxisSchedule reduced;
    reduced.kind = AxisKind::kReduce;
    if (attributes.order == ReduceOrder::kLanes) {
      // the 64 lanes of a lanes-order reduction (docs/semantics.md, "Sums") are vectors along the reduced axis; the other axes stay scalar
      if (!s.axes.empty()) s.axes.back().simd_width = 1;
      reduced.simd_width = width;
    } else if (s.axes.empty()) {
      reduced.simd_width = 1;
    } else {
      const Dim rows = term_count(*kernel.reduces[0]);
      reduced.unroll = proven_at_most(rows, kMaxUnrolledRows) ? static_cast<int>(std::clamp<int64_t>(range(rows).hi, 1, kMaxUnrolledRows))
                                                              : kUsualUnrolledRows;
      if (keeps_rows(kernel))
        s.axes.back().tile = kKeptColumns;
      else if (kernel.passes.size() > 1)
        s.axes.back().tile = page_tile({kernel.reduces.data(), 1});
      else if (!iteration_space(kernel).back().is_constant() && !has_arg_extreme(kernel) && reduces_windows(kernel))
        // The accumulators of a whole tile are set to zero even if a row of unknown length turns out to be short, so the tile is small.
        s.axes.back().tile = kRegisterColumns * width;
    }
    s.axes.push_back(reduced);
  } else if (!s.axes.empty()) {
    if (options.simd_width == 0) s.axes.back().simd_width = lanes_of_elements(program, kernel, width);
    s.axes.back().unroll = interleaved_vectors(program, kernel, cpu, s.axes.back().simd_width);
    s.overlap = !ends_in_singles(program, kernel, width);
  }
  return s;
}

Schedule schedule_unrolled(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, const Cpu& cpu,
                           const ScheduleOptions& options, int most_lanes = kMaxLanes) {
  Schedule s;
  s.recipe = Template::kElementwise;
  s.axes.resize(iteration_space(kernel).size());
  s.axes.front().kind = AxisKind::kThread;
  s.axes[axes.vectors].simd_width =
      options.simd_width ? options.simd_width : std::min(most_lanes, natural_width(program, kernel, cpu, true));
  for (size_t axis = 0; axis < axes.vectors; ++axis)
    if (axes.unrolled[axis]) s.axes[axis].unroll = static_cast<int>(iteration_space(kernel)[axis].constant());
  if (!kernel.scans.empty()) s.axes[static_cast<size_t>(scan_axis(kernel))].kind = AxisKind::kScan;
  if (!kernel.reduces.empty()) s.axes.push_back({.kind = AxisKind::kReduce});
  return s;
}

/// Returns the variants of a kernel that uses the schedule `there` for sizes for which `guard` >= 0, and the schedule `elsewhere` for other
/// sizes. Returns a single variant if the sign of the guard is known at compile time.
std::vector<Variant> by_size(Sym guard, const Schedule& there, const Schedule& elsewhere) {
  if (proven_nonnegative(guard)) return {{std::nullopt, there}};
  if (proven_nonnegative(Sym(-1) - guard)) return {{std::nullopt, elsewhere}};
  return {{guard, there}, {std::nullopt, elsewhere}};
}

/// Fewer sums than this are added, set and copied in a few instructions.
constexpr int64_t kFewSums = 64;

/// Returns the condition (>= 0) under which each row or column of unknown length that the kernel reduces or scans consists of at most one
/// block of the law's order of combination (schedule/law.h). They get a variant of their own, because code that combines the results of
/// blocks takes about as long as a hundred elements of a row, or some elements of each column, even if there is only one block. Returns
/// nothing for kernels without such rows or columns.
std::optional<Sym> guard_of_one_block(const KernelPlan& kernel) {
  if (iteration_space(kernel).empty() || has_arg_extreme(kernel)) return std::nullopt;
  std::optional<Sym> guard;
  // Adds the condition that sequences of `length` elements have at most one block, if that depends on the size.
  const auto add = [&](Dim length, int64_t block) {
    if (proven_less(block, length) || proven_at_most(length, block)) return;
    const Sym rest = Sym(block) - length;
    guard = guard ? min(*guard, rest) : rest;
  };
  if (!kernel.scans.empty()) {
    const int along = scan_axis(kernel);
    if (along < 0 || vector_axis(kernel) != along || iteration_space(kernel).size() == 1 || !scans_blocks(kernel)) return std::nullopt;
    add(iteration_space(kernel)[static_cast<size_t>(along)], kScannedBlock);
  } else if (!kernel.reduces.empty() && kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain) {
    // Sums of products have such code in each variant (ReduceLowering::may_be_one_block()). The sums of few columns take little time at any
    // number of levels.
    const Dim columns = element_count(iteration_space(kernel));
    const bool are_few = columns.is_constant() && columns.constant() < kFewSums;
    if (!are_few && !kernel.reduces[0]->as<ReduceAttributes>().product) add(term_count(*kernel.reduces[0]), kChainBlock);
  } else if (!kernel.reduces.empty()) {
    // A row of several axes has a block for each index of its outer axes, and combines the results of these blocks in larger blocks.
    const Node& reduce = *kernel.reduces[0];
    Dim outer = 1;
    for (const size_t axis : lane_axes(reduce).outer) outer = outer * reduce.sources[0]->shape[axis];
    add(run_length(reduce), kLaneBlock);
    if (guard) add(outer, kChainBlock);
  }
  return guard;
}

/// For a scan down the columns of a loaded array, returns a variant for arrays of at most near_scan_bytes(), which fit in L2. The variant's
/// guard tests the size at run time. Returns nothing for other kernels, for rows that are not vectorised, and for rows of symbolic or small
/// size.
std::optional<Variant> near_scan(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Cpu& cpu) {
  const int vectors = vector_axis(kernel), scanned = scan_axis(kernel);
  if (kernel.scans.size() != 1 || kernel.stores.size() != 1 || kernel.stores[0].node != kernel.scans[0]) return std::nullopt;
  const Node& source = *kernel.scans[0]->sources[0];
  if (vectors < 0 || scanned < 0 || vectors == scanned || !is_loaded(program, kernel, &source)) return std::nullopt;
  Variant near{Sym(near_scan_bytes(cpu) / static_cast<int64_t>(size_of(source.dtype))) - element_count(source.shape), usual};
  AxisSchedule& columns = near.schedule.axes[static_cast<size_t>(vectors)];
  const Dim width = iteration_space(kernel)[static_cast<size_t>(vectors)];
  if (columns.simd_width == 1 || !width.is_constant() || width.constant() <= columns.simd_width * kRunningVectors) return std::nullopt;
  if (cpu.vector_loads_a_cycle == 1) {
    columns.tile = columns.simd_width * kRunningVectors;
    return near;
  }
  if (width.constant() * static_cast<int64_t>(size_of(source.dtype)) <= near_scan_row_bytes(cpu)) columns.tile = width.constant();
  near.schedule.axes[static_cast<size_t>(scanned)].unroll = 1;
  return near;
}

/// Returns the variants of a kernel, with non-temporal stores for large outputs. A scan has as much memory traffic as a copy, so it gets
/// two variants, and a guard selects one of them by the size at run time. Other kernels use non-temporal stores only if the size is known
/// at compile time to be large, because a second variant for small sizes would double the compile time. If the caller aliases an output and
/// an input, the variant with ordinary stores runs, because the data just read is in the caches: with non-temporal stores the kernel would
/// run at 0.7 to 0.8 of the speed. Scans never run in place.
std::vector<Variant> nontemporal_variants(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Cpu& cpu) {
  const auto has_vectors = [](const AxisSchedule& axis) { return axis.simd_width > 1; };
  const bool is_elementwise = usual.recipe == Template::kElementwise, is_scan = usual.recipe == Template::kScan;
  if (!is_elementwise && !is_scan && usual.recipe != Template::kRowwise) return {{std::nullopt, usual}};
  if (!cpu.non_temporal_stores || std::none_of(usual.axes.begin(), usual.axes.end(), has_vectors)) return {{std::nullopt, usual}};
  const auto runs_in_pieces = [](const AxisSchedule& axis) { return axis.kind == AxisKind::kScan && axis.unroll > 1; };
  const int scanned = scan_axis(kernel);
  const bool is_along_rows = is_scan && scanned >= 0 && vector_axis(kernel) == scanned;
  const bool is_in_pieces = !is_along_rows && std::any_of(usual.axes.begin(), usual.axes.end(), runs_in_pieces);
  Schedule large = usual;
  large.nontemporal = true;
  large.defer_stores = deferred_stores_pay(kernel);
  if (is_along_rows) {
    // A scan along rows with non-temporal stores waits for memory, so unrolling gains nothing.
    large.axes[static_cast<size_t>(scanned)].unroll = 1;
    large.prefetch = cpu.vector_loads_a_cycle > 1;
  }
  const Sym guard = is_elementwise       ? streams_elements(program, kernel, cpu)
                    : is_in_pieces       ? streams_lines(kernel, cpu)
                    : large.defer_stores ? streams_any(kernel, cpu)
                                         : streams_rows(kernel, cpu);
  if (is_scan) return by_size(guard, large, usual);
  if (!proven_nonnegative(guard)) return {{std::nullopt, usual}};
  return {{std::nullopt, large, true}, {std::nullopt, usual}};
}

/// Returns an expression of the shape variables that is >= 0 if all arrays that the kernel continues beyond their ends (by a gather with
/// computed positions, gathered.h, for example by reflection) are long. The elements beyond either end of a long array are at most one
/// period of the continuation, so one loop for each end suffices. Returns nothing if the kernel continues no array of unknown size, or if
/// one of them is always short.
std::optional<Sym> continues_long_axes(const Program& program, const KernelPlan& kernel) {
  if (recipe_of(kernel) != Template::kElementwise) return std::nullopt;
  Sym condition = 0;
  for (const Node* node : computed_values(program, kernel)) {
    if (node->op != Op::kGather || !are_positions(*node->sources[1])) continue;
    const auto axis = static_cast<size_t>(node->as<GatherAttributes>().axis);
    const Dim size = node->sources[0]->shape[axis], added = node->shape[axis] - size;
    // one element more than that, because an axis that is reflected does not repeat its first and last elements
    const int64_t least = added.is_constant() ? std::clamp<int64_t>(added.constant() + 2, 1, kLongContinued) : kLongContinued;
    if (size.is_constant() || proven_at_most(least, size)) continue;
    if (range(size).hi < least) return std::nullopt;
    condition = condition.is_constant() ? size - least : min(condition, size - least);
  }
  if (condition.is_constant()) return std::nullopt;
  return condition;
}

/// Returns the variants of a contraction, of which `usual` adds one row of products after the other. Returns none if register tiles never
/// pay.
std::vector<Variant> variants_of_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                         const Schedule& usual) {
  const int width = usual.axes[usual.axes.size() - 2].simd_width;
  std::vector<Variant> variants;
  // Adds a variant. Returns whether it runs for all sizes for which the variants before it do not.
  const auto add = [&](const std::optional<Variant>& variant) {
    if (variant) variants.push_back({variant->guard->is_constant() ? std::nullopt : variant->guard, variant->schedule});
    return variant && !variants.back().guard;
  };
  std::optional<Variant> narrow = narrow_product(program, kernel, contraction, cpu, width);
  if (narrow && may_store_tiles(kernel, contraction, cpu, width)) {
    // With few terms, tiles that go directly to the output are faster than tiles whose rows and columns are exchanged.
    narrow->guard = all_nonnegative({*narrow->guard, term_count(*kernel.reduces[0]) - fusion_limits(cpu).tile_terms});
    if (!narrow->guard) narrow.reset();
  }
  const std::optional<Variant> column = width > 1 ? one_column(program, kernel, contraction) : std::nullopt;
  // Adjacent rows whose elements are adjacent fill vectors along the rows without a transpose, so these come first where they pay.
  const bool is_column_last = narrow && !lies_along_terms(program, kernel, contraction.row_factor);
  if (!is_column_last && add(column)) return variants;
  const std::optional<Sym> guard = pays(program, kernel, contraction, cpu, width);
  const std::optional<Variant> few = guard ? few_rows(program, kernel, contraction, cpu, width) : std::nullopt;
  // Skinny GEMM has priority over tiles for few columns or terms, because the columns' factor is large.
  const bool are_skinny = few && few->schedule.axes.back().unroll > 1;
  if (are_skinny && add(few)) return variants;
  if (guard && add(short_lines(kernel, contraction, cpu, width))) return variants;
  if (add(narrow) || (is_column_last && add(column))) return variants;
  if (few && !are_skinny && add(few)) return variants;
  // where tiles pay, there may never be more than few rows
  if (guard && (!few || guard->is_constant() || !proven_at_most(*guard, *few->guard))) {
    Schedule tiles = schedule_contraction(program, kernel, contraction, cpu, width);
    if (tiles.half && may_store_tiles(kernel, contraction, cpu, width)) {
      // Half of a product is computed by blocks of rows whose sums are in memory.
      Schedule whole = tiles;
      whole.half = false;
      const Dim terms = term_count(*kernel.reduces[0]);
      if (const std::optional<Sym> one = all_nonnegative({*guard, terms - 1, Sym(kChainBlock) - terms}); one && add(Variant{one, whole}))
        return variants;
    }
    // Non-temporal stores are used only if the size is known at compile time, because a second variant of the kernel doubles the compile
    // time.
    tiles.nontemporal = cpu.non_temporal_stores && width > 1 && proven_nonnegative(streams_lines(kernel, cpu));
    if (add(Variant{guard, tiles})) return variants;
  }
  if (variants.empty()) return variants;
  variants.push_back({std::nullopt, usual});
  return variants;
}

}  // namespace

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  Schedule s = choose(program, kernel, cpu, options);
  const std::optional<UnrolledAxes> short_axes = unrolled_axes(program, kernel);
  if (short_axes && (unrolled_rows_pay(kernel, s) || unrolled_scans_pay(kernel, *short_axes)))
    return {{std::nullopt, schedule_unrolled(program, kernel, *short_axes, cpu, options)}};
  if (const auto contraction = as_contraction(kernel)) {
    std::vector<Variant> variants = variants_of_product(program, kernel, *contraction, cpu, s);
    if (!variants.empty()) return variants;
  }
  if (short_axes &&
      (unrolled_columns_pay(program, kernel, *short_axes, s, cpu) || interleaved_loads_pay(program, kernel, *short_axes, s, cpu)))
    return {{std::nullopt, schedule_unrolled(program, kernel, *short_axes, cpu, options, kMostColumnLanes)}};
  if (const std::optional<size_t> axis = transposed_axis(program, kernel); axis && blocks_pay(kernel, *axis)) {
    const int lanes = s.axes.back().simd_width;
    const Schedule usual = schedule_transpose(program, kernel, *axis, lanes, cpu);
    if (!cpu.non_temporal_stores || lanes == 1) return {{std::nullopt, usual}};
    return by_size(streams_lines(kernel, cpu), schedule_streamed_transpose(program, kernel, *axis, lanes, cpu), usual);
  }
  if (expressions_pay(program, kernel)) return {{std::nullopt, schedule_few_terms(kernel, s.axes[s.axes.size() - 2].simd_width)}};
  if (!kernel.scans.empty()) {
    std::vector<Variant> variants = nontemporal_variants(program, kernel, s, cpu);
    if (const auto near = near_scan(program, kernel, s, cpu)) {
      if (proven_nonnegative(*near->guard)) return {{std::nullopt, near->schedule}};
      if (!proven_nonnegative(Sym(-1) - *near->guard)) variants.insert(variants.begin(), *near);
    }
    // A large output has priority: if a scan waits for memory, the code for several blocks takes no additional time.
    const std::optional<Sym> guard = guard_of_one_block(kernel);
    if (guard && !variants.back().schedule.nontemporal) variants.insert(variants.end() - 1, {*guard, s});
    const std::vector<Variant> of_short = short_scans(kernel, s);
    if (!of_short.empty() && !of_short.back().guard) return of_short;
    variants.insert(variants.begin(), of_short.begin(), of_short.end());
    return variants;
  }
  // Variants for short rows of unknown length, or few columns: without the invalid flag and without interleaving, which pay only for long
  // rows.
  std::vector<Variant> of_short_rows;
  if (const std::optional<Variant> few = fewer_than_lanes(program, kernel, s, cpu)) of_short_rows.push_back(*few);
  if (const std::optional<Sym> guard = guard_of_one_block(kernel)) of_short_rows.push_back({*guard, s});
  if (!kernel.reduces.empty()) s.nan_flag = !options.plain_text && options.simd_width == 0 && invalid_flag_pays(program, kernel, cpu);
  if (!kernel.reduces.empty()) {
    set_interleaving(program, kernel, cpu, s);
    const int lanes = options.simd_width ? options.simd_width : natural_width(program, kernel, cpu, true);
    if (const std::optional<Variant> columns = lane_columns(program, kernel, cpu, lanes)) {
      if (!columns->guard) return {*columns};
      of_short_rows.insert(of_short_rows.begin(), *columns);
    }
  }
  const std::optional<RowReads> reads_of = row_reads(program, kernel, s, cpu);
  if (const std::optional<Sym> guard = continues_long_axes(program, kernel)) return {{guard, s}, {std::nullopt, s}};
  if (!reads_of) {
    std::vector<Variant> variants = nontemporal_variants(program, kernel, s, cpu);
    if (!variants[0].only_without_aliasing) variants.insert(variants.begin(), of_short_rows.begin(), of_short_rows.end());
    return variants;
  }
  const auto with = [&](const RowReads::Reads& reads) {
    Schedule schedule = s;
    AxisSchedule &columns = schedule.axes[s.axes.size() - 2], &rows = schedule.axes.back();
    columns.tile = page_tile(kernel.reduces) * reads.pages;
    columns.unroll = reads.vectors;
    rows.unroll = reads.rows;
    schedule.prefetch = reads.prefetch;
    return schedule;
  };
  if (may_reorder_rows(kernel) && (!s.nan_flag || cpu.vector_loads_a_cycle == 1)) return {{std::nullopt, with(reads_of_extremes(cpu))}};
  const Node& source = *kernel.reduces[0]->sources[0];
  const Sym room = Sym(reads_of->near_bytes(cpu.caches) / static_cast<int64_t>(size_of(source.dtype))) - element_count(source.shape);
  std::vector<Variant> variants = by_size(room, with(reads_of->near), with(reads_of->far));
  // Columns of one block are usually those of small arrays. (If small arrays have no more rows than a block, their variant is enough.)
  const Dim of_one_block = kChainBlock * element_count(iteration_space(kernel));
  const bool are_one_block = proven_at_most(room + element_count(source.shape), of_one_block);
  if (const std::optional<Sym> guard = guard_of_one_block(kernel); guard && variants.front().guard && !are_one_block)
    variants.insert(variants.begin(), {min(*guard, room), variants.front().schedule});
  return variants;
}

std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options) {
  std::vector<Schedule> schedules = {choose(program, kernel, cpu, options)};
  schedules[0].recipe = recipe_of(kernel);
  const auto width = [&](size_t from_last) { return schedules[0].axes[schedules[0].axes.size() - from_last].simd_width; };
  if (const auto contraction = as_contraction(kernel))
    schedules.push_back(schedule_contraction(program, kernel, *contraction, cpu, width(2)));
  else if (const auto axis = transposed_axis(program, kernel))
    schedules.push_back(schedule_transpose(program, kernel, *axis, width(1), cpu));
  if (expression_terms(kernel))
    schedules.push_back(schedule_few_terms(kernel, width(2)));
  else if (const auto axes = unrolled_axes(program, kernel); axes && recipe_of(kernel) != Template::kElementwise)
    schedules.push_back(schedule_unrolled(program, kernel, *axes, cpu, options));
  return schedules;
}

}  // namespace harp
