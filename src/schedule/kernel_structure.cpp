#include "schedule/kernel_structure.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/machine.h"
#include "schedule/contraction.h"
#include "schedule/few_terms.h"
#include "schedule/views.h"

namespace harp {

std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel) {
  const Shape space = iteration_space(kernel);
  if (!kernel.reduces.empty() || !kernel.scans.empty() || kernel.alone != nullptr || space.size() < 2) return std::nullopt;
  const KernelViews views(program, kernel);
  // for each axis: the number of loads that are contiguous along it, but not along the last axis
  std::vector<size_t> loads(space.size() - 1, 0);
  for (const StorePlan& store : kernel.stores)
    for (const View& view : views.of(store.node)) {
      Shape strides;
      for (size_t axis = 0; axis < view.shape.size(); ++axis)
        if (!view.shape[axis].is_constant(1)) strides.push_back(view.strides[axis]);
      const Dim along_last = strides.back();
      if (along_last.is_constant() && std::abs(along_last.constant()) <= 1) continue;
      for (size_t axis = 0; axis < loads.size(); ++axis) loads[axis] += strides[axis].is_constant(1);
    }
  const auto most = std::max_element(loads.begin(), loads.end());
  if (*most == 0) return std::nullopt;
  return static_cast<size_t>(most - loads.begin());
}

LaneAxes lane_axes(const Node& reduce) {
  const std::vector<int>& axes = reduce.as<ReduceAttributes>().axes;
  const auto is_reduced = [&](size_t axis) { return std::ranges::find(axes, static_cast<int>(axis)) != axes.end(); };
  size_t end = reduce.sources[0]->shape.size();
  while (!is_reduced(end - 1)) --end;
  size_t begin = end;
  while (begin > 0 && is_reduced(begin - 1)) --begin;
  LaneAxes result;
  for (size_t axis = 0; axis < end; ++axis)
    if (is_reduced(axis)) (axis < begin ? result.outer : result.inner).push_back(axis);
  return result;
}

Dim run_length(const Node& reduce) {
  Dim length = 1;
  for (const size_t axis : lane_axes(reduce).inner) length *= reduce.sources[0]->shape[axis];
  return length;
}

namespace {

/// Returns the only axis that a reduction in lanes order reduces, not counting axes of size 1; nothing if there are several or none, or if
/// its elements are not divided among lanes: the sum over the first and the last axis of x[n, 3, 1] is a chain of n sums of one element
/// each.
std::optional<size_t> only_lane_axis(const Node& reduce) {
  if (reduce.as<ReduceAttributes>().order != ReduceOrder::kLanes) return std::nullopt;
  std::optional<size_t> found;
  for (const int axis : reduce.as<ReduceAttributes>().axes) {
    if (reduce.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1)) continue;
    if (found) return std::nullopt;
    found = static_cast<size_t>(axis);
  }
  if (!found) return std::nullopt;
  const std::vector<size_t> inner = lane_axes(reduce).inner;
  return std::ranges::find(inner, *found) != inner.end() ? found : std::nullopt;
}

}  // namespace

bool reads_across_rows(const Program& program, const KernelPlan& kernel) {
  const Node& first = *kernel.reduces[0];
  const std::optional<size_t> along = only_lane_axis(first);
  const std::vector<int>& reduced = first.as<ReduceAttributes>().axes;
  const Shape& shape = first.sources[0]->shape;
  std::optional<size_t> last_kept;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!shape[axis].is_constant(1) && std::ranges::find(reduced, static_cast<int>(axis)) == reduced.end()) last_kept = axis;
  if (!along || !last_kept) return false;
  const auto are_adjacent = [](const Dim& step) {
    return step.is_constant() && step.constant() >= 1 && step.constant() <= kMaxStepOfLanes;
  };
  const KernelViews views(program, kernel);
  bool is_crossed = false;
  for (const Node* reduce : kernel.reduces)
    for (const Node* operand : operands_of(*reduce)) {
      if (operand->rank() == 0) continue;
      for (const ArrayView& view : views.of(operand)) {
        const Dim &step = view.strides[*along], &to_next_row = view.strides[*last_kept];
        if (!are_adjacent(to_next_row) && !to_next_row.is_constant(0)) return false;
        is_crossed |= are_adjacent(to_next_row) && !step.is_constant(0) && !are_adjacent(step);
      }
    }
  return is_crossed;
}

