// rules_of() returns the rules that legal schedules obey; it calls one function for each template. check_legal() compares a schedule with
// these rules and reports the first rule that the schedule breaks.
#include "schedule/legal.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "schedule/body_lanes.h"
#include "schedule/contraction_blocks.h"
#include "schedule/elements_of_thread.h"
#include "schedule/few_terms.h"
#include "schedule/kernel_structure.h"
#include "schedule/narrow_products.h"
#include "schedule/product_tiles.h"
#include "schedule/symmetric_product.h"

namespace harp {

Template recipe_of(const KernelPlan& kernel) {
  if (kernel.alone != nullptr)
    return is_native(kernel.alone->op)    ? Template::kNative
           : is_custom(kernel.alone->op)  ? Template::kCustom
           : is_routine(kernel.alone->op) ? Template::kRoutine
                                          : Template::kScatter;
  if (kernel.passes.size() > 1) return Template::kRowwise;
  return !kernel.reduces.empty() ? Template::kReduce : !kernel.scans.empty() ? Template::kScan : Template::kElementwise;
}

int vector_axis(const KernelPlan& kernel) {
  const int kept = static_cast<int>(iteration_space(kernel).size());
  if (kernel.alone != nullptr && is_custom(kernel.alone->op)) return lanes_of_body(*kernel.alone) ? kept - 1 : -1;
  if (kernel.alone != nullptr && !is_scatter(kernel.alone->op)) return -1;
  if (!kernel.reduces.empty()) return kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kLanes ? kept : kept - 1;
  const int scanned = scan_axis(kernel);
  const bool is_chain = scanned >= 0 && kernel.scans[0]->as<ScanAttributes>().order == ScanOrder::kChain;
  if (scanned >= 0 && !is_chain) return scanned;
  return scanned == kept - 1 ? kept - 2 : kept - 1;
}

int thread_axis(const KernelPlan& kernel) {
  if (const Node* node = kernel.alone; node != nullptr) {
    if (is_native(node->op)) return -1;
    if (is_custom(node->op)) return iteration_space(kernel).empty() ? -1 : 0;
    const Shape& shape = node->sources[0]->shape;
    const auto before = is_routine(node->op) ? node->sources[0]->rank() - 1 : node->as<GatherAttributes>().axis;
    return squeezed(Shape(shape.begin(), shape.begin() + before)).empty() ? -1 : 0;
  }
  return scan_axis(kernel) == 0 ? 1 : 0;
}

namespace {

/// Returns the rules for axes that are the same for all recipes of a kernel: the kind of each axis, the axis for threads, the axis for
/// vectors.
std::vector<AxisRules> axes_of(const KernelPlan& kernel) {
  std::vector<AxisRules> axes(iteration_space(kernel).size());
  if (const int threads = thread_axis(kernel); threads >= 0 && static_cast<size_t>(threads) < axes.size())
    axes[static_cast<size_t>(threads)].threads = true;
  if (const int scanned = scan_axis(kernel); scanned >= 0) axes[static_cast<size_t>(scanned)].kind = AxisKind::kScan;
  if (const int scattered = scatter_axis(kernel); scattered >= 0) axes[static_cast<size_t>(scattered)].kind = AxisKind::kScatter;
  if (!kernel.reduces.empty()) axes.push_back({.kind = AxisKind::kReduce});
  if (const int vectors = vector_axis(kernel); vectors >= 0) axes[static_cast<size_t>(vectors)].max_lanes = kMaxLanes;
  return axes;
}

/// Adds the rules for tiles and unrolling:
/// - chain-order reductions and scans down columns: tiles of columns, several unrolled rows, and for reductions several unrolled vectors
/// - scans along rows: software-pipelined groups
/// - lanes-order reductions: interleaved rows, or interleaved parts of a row
void add_tiles(const KernelPlan& kernel, std::vector<AxisRules>& axes) {
  const int columns = vector_axis(kernel);
  if (columns >= 0 && columns == scan_axis(kernel)) axes[static_cast<size_t>(columns)].max_unroll = kMaxPipelinedGroups;
  const bool scans = !kernel.scans.empty(), reduces = !kernel.reduces.empty();
  if (reduces && kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain) {
    const bool reduces_alone = kernel.passes.size() == 1 && kernel.passes[0].row_values.empty() && kernel.passes[0].row_stores.empty();
    if (axes.size() > 1 && kernel.passes.size() == 1) axes[axes.size() - 2].max_unroll = kMaxRowStreams;
    if (reduces_alone) axes.back().max_unroll = kMaxParts;
    return;
  }
  if ((!scans && !reduces) || columns < 0 || columns == scan_axis(kernel)) return;
  AxisRules& tiled = axes[static_cast<size_t>(columns)];
  tiled.max_tile = kMaxTile;
  if (keeps_rows(kernel)) tiled.min_tile = 1, tiled.max_tile = kKeptColumns;
  if (reduces) tiled.max_unroll = axes.back().max_unroll = kMaxUnroll;
  if (scan_axis(kernel) >= 0) axes[static_cast<size_t>(scan_axis(kernel))].max_unroll = kMaxUnroll;
}

ScheduleRules contraction_rules(const KernelPlan& kernel, const Contraction& contraction) {
  ScheduleRules rules{Template::kContraction, axes_of(kernel), true, true};
  AxisRules& columns = rules.axes[contraction.column_position];
  columns.max_tile = kMaxTile;
  columns.max_unroll = kMaxUnroll;
  if (contraction.is_output_transposed())
    std::swap(columns.max_lanes, rules.axes[static_cast<size_t>(vector_axis(kernel))].max_lanes);
  else
    // On the axis of the terms, `unroll` is the number of terms that are added in one step.
    rules.axes.back().max_unroll = kMaxUnroll;
  if (contraction.rows) {
    AxisRules& rows = rules.axes[*contraction.row_position];
    rows.max_tile = kMaxTile;
    rows.max_unroll = kMaxUnroll;
    rows.pack = columns.pack = true;
  }
  if (contraction.group_position) rules.axes[*contraction.group_position].max_tile = kMaxTile;
  rules.axes.back().max_lanes = most_terms_of_lane(*kernel.reduces[0], contraction);
  rules.may_compute_half = !contraction.is_output_transposed() && may_compute_half(*kernel.reduces[0], contraction);
  return rules;
}

/// Returns the rules for a product on a GPU. A tile extends over all axes of the rows and all axes of the columns; the schedule states its
/// size at the last axis of the rows and at the last axis of the columns.
ScheduleRules product_rules(const KernelPlan& kernel, const Product& product) {
  ScheduleRules rules{Template::kContraction, axes_of(kernel)};
  for (AxisRules& axis : rules.axes) axis.max_lanes = 1, axis.threads = axis.kind == AxisKind::kSequential;
  for (const size_t axis : {product.rows.back(), product.columns.back(), rules.axes.size() - 1})
    rules.axes[axis].min_tile = 1, rules.axes[axis].max_tile = kMaxProductTile;
  for (const size_t axis : {product.rows.back(), product.columns.back()})
    rules.axes[axis].max_unroll = kMaxProductTile, rules.axes[axis].groups = true;
  rules.axes.back().split = true;
  return rules;
}

/// Returns the rules for a transpose by tiles on a GPU, where the threads of a group share a tile in shared memory (lower/gpu/transpose.h).
ScheduleRules grid_transpose_rules(const KernelPlan& kernel, size_t axis) {
  ScheduleRules rules{Template::kTranspose, axes_of(kernel)};
  for (AxisRules& a : rules.axes) a.threads = true, a.max_lanes = 1;
  for (AxisRules* tiled : {&rules.axes[axis], &rules.axes.back()}) tiled->min_tile = 2, tiled->max_tile = kMaxTileSide;
  rules.axes.back().groups = true;
  return rules;
}

ScheduleRules transpose_rules(const KernelPlan& kernel, size_t axis) {
  ScheduleRules rules{Template::kTranspose, axes_of(kernel), true, true};
  for (AxisRules* block : {&rules.axes[axis], &rules.axes.back()}) block->min_tile = 1, block->max_tile = kMaxBlockElements;
  rules.axes[axis].pack = rules.may_prefetch = true;
  return rules;
}

/// Returns the rules for reductions of few terms that compute each result by a single expression. They are lowered as an elementwise kernel
/// over the axes that are not reduced. If the last of these axes are short, vectors may run along the axis before them instead.
ScheduleRules expression_rules(const KernelPlan& kernel, const std::optional<UnrolledAxes>& unrolled) {
  ScheduleRules rules{Template::kElementwise, axes_of(kernel), true};
  rules.axes[rules.axes.size() - 2].max_unroll = kMaxInterleaved;
  if (unrolled) rules.axes[unrolled->vectors].max_lanes = kMaxLanes;
  return rules;
}

ScheduleRules unrolled_rules(const KernelPlan& kernel, const UnrolledAxes& axes) {
  ScheduleRules rules{Template::kElementwise, axes_of(kernel), true};
  for (AxisRules& axis : rules.axes) axis.max_lanes = 1;
  rules.axes[axes.vectors].max_lanes = kMaxLanes;
  return rules;
}

/// Adapts the rules for recipe_of(kernel) to a GPU. They then permit the kinds thread and thread_group for the axes that threads or groups
/// of threads can divide, and forbid the settings that concern only loops on a CPU.
void adapt_to_gpu(const KernelPlan& kernel, ScheduleRules& rules) {
  const int scanned = may_scan_by_groups(kernel) ? scan_axis(kernel) : -1, scattered = scatter_axis(kernel);
  if (rules.recipe == Template::kElementwise || !kernel.reduces.empty() || scanned >= 0 || scattered >= 0)
    for (AxisRules& axis : rules.axes) axis.threads = axis.kind == AxisKind::kSequential;
  if (may_use_groups(kernel) || may_reduce_columns_by_groups(kernel)) rules.axes.back().groups = true;
  for (const int shared : {scanned, scattered})
    if (shared >= 0) rules.axes[static_cast<size_t>(shared)].groups = true;
  for (AxisRules& axis : rules.axes) {
    axis.max_lanes = std::min(axis.max_lanes, most_elements_of_thread(kernel));
    axis.max_unroll = 1;  // the lowering itself chooses how many iterations have loads in flight (lower/gpu/batches.h)
    if (rules.recipe == Template::kScan) axis.max_tile = 0;  // there are no tiles: one thread or one group scans each row or column
  }
}

std::string vector_axis_text(const KernelPlan& kernel, const ScheduleRules& rules) {
  const auto has_lanes = [](const AxisRules& axis) { return axis.max_lanes > 1; };
  const auto has_vectors = std::ranges::find_if(rules.axes, has_lanes);
  if (has_vectors == rules.axes.end())
    return rules.recipe == Template::kCustom && vector_axis(kernel) < 0
               ? "no axis: vectors cannot compute the elements of this custom function"
               : "no axis of this kernel";
  if (rules.recipe == Template::kContraction) return cat("axis ", has_vectors - rules.axes.begin(), ", the columns");
  if (rules.recipe == Template::kElementwise && (!kernel.reduces.empty() || !kernel.scans.empty()) && !expression_terms(kernel))
    return cat("axis ", has_vectors - rules.axes.begin(), ", the last one that is not short");
  if (!kernel.reduces.empty() && kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kLanes)
    return std::count_if(has_vectors, rules.axes.end(), has_lanes) > 1 ? "the reduced axis or the last kept axis" : "the reduced axis";
  if (rules.recipe == Template::kElementwise && std::count_if(has_vectors, rules.axes.end(), has_lanes) > 1)
    return cat("the last kept axis or, if short axes are unrolled, on axis ", has_vectors - rules.axes.begin());
  if (vector_axis(kernel) < 0 || vector_axis(kernel) != scan_axis(kernel)) return "the last kept axis";
  return std::ranges::count_if(rules.axes, has_lanes) > 1 ? "the scanned axis or the last kept axis" : "the scanned axis";
}

struct KindText {
  AxisKind kind;
  std::string_view is;
};
constexpr KindText kKindTexts[] = {{AxisKind::kReduce, "reduced"}, {AxisKind::kScan, "scanned"}, {AxisKind::kScatter, "scattered to"}};

void check_kind(const Program& program, const KernelPlan& kernel, const ScheduleRules& rules, size_t i, AxisKind kind,
                std::string_view where) {
  const AxisRules& axis = rules.axes[i];
  HARP_CHECK(kind != AxisKind::kThreadGroup || axis.groups, Code::kInvalidArgument, where, ": axis ", i, " is of kind thread_group, ",
             program.target.gpu() == nullptr
                 ? std::string("which backend c does not have")
                 : cat("but recipe ", name_of(rules.recipe), " does not divide this axis among the threads of a group"),
             "; expected ", name_of(axis.kind), axis.threads ? " or thread" : "");
  for (const KindText& text : kKindTexts) {
    if (kind == AxisKind::kThreadGroup) break;
    HARP_CHECK(axis.kind != text.kind || kind == text.kind, Code::kInvalidArgument, where, ": axis ", i, " is ", text.is,
               " and must be of kind ", name_of(text.kind));
    HARP_CHECK(axis.kind == text.kind || kind != text.kind, Code::kInvalidArgument, where, ": axis ", i,
               text.kind == AxisKind::kReduce ? std::string(" is kept") : cat(" is not ", text.is), " and cannot be of kind ",
               name_of(text.kind));
  }
  const int threads = thread_axis(kernel);
  HARP_CHECK(kind != AxisKind::kThread || axis.threads, Code::kInvalidArgument, where, ": axis ", i, " is of kind thread, but ",
             threads < 0 ? std::string("no axis of this kernel") : cat("only axis ", threads), " can be");
}

void check_axis(const Program& program, const KernelPlan& kernel, const ScheduleRules& rules, size_t i, const AxisSchedule& a,
                std::string_view where) {
  const AxisRules& axis = rules.axes[i];
  check_kind(program, kernel, rules, i, a.kind, where);
  HARP_CHECK(!a.pack || axis.pack, Code::kInvalidArgument, where, ": axis ", i,
             " has pack, which only the rows and columns of a contraction and the rows of a transpose may have");
  HARP_CHECK(a.split == 0 || axis.split, Code::kInvalidArgument, where, ": axis ", i, " has split=", a.split,
             ", which only the terms of a product on a GPU may have");
  HARP_CHECK(a.stages == 0 || axis.split, Code::kInvalidArgument, where, ": axis ", i, " has stages=", a.stages,
             ", which only the terms of a product on a GPU may have");
  const auto tile_rule = [&] {
    if (axis.max_tile == 0) return cat(name_of(rules.recipe), " has no tiles of this axis");
    if (axis.min_tile == 0) return cat("at most ", axis.max_tile, " are allowed");
    return cat(axis.min_tile, " to ", axis.max_tile, " are allowed");
  };
  HARP_CHECK(a.tile >= axis.min_tile && a.tile <= axis.max_tile, Code::kInvalidArgument, where, ": axis ", i, " has tile=", a.tile, "; ",
             tile_rule());
  HARP_CHECK(
      a.unroll <= axis.max_unroll, Code::kInvalidArgument, where, ": axis ", i, " has unroll=", a.unroll, "; ",
      axis.max_unroll == 1 ? cat(name_of(rules.recipe), " does not unroll this axis") : cat("at most ", axis.max_unroll, " is allowed"));
  HARP_CHECK(
      a.simd_width <= axis.max_lanes, Code::kInvalidArgument, where, ": axis ", i, " has simd=", a.simd_width, "; ",
      axis.max_lanes == 1 ? cat("simd belongs on ", vector_axis_text(kernel, rules)) : cat("at most ", axis.max_lanes, " is allowed"));
  HARP_CHECK((a.simd_width & (a.simd_width - 1)) == 0, Code::kInvalidArgument, where, ": axis ", i, " has simd=", a.simd_width,
             "; it must be a power of two up to ", axis.max_lanes);
}

/// Tests whether it is proved that a product has at most kMaxProductTerms terms for all sizes for which variant number `v` runs.
bool has_few_terms(const KernelPlan& kernel, size_t v, Dim terms) {
  const Dim left = Dim(kMaxProductTerms) - terms;  // >= 0 if there are at most kMaxProductTerms terms
  if (proven_nonnegative(left)) return true;
  // For every size for which the variant runs, the guards of all earlier variants are negative, and its own guard (if it has one) is >= 0.
  for (size_t earlier = 0; earlier < v; ++earlier)
    if (const std::optional<Sym>& guard = kernel.variants[earlier].guard; guard && proven_at_most(Sym(-1) - *guard, left)) return true;
  const std::optional<Sym>& own = kernel.variants[v].guard;
  return own && proven_at_most(*own, left);
}

/// Checks the axes of an elementwise schedule that unrolls short axes (UnrolledAxes in kernel_structure.h).
void check_unrolled(const Program& program, const KernelPlan& kernel, const Schedule& s, std::string_view where) {
  const UnrolledAxes axes = *unrolled_axes(program, kernel);
  const Shape space = iteration_space(kernel);
  for (size_t i = 0; i < space.size(); ++i) {
    HARP_CHECK(s.axes[i].simd_width == 1 || i == axes.vectors, Code::kInvalidArgument, where, ": axis ", i,
               " has simd; if short axes are unrolled, it belongs on axis ", axes.vectors);
    const bool may_unroll = i < axes.vectors && axes.unrolled[i];
    HARP_CHECK(s.axes[i].unroll == 1 || (may_unroll && space[i].is_constant(s.axes[i].unroll)), Code::kInvalidArgument, where, ": axis ", i,
               " has unroll=", s.axes[i].unroll, "; if short axes are unrolled, ",
               may_unroll ? cat("it is 1 or ", to_string(space[i])) : std::string("only those before the vectors say so"));
  }
  HARP_CHECK(!s.nontemporal, Code::kInvalidArgument, where, ": nontemporal needs a kernel that unrolls no short axes");
}

}  // namespace

bool unrolls_axes(const KernelPlan& kernel, const Schedule& schedule) {
  const auto is_unusual = [](const AxisSchedule& axis) { return axis.simd_width > 1 || axis.unroll > 1; };
  if (!kernel.scans.empty() || (!kernel.reduces.empty() && !expression_terms(kernel))) return true;
  // The number of last axes of the schedule that may have vectors or `unroll` although no short axes are unrolled: the last kept axis and,
  // if there are reductions, the axis of their terms.
  const std::ptrdiff_t last = kernel.reduces.empty() ? 1 : 2;
  return std::ssize(schedule.axes) > last && std::any_of(schedule.axes.begin(), schedule.axes.end() - last, is_unusual);
}

std::vector<ScheduleRules> rules_of(const Program& program, const KernelPlan& kernel) {
  std::vector<ScheduleRules> recipes;
  ScheduleRules& usual = recipes.emplace_back(ScheduleRules{recipe_of(kernel), axes_of(kernel)});
  add_tiles(kernel, usual.axes);
  if (program.target.gpu() != nullptr) {
    adapt_to_gpu(kernel, usual);
    if (const auto product = as_product(kernel))
      recipes.push_back(product_rules(kernel, *product));
    else if (const auto axis = transposed_axis(program, kernel))
      recipes.push_back(grid_transpose_rules(kernel, *axis));
    return recipes;
  }
  if (usual.recipe == Template::kElementwise && !usual.axes.empty()) usual.axes.back().max_unroll = kMaxInterleaved;
  if (usual.recipe == Template::kCustom && vector_axis(kernel) < 0 && !usual.axes.empty() && bytes_of_chains(*kernel.alone) > 0)
    usual.axes.back().max_lanes = kMaxLanes;
  if (may_have_lane_columns(program, kernel)) {
    AxisRules& columns = usual.axes[usual.axes.size() - 2];
    columns.max_lanes = kMaxLanes, columns.max_tile = kernel.passes.size() == 1 ? kMaxLaneColumns : kMaxKeptLaneColumns;
  }
  if (may_have_row_lanes(kernel)) usual.axes[usual.axes.size() - 2].max_lanes = kMaxLanes;
  const std::optional<UnrolledAxes> unrolled = unrolled_axes(program, kernel);
  if (unrolled && usual.recipe == Template::kElementwise) {
    usual.axes[unrolled->vectors].max_lanes = kMaxLanes;
    for (size_t axis = 0; axis < unrolled->vectors; ++axis)
      if (unrolled->unrolled[axis]) usual.axes[axis].max_unroll = static_cast<int>(iteration_space(kernel)[axis].constant());
  }
  usual.has_inner_loop = usual.recipe == Template::kElementwise || usual.recipe == Template::kScatter;
  usual.may_stream = usual.recipe == Template::kElementwise || usual.recipe == Template::kScan || usual.recipe == Template::kRowwise;
  usual.may_defer_stores = may_defer_stores(kernel);
  const bool adds_rows = usual.recipe == Template::kReduce && kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain;
  const bool scans_rows = usual.recipe == Template::kScan && scan_axis(kernel) >= 0 && vector_axis(kernel) == scan_axis(kernel);
  usual.may_prefetch = (adds_rows || scans_rows) && !iteration_space(kernel).empty();
  usual.may_use_invalid_flag = usual.recipe == Template::kReduce && may_use_invalid_flag(kernel);
  if (const auto contraction = as_contraction(kernel))
    recipes.push_back(contraction_rules(kernel, *contraction));
  else if (const auto axis = transposed_axis(program, kernel))
    recipes.push_back(transpose_rules(kernel, *axis));
  if (expression_terms(kernel))
    recipes.push_back(expression_rules(kernel, unrolled));
  else if (unrolled && recipe_of(kernel) != Template::kElementwise)
    recipes.push_back(unrolled_rules(kernel, *unrolled));
  return recipes;
}

void adapt_rules(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::vector<ScheduleRules>& recipes) {
  if (schedule.recipe != Template::kContraction || program.target.gpu() != nullptr) return;
  for (ScheduleRules& rules : recipes)
    if (rules.recipe == Template::kContraction) rules = contraction_rules(kernel, *as_contraction(kernel, schedule));
}

void check_legal(const Program& program, const KernelPlan& kernel, const Schedule& s, std::string_view where) {
  std::vector<ScheduleRules> recipes = rules_of(program, kernel);
  adapt_rules(program, kernel, s, recipes);
  const auto rules = std::find_if(recipes.begin(), recipes.end(), [&](const ScheduleRules& r) { return r.recipe == s.recipe; });
  HARP_CHECK(rules != recipes.end(), Code::kInvalidArgument, where, ": ", name_of(s.recipe),
             " cannot lower this kernel; the recipe must be ",
             join(recipes, " or ", [](const ScheduleRules& r) { return name_of(r.recipe); }));
  HARP_CHECK(s.axes.size() == rules->axes.size(), Code::kInvalidArgument, where, ": the kernel has ", rules->axes.size(),
             " axes, but the schedule has ", s.axes.size());
  for (size_t i = 0; i < s.axes.size(); ++i) check_axis(program, kernel, *rules, i, s.axes[i], where);
  if (s.recipe == Template::kElementwise && unrolls_axes(kernel, s)) check_unrolled(program, kernel, s, where);
  if (s.recipe == Template::kReduce && program.target.gpu() == nullptr && s.axes.size() > 1 && s.axes[s.axes.size() - 2].simd_width > 1)
    HARP_CHECK(s.axes.back().simd_width == 1 && (!s.nan_flag || vector_axis(kernel) + 2 == std::ssize(s.axes)), Code::kInvalidArgument,
               where, ": vectors run along the rows or across them; simd is on both axes, or with nan_flag on the last kept one");
  HARP_CHECK(program.target.gpu() == nullptr || !(s.nontemporal || s.defer_stores || s.prefetch || s.nan_flag), Code::kInvalidArgument,
             where,
             ": nontemporal, defer_stores, prefetch and nan_flag are for the loops of a CPU; expected none of them for a GPU, got \"",
             print(s), "\"");
  HARP_CHECK(!s.nontemporal || rules->may_stream, Code::kInvalidArgument, where, ": ", name_of(s.recipe),
             " does not support non-temporal stores (nontemporal)");
  HARP_CHECK(!s.defer_stores || rules->may_defer_stores, Code::kInvalidArgument, where,
             ": defer_stores needs a kernel that makes several passes over rows of the last axis, whose last pass only stores one array, "
             "and whose "
             "last pass but one keeps values for it");
  HARP_CHECK(!s.prefetch || rules->may_prefetch, Code::kInvalidArgument, where,
             ": prefetch needs a kernel that reduces or scans along rows, or that transposes blocks");
  if (program.target.gpu() != nullptr) check_elements_of_thread(kernel, s, where);
  HARP_CHECK(!s.nan_flag || rules->may_use_invalid_flag, Code::kInvalidArgument, where,
             ": nan_flag needs a kernel that computes maxima of f32 or f64 in one pass over the rows");
  HARP_CHECK(!s.half || rules->may_compute_half, Code::kInvalidArgument, where,
             ": half needs a product of a matrix with its own transpose by the recipe contraction, with more than ", kChainBlock,
             " terms, without groups or windows, on a CPU");
  if (s.recipe == Template::kTranspose) {
    const int64_t rows = s.axes[*transposed_axis(program, kernel)].tile, columns = s.axes.back().tile, block = rows * columns;
    HARP_CHECK(program.target.gpu() == nullptr ||
                   (std::has_single_bit(static_cast<uint64_t>(rows)) && std::has_single_bit(static_cast<uint64_t>(columns)) &&
                    block >= kMinTileElements && block <= kMaxTileElements && s.axes.back().kind == AxisKind::kThreadGroup),
               Code::kInvalidArgument, where, ": the tiles have ", rows, " x ", columns,
               " elements; on a GPU both sides are powers of two, ", kMinTileElements, " to ", kMaxTileElements,
               " elements in all, and the last axis is of kind thread_group");
    HARP_CHECK(block <= kMaxBlockElements, Code::kInvalidArgument, where, ": the tiles make blocks of ", block, " elements; at most ",
               kMaxBlockElements, " are allowed");
  }
  if (s.recipe != Template::kContraction) return;
  if (program.target.gpu() != nullptr) {
    const Product product = *as_product(kernel);
    for (const size_t axis : {product.rows.back(), product.columns.back()})
      HARP_CHECK(s.axes[axis].kind == AxisKind::kThreadGroup, Code::kInvalidArgument, where, ": axis ", axis,
                 " is the last one of the rows or columns of a product and must be of kind thread_group");
    return check_tile(kernel, tile_of(s, product), where);
  }
  const Contraction contraction = *as_contraction(kernel, s);
  const size_t position = contraction.column_position;
  const AxisSchedule one_row, &rows = contraction.rows ? s.axes[*contraction.row_position] : one_row, &columns = s.axes[position];
  const int64_t sums = int64_t{rows.unroll} * columns.unroll, block = block_sums(kernel, contraction, s);
  HARP_CHECK(sums <= kMaxRegisterSums, Code::kInvalidArgument, where, ": the unroll of rows and columns makes ", rows.unroll, " x ",
             columns.unroll, " sums in registers; at most ", kMaxRegisterSums, " are allowed");
  const int terms = s.axes.back().unroll;
  HARP_CHECK(terms == 1 || columns.unroll == 1, Code::kInvalidArgument, where, ": axis ", position, " has unroll=", columns.unroll,
             ", expected 1: columns are unrolled only if the last axis has unroll=1, got unroll=", terms);
  const int64_t shared = columns.pack ? shared_columns(kernel, contraction, s) : 0;
  HARP_CHECK(shared <= kMaxSharedColumns, Code::kInvalidArgument, where, ": axis ", position, " has pack, which would copy up to ", shared,
             " elements for all rows; at most ", kMaxSharedColumns, " are allowed");
  HARP_CHECK(terms == 1 || s.axes.back().simd_width == 1, Code::kInvalidArgument, where, ": axis ", s.axes.size() - 1,
             " has simd=", s.axes.back().simd_width, " and unroll=", terms, "; the terms may have simd or unroll, not both");
  HARP_CHECK(terms == 1 || !columns.pack, Code::kInvalidArgument, where, ": axis ", position,
             " has pack: columns are packed only if the last axis has unroll=1, got unroll=", terms);
  HARP_CHECK(rows.unroll * terms <= kMaxRegisterSums, Code::kInvalidArgument, where, ": the unroll of rows and terms makes ", rows.unroll,
             " x ", terms, " products in one step; at most ", kMaxRegisterSums, " are allowed");
  HARP_CHECK(block <= kMaxBlockSums, Code::kInvalidArgument, where, ": the tiles make blocks of ", block, " sums; at most ", kMaxBlockSums,
             " are allowed");
  if (!s.half) return;
  const int64_t tile_columns = int64_t{columns.unroll} * columns.simd_width, rows_of_block = block_rows(kernel, contraction, s);
  HARP_CHECK(terms == 1 && rows_of_block % tile_columns == 0, Code::kInvalidArgument, where, ": half needs blocks with a multiple of ",
             tile_columns, " rows, the columns of a register tile, and unroll=1 on the last axis; got ", rows_of_block,
             " rows and unroll=", terms);
}

void check_variant(const Program& program, const KernelPlan& kernel, size_t v, const Schedule& s, std::string_view where) {
  check_legal(program, kernel, s, where);
  if (program.target.gpu() == nullptr || s.recipe != Template::kContraction || s.axes.back().split > 0) return;
  const Dim terms = as_product(kernel)->terms;
  HARP_CHECK(has_few_terms(kernel, v, terms), Code::kInvalidArgument, where, ": axis ", s.axes.size() - 1,
             " has no split, so a block of threads sums all terms, at most ", kMaxProductTerms, "; but there are ", to_string(terms),
             " of them. Expected split=", kChainBlock, " or split=", kMaxProductTerms,
             ", sizes with fewer terms, or schedules for only those variants that run for fewer terms");
}

}  // namespace harp