bool may_have_lane_columns(const Program& program, const KernelPlan& kernel) {
  if (kernel.reduces.empty() || iteration_space(kernel).empty()) return false;
  const Node& first = *kernel.reduces[0];
  if (!only_lane_axis(first)) return false;
  const RowPass& pass = kernel.passes[0];
  const bool stores_results = kernel.passes.size() == 1 && pass.row_values.empty() && pass.row_stores.empty();
  const Dim terms = term_count(first);
  if (has_arg_extreme(kernel)) return stores_results && terms.is_constant() && terms.constant() > 0 && terms.constant() <= kMaxCopiedTerms;
  if (stores_results && reads_across_rows(program, kernel)) return true;
  const auto stores_bools = [&](const RowPass& each) {
    return std::ranges::any_of(each.row_stores, [&](size_t store) { return is_bool(kernel.stores[store].node->dtype); });
  };
  return !terms.is_constant() && std::ranges::none_of(kernel.passes, stores_bools);
}

bool may_have_row_lanes(const KernelPlan& kernel) {
  const int scanned = scan_axis(kernel);
  const Shape space = iteration_space(kernel);
  if (scanned < 1 || scanned + 1 != std::ssize(space) || kernel.scans[0]->as<ScanAttributes>().order != ScanOrder::kTree) return false;
  return !space.back().is_constant() &&
         std::ranges::none_of(kernel.stores, [](const StorePlan& store) { return is_bool(store.node->dtype); });
}

bool has_row_lanes(const KernelPlan& kernel, const Schedule& schedule) {
  return schedule.recipe == Template::kScan && may_have_row_lanes(kernel) && schedule.axes[schedule.axes.size() - 2].simd_width > 1;
}

int64_t lanes_in_use(const Node& reduce) {
  Dim count = 1;
  for (const size_t axis : lane_axes(reduce).inner) count *= reduce.sources[0]->shape[axis];
  const int64_t most = std::clamp<int64_t>(range(count).hi, 2, kLanes);
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(most)));
}

bool may_use_groups(const KernelPlan& kernel) {
  if (kernel.reduces.empty() || kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kLanes) return false;
  return lane_axes(*kernel.reduces[0]).outer.empty() || !keeps_rows(kernel);
}

bool may_reduce_columns_by_groups(const KernelPlan& kernel) {
  if (kernel.reduces.empty() || kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kChain) return false;
  return !has_arg_extreme(kernel) && kernel.passes.size() == 1 && kernel.passes[0].row_values.empty() &&
         kernel.passes[0].row_stores.empty();
}

namespace {

/// Returns the size in bytes of the widest values that a bool value is computed from; 1 if all of them are bools.
size_t size_of_operands(const Node& value) {
  constexpr size_t kMostNodes = 64, kUsualSize = 4;  // a larger expression counts as computed from values of the usual size
  std::vector<const Node*> bools{&value};
  size_t widest = 1;
  for (size_t i = 0; i < bools.size(); ++i) {
    if (i == kMostNodes) return kUsualSize;
    for (const Node* source : bools[i]->sources)
      if (!is_bool(source->dtype))
        widest = std::max(widest, size_of(working_dtype(source->dtype)));
      else if (std::ranges::find(bools, source) == bools.end())
        bools.push_back(source);
  }
  return widest;
}

}  // namespace

DType accumulator_dtype(const Node& node) {
  if (!is_bool(node.dtype)) return working_dtype(node.dtype);
  if (!is_reduce(node.op) && !is_scan(node.op)) return DType::kI32;
  switch (size_of_operands(*node.sources[0])) {
    case 1: return DType::kU8;
    case 2: return DType::kI16;
    default: return DType::kI32;
  }
}

bool may_scan_by_groups(std::span<const Node* const> scans) {
  // Bytes of shared memory that a thread block may use on every supported GPU; 99 KiB is the smallest limit.
  constexpr int64_t kBytes = 96 << 10;
  const auto& attributes = scans[0]->as<ScanAttributes>();
  const DType dtype = accumulator_dtype(*scans[0]);
  // The number of elements of each scan that are in shared memory. For scans along columns there must be at least one for each thread of
  // the largest group.
  int64_t elements = 256;
  if (attributes.order == ScanOrder::kTree) {
    const int64_t longest = range(scans[0]->shape[static_cast<size_t>(attributes.axis)]).hi;
    const auto block = std::bit_ceil(static_cast<uint64_t>(std::clamp(longest, kLanes, kScannedBlock)));
    // the elements of one block of a row, and the totals of its quads and groups (at most a third as many)
    elements = static_cast<int64_t>(block + block / 3);
  }
  const bool is_same_dtype = std::ranges::all_of(scans, [&](const Node* scan) { return accumulator_dtype(*scan) == dtype; });
  return is_same_dtype && elements * static_cast<int64_t>(scans.size() * size_of(dtype)) <= kBytes;
}

bool may_scan_by_groups(const KernelPlan& kernel) { return scan_axis(kernel) >= 0 && may_scan_by_groups(kernel.scans); }

namespace {

/// Returns how many elements of a row one iteration would reduce if the row were fully unrolled; 1 if the kernel reduces nothing; 0 if the
/// row cannot be unrolled.
int64_t unrolled_terms(const KernelPlan& kernel) {
  if (kernel.reduces.empty()) return 1;
  const Dim terms = term_count(*kernel.reduces[0]);
  return terms.is_constant() && terms.constant() <= kMaxShortAxis ? terms.constant() : 0;
}

/// For a kernel that reduces: tests whether one loop can run over `axis` of the iteration space and the axis before it. This is so if, in
/// every array that is loaded or stored, the elements along both axes together are at equal distances.
bool is_one_loop(const Program& program, const KernelPlan& kernel, size_t axis) {
  if (std::ranges::any_of(kernel.stores, [](const StorePlan& store) { return !store.offset.empty(); })) return false;
  const KernelViews views(program, kernel);
  const Dim size = iteration_space(kernel)[axis];
  const std::vector<bool> reduced = reduced_axes(*kernel.reduces[0]);
  const auto is_line = [&](const Node* node) {
    if (node->rank() == 0) return true;
    // true: `node` has elements along the rows; false: it has one element for each row
    const bool has_rows = squeezed(node->shape).size() == reduced.size();
    return std::ranges::all_of(views.of(node), [&](const View& view) {
      Shape strides;  // strides along the axes of the iteration space
      size_t of_rows = 0;
      for (size_t i = 0; i < view.shape.size(); ++i) {
        if (view.shape[i].is_constant(1)) continue;
        if (!has_rows || !reduced[of_rows]) strides.push_back(view.strides[i]);
        ++of_rows;
      }
      return strides[axis - 1] == strides[axis] * size;
    });
  };
  const auto reads_lines = [&](const Node* reduce) { return std::ranges::all_of(operands_of(*reduce), is_line); };
  return std::ranges::all_of(kernel.reduces, reads_lines) &&
         std::ranges::all_of(kernel.stores, [&](const StorePlan& store) { return is_line(store.node); });
}

/// Marks axes before the vector axis in `axes` as unrolled, too. Such an axis is unrolled if it is short, a load is contiguous along it,
/// and the stride of the load along the vector axis is equal to the size of the unrolled axis. The elements of both axes together are then
/// contiguous in memory, so that whole vectors can be loaded.
void unroll_interleaved(const Program& program, const KernelPlan& kernel, UnrolledAxes& axes) {
  const Shape space = iteration_space(kernel);
  const KernelViews views(program, kernel);
  for (const StorePlan& store : kernel.stores)
    for (const View& view : views.of(store.node)) {
      Shape strides;
      for (size_t axis = 0; axis < view.shape.size(); ++axis)
        if (!view.shape[axis].is_constant(1)) strides.push_back(view.strides[axis]);
      const Dim& along = strides[axes.vectors];
      if (!along.is_constant() || along.constant() <= 2) continue;  // loads of every second element are cheap even without unrolling
      for (size_t axis = 0; axis < axes.vectors; ++axis) {
        const Dim& size = space[axis];
        if (axes.unrolled[axis] || !strides[axis].is_constant(1) || !size.is_constant() || size.constant() > kMaxShortAxis) continue;
        if (size.constant() != along.constant() || axes.elements * size.constant() > kMaxUnrolledElements) continue;
        axes.unrolled[axis] = true;
        axes.elements *= size.constant();
      }
    }
}

}  // namespace

std::optional<UnrolledAxes> unrolled_axes(const Program& program, const KernelPlan& kernel) {
  const Shape space = iteration_space(kernel);
  const int64_t terms = unrolled_terms(kernel);
  if (kernel.alone != nullptr || space.empty() || terms == 0) return std::nullopt;
  UnrolledAxes axes{space.size() - 1, std::vector<bool>(space.size(), false), terms};
  const bool scans = !kernel.scans.empty(),
             reduces_rows = !kernel.reduces.empty() && kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kLanes;
  while (axes.vectors > 0 && proven_at_most(space[axes.vectors], kMaxShortAxis) && space[axes.vectors].is_constant()) {
    const int64_t elements = axes.elements * space[axes.vectors].constant();
    if (elements > kMaxUnrolledElements) break;
    // The elements of rows and of the short axes before them are usually adjacent in memory. Only up to kMaxShortAxis adjacent elements are
    // loaded and stored by whole vectors (ir/interleaved_accesses.h). With more elements, axis axes.vectors is not unrolled in two cases:
    // if nothing is reduced, because vectors can run along this axis, and if one loop can run over this axis and the one before it.
    if (elements > kMaxShortAxis && (kernel.reduces.empty() || (reduces_rows && is_one_loop(program, kernel, axes.vectors)))) break;
    axes.elements = elements;
    --axes.vectors;
  }
  for (size_t axis = axes.vectors + 1; axis < space.size(); ++axis) axes.unrolled[axis] = true;
  if (scans && scan_axis(kernel) <= static_cast<int>(axes.vectors)) return std::nullopt;
  if (kernel.reduces.empty() && !scans && axes.vectors > 0) unroll_interleaved(program, kernel, axes);
  // If only the terms of a chain-order reduction are unrolled, the code is the same as with a single expression for each result
  // (few_terms.h), so there is no schedule that unrolls axes.
  const bool is_expression = axes.vectors + 1 == space.size() && expression_terms(kernel);
  // A lanes-order reduction of rows of a single element is accepted although it unrolls no axis: vectors with one row in each lane then
  // replace the 64 lanes that each row would have, of which all but one would be empty.
  if (axes.elements < (reduces_rows ? 1 : 2) || is_expression) return std::nullopt;
  const auto operations = static_cast<int64_t>(computed_nodes(program, kernel).size() + kernel.stores.size());
  if (axes.elements * operations > kMaxUnrolledOperations) return std::nullopt;
  return axes;
}

double kept_bytes(const KernelPlan& kernel) {
  double bytes = 0;
  for (const RowPass& pass : kernel.passes)
    for (const Node* node : pass.row_values) bytes += static_cast<double>(size_of(node->dtype));
  return bytes * static_cast<double>(range(term_count(*kernel.reduces[0])).hi);
}

bool may_defer_stores(const KernelPlan& kernel) {
  constexpr double kMaxKept = 256 << 10;  // maximum bytes of the values of one row that are kept for later passes
  if (kernel.passes.size() < 2 || kernel.reduces[0]->as<ReduceAttributes>().order != ReduceOrder::kLanes) return false;
  const RowPass &last = kernel.passes.back(), &before = kernel.passes[kernel.passes.size() - 2];
  if (!last.reduces.empty() || !last.stores.empty() || last.row_stores.size() != 1 || before.reduces.empty() || before.row_values.empty())
    return false;
  const std::vector<bool> reduced = reduced_axes(*kernel.reduces[0]);
  const auto rows = std::count(reduced.begin(), reduced.end(), true);
  if (rows != 1 || reduced.size() < 2 || !reduced.back()) return false;
  return kernel.stores[last.row_stores[0]].offset.empty() && kept_bytes(kernel) <= kMaxKept;
}

bool may_use_invalid_flag(const KernelPlan& kernel) {
  if (kernel.reduces.empty() || kernel.passes.size() != 1) return false;
  const RowPass& pass = kernel.passes[0];
  const auto is_maximum = [](const Node* reduce) {
    const DType dtype = reduce->sources[0]->dtype;
    return reduce->op == Op::kReduceMax && (dtype == DType::kF32 || dtype == DType::kF64);
  };
  return pass.row_values.empty() && pass.row_stores.empty() && std::ranges::all_of(kernel.reduces, is_maximum);
}

}  // namespace harp
