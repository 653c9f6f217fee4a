#include "schedule/cpu/short_axes.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <vector>

#include "schedule/contraction.h"
#include "schedule/cpu/transpose.h"
#include "schedule/cpu/tuning.h"
#include "schedule/few_columns.h"
#include "schedule/views.h"

namespace harp {
namespace {

/// Returns how many shuffles are needed for each vector to exchange the elements of `step` vectors whose elements are interleaved in memory
/// (render/c/interleave.h).
int64_t shuffles_of_vector(int64_t step) {
  int64_t shuffles = 0;
  for (int64_t factor = 2; step > 1; ++factor)
    for (; step % factor == 0; step /= factor) shuffles += factor - 1;
  return shuffles;
}

/// Returns the number of operations that exchange elements between `step` vectors whose elements are interleaved in memory: shuffles or,
/// where a shuffle takes many instructions, accesses to single elements.
int64_t exchanges(const Cpu& cpu, int64_t step, size_t element_bytes, int lanes) {
  if (step <= 1) return 0;
  return step * (shuffles_elements(cpu, element_bytes, lanes) ? shuffles_of_vector(step) : lanes);
}

/// Returns the cost of all operations of the kernel for one element, in units of an addition.
int64_t cost_of_element(const Program& program, const KernelPlan& kernel) {
  int64_t cost = 0;
  for (const Node* node : computed_nodes(program, kernel))
    if (is_elementwise(node->op)) cost += info(node->op).cost;
  return std::max<int64_t>(1, cost);
}

/// Tests whether the kernel only reads elements through views, joins arrays, computes elementwise, and reduces. Windows and padding are
/// excluded: other schedules read them faster, or the positions of their elements are not linear in the indices.
bool is_plain(const Program& program, const KernelPlan& kernel) {
  return std::ranges::all_of(computed_nodes(program, kernel), [](const Node* node) {
    switch (info(node->op).family) {
      case Family::kLeaf:
      case Family::kElementwise:
      case Family::kConvert:
      case Family::kReduce:
      case Family::kJoin:
      case Family::kCopy: return true;
      case Family::kMovement: return node->op != Op::kUnfold && node->op != Op::kPad;
      default: return false;
    }
  });
}

/// How a kernel joins arrays, as a concat or roll does. kNone: it joins none. kShort: all joins are along unrolled axes that come after the
/// vector axis; the indices along these axes are constants in generated code, so the array from which an element is read is known at
/// compile time, and the position of the element is linear in the other indices. kOther: some join is along another axis.
enum class Joins : uint8_t { kNone, kShort, kOther };

Joins joins_of(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes) {
  std::unordered_set<const Node*> joined;  // nodes of the kernel that are joins (concats), or elementwise functions of joins
  for (const Node* node : computed_nodes(program, kernel)) {
    const bool reads_joined = std::ranges::any_of(node->sources, [&](const Node* source) { return joined.contains(source); });
    if (info(node->op).family == Family::kJoin) {
      const auto axis = node->shape.begin() + node->as<ConcatAttributes>().axis;
      const auto place = static_cast<size_t>(std::count_if(node->shape.begin(), axis, [](const Dim& d) { return !d.is_constant(1); }));
      if (reads_joined || squeezed(node->shape).size() != axes.unrolled.size() || place <= axes.vectors) return Joins::kOther;
      joined.insert(node);
    } else if (reads_joined) {
      if (!is_elementwise(node->op)) return Joins::kOther;
      joined.insert(node);
    }
  }
  return joined.empty() ? Joins::kNone : Joins::kShort;
}

/// The strides with which a load of the kernel reads an array in memory.
struct Strides {
  size_t element_bytes;
  std::vector<Dim> kept = {};  // along each axis of iteration_space(): the distance in memory from one index to the next, in elements
  // The distance from the first to the last element of the axes after the vector axis, in elements. All of them are short: unrolled, or
  // reduced.
  Dim reach = 0;
};

Strides strides_of(const ArrayView& view, const std::vector<bool>& is_reduced, size_t vectors) {
  Strides result{static_cast<size_t>(view.element_bytes)};
  size_t squeezed_axis = 0;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis].is_constant(1)) continue;
    const Dim& stride = view.strides[axis];
    const bool is_kept = is_reduced.empty() || !is_reduced[squeezed_axis];
    ++squeezed_axis;
    if (result.kept.size() > vectors) result.reach += (proven_nonnegative(stride) ? stride : Dim(0) - stride) * (view.shape[axis] - 1);
    if (is_kept) result.kept.push_back(stride);
  }
  return result;
}

std::vector<Strides> strides_of_loads(const Program& program, const KernelPlan& kernel, size_t vectors) {
  const KernelViews views(program, kernel);
  std::vector<Strides> result;
  const auto add = [&](const Node* node, const std::vector<bool>& is_reduced) {
    if (node->rank() == 0) return;  // a scalar is the same element for all lanes
    for (const ArrayView& view : views.of(node)) result.push_back(strides_of(view, is_reduced, vectors));
  };
  for (const Node* reduce : kernel.reduces)
    for (const Node* operand : operands_of(*reduce)) add(operand, reduced_axes(*reduce));
  for (const StorePlan& store : kernel.stores) add(store.node, {});
  return result;
}

/// Tests whether vectors along the axis `vectors` load the elements of the short axes at full speed. Either the elements of the lanes are
/// adjacent or the same, or what the lanes load leaves no gap in memory: then whole vectors are loaded, and their elements are exchanged in
/// registers (ir/interleaved_accesses.h). (If the lanes load every second element, whole vectors are loaded even if there are gaps.)
bool reads_whole_vectors(const Strides& load, size_t vectors) {
  if (!load.kept[vectors].is_constant()) return false;
  const int64_t step = load.kept[vectors].constant();
  return step >= 0 && (step <= 2 || (step <= kMaxShortAxis && load.reach.is_constant(step - 1)));
}

/// Returns the number of lanes of vectors along an axis of `size` elements: usually `most`. If the size is known to be less than `most` and
/// at least kFewestLanes, returns the largest power of two that is at most `size` (VectorTag::narrow in ir/statement.h).
int lanes_along(Dim size, int most) {
  if (!size.is_constant() || size.constant() >= most || size.constant() < kFewestLanes) return most;
  return static_cast<int>(std::bit_floor(static_cast<uint64_t>(size.constant())));
}

/// Returns how many elements of an axis a vector of `lanes` lanes processes on average, which is less than `lanes` if the last vector of
/// the axis has unused lanes. Unused lanes are ignored, and `lanes` is returned, if the vectors have the usual number of lanes, `most`, or
/// the size is unknown.
double elements_of_vector(Dim size, int lanes, int most) {
  if (lanes == most || !size.is_constant()) return lanes;
  return static_cast<double>(size.constant()) / static_cast<double>((size.constant() + lanes - 1) / lanes);
}

/// Tests whether unrolling short axes can pay for a kernel that reduces no rows. The kernel must have few operations and be plain
/// (is_plain()), and the axis of its vectors must be long enough to fill them. It must not be a transpose of two long axes, which is
/// computed by blocks. Elements of more than kMostTransposedBytes are transposed without unrolling, unless computing them takes longer than
/// moving them.
bool may_pay(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, int lanes) {
  const Dim longer = iteration_space(kernel)[axes.vectors];
  if (lanes == 1 || kernel.passes.size() > 1 || (longer.is_constant() && longer.constant() < lanes)) return false;
  const auto operations = static_cast<int64_t>(computed_nodes(program, kernel).size() + kernel.stores.size());
  if (axes.elements * operations > kMaxColumnOperations || !is_plain(program, kernel)) return false;
  if (std::ranges::any_of(kernel.stores, [](const StorePlan& store) { return !store.offset.empty(); })) return false;
  const std::optional<size_t> transposed = transposed_axis(program, kernel);
  if (!transposed) return true;
  // A bool is never moved fast: a vector of bools is a mask in registers, so it would be converted twice.
  const size_t most_bytes = cost_of_element(program, kernel) < kCostOfWideTransposed ? kMostTransposedBytes : sizeof(double);
  const auto is_moved_fast = [&](const StorePlan& store) {
    return !is_bool(store.node->dtype) && size_of(store.node->dtype) <= most_bytes;
  };
  const std::vector<Strides> loads = strides_of_loads(program, kernel, axes.vectors);
  return !blocks_pay(kernel, *transposed) && std::ranges::all_of(kernel.stores, is_moved_fast) &&
         std::ranges::all_of(loads, [&](const Strides& load) { return load.element_bytes <= most_bytes; });
}

}  // namespace

bool unrolled_rows_pay(const KernelPlan& kernel, const Schedule& usual) {
  if (kernel.reduces.empty()) return false;
  const Node& reduce = *kernel.reduces[0];
  const bool along_rows = reduce.as<ReduceAttributes>().order == ReduceOrder::kLanes || has_arg_extreme(kernel);
  const int lanes = usual.axes.back().simd_width;
  if (!along_rows) return false;
  // Unrolling does not pay if the elements of a row, or of each run of a row, fill whole vectors. An argmax or argmin of rows that fill
  // exactly one vector is an exception: finding the extreme of the lanes of a vector, and then the first lane that is equal to it, takes
  // more operations than comparing vectors whose lanes are different rows.
  const int64_t terms =
      reduce.as<ReduceAttributes>().order == ReduceOrder::kLanes ? run_length(reduce).constant() : term_count(reduce).constant();
  return lanes == 1 || terms % lanes != 0 || (terms == lanes && has_arg_extreme(kernel));
}

bool unrolled_scans_pay(const KernelPlan& kernel, const UnrolledAxes& axes) {
  if (kernel.scans.empty()) return false;
  int64_t operations = 0;  // operations of one iteration; a scan in tree order has about two combinations for each element
  for (const Node* scan : kernel.scans) operations += 2 * axes.elements * info(combine_of(scan->op)).cost;
  if (operations > kMaxColumnOperations) return false;
  const Shape space = iteration_space(kernel);
  // A scan along rows works on groups of 64 elements, most of which a short row leaves empty. A scan along an axis before the last one has
  // vectors along the last axis, unless the last axis has too few elements.
  return scan_axis(kernel) + 1 == std::ssize(space) || proven_less(space.back(), kFewestLanes);
}

bool unrolled_columns_pay(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, const Schedule& usual,
                          const Cpu& cpu) {
  const Shape space = iteration_space(kernel);
  const size_t last = space.size() - 1;
  const int most = std::min(usual.axes[last].simd_width, kMostColumnLanes), lanes = lanes_along(space[axes.vectors], most);
  if (axes.vectors == last || !may_pay(program, kernel, axes, lanes)) return false;
  const Joins joins = joins_of(program, kernel, axes);
  if (joins == Joins::kOther || (joins == Joins::kShort && !kernel.reduces.empty())) return false;
  const bool is_transpose = transposed_axis(program, kernel).has_value();
  int64_t of_lane = 1;  // number of results that a lane computes
  for (size_t axis = axes.vectors + 1; axis < space.size(); ++axis) of_lane *= space[axis].constant();
  if (of_lane > kMaxShortAxis) return false;
  const std::vector<Strides> loads = strides_of_loads(program, kernel, axes.vectors);
  if (!std::ranges::all_of(loads, [&](const Strides& load) { return reads_whole_vectors(load, axes.vectors); })) return false;
  // The last axes count as one row if every load reads their elements in one line, at equal distances. Without unrolling, vectors run along
  // that row.
  int64_t row = space[last].constant();
  size_t axis = last;  // the first axis of the row
  const auto continues = [&](const Strides& load) { return load.kept[axis - 1] == load.kept[last] * row; };
  while (axis > axes.vectors + 1 && std::ranges::all_of(loads, continues)) row *= space[--axis].constant();
  const bool is_line = axis == axes.vectors + 1 && std::ranges::all_of(loads, continues);
  if (is_line && joins == Joins::kNone) return false;  // if all axes are one long line, vectors along it are full without unrolling
  // What follows compares the numbers of operations with and without unrolling, for one index of the vector axis.
  const int64_t terms = kernel.reduces.empty() ? 1 : term_count(*kernel.reduces[0]).constant(), cost = cost_of_element(program, kernel);
  // Without unrolling, a joined row is cut where one array ends and the next begins, mostly into single elements.
  const int64_t pieces = joins == Joins::kNone ? of_lane / row * pieces_of_row(row, lanes) : of_lane;
  int64_t usual_operations = pieces * terms * cost, exchanged = 0;
  for (const Strides& load : loads) {
    const Dim& along_row = load.kept[last];
    // without unrolling, each element of such a load is loaded by itself
    if (!along_row.is_constant() || std::abs(along_row.constant()) > 1) usual_operations += of_lane * terms;
    const int64_t of_load = exchanges(cpu, load.kept[axes.vectors].constant(), load.element_bytes, lanes);
    // Joined arrays are mostly parts of one array (such as those of a roll). The vectors of that array are loaded and exchanged only once,
    // so the loads of the parts are not added up.
    exchanged = joins == Joins::kNone ? exchanged + of_load : std::max(exchanged, of_load);
  }
  int64_t of_stores = 0;
  for (const StorePlan& store : kernel.stores) of_stores = std::max(of_stores, exchanges(cpu, of_lane, size_of(store.node->dtype), lanes));
  const int64_t unrolled_operations = of_lane * terms * cost + (exchanged + of_stores) * (is_transpose ? kShufflesOfTranspose : 1);
  const double elements = elements_of_vector(space[axes.vectors], lanes, most);
  return static_cast<double>(unrolled_operations) < kUnrolledColumns * static_cast<double>(usual_operations) * elements;
}

bool interleaved_loads_pay(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, const Schedule& usual,
                           const Cpu& cpu) {
  const Shape space = iteration_space(kernel);
  const size_t last = space.size() - 1;
  const int lanes = std::min(usual.axes[last].simd_width, kMostColumnLanes);
  if (!kernel.reduces.empty() || !kernel.scans.empty() || axes.vectors != last || !may_pay(program, kernel, axes, lanes)) return false;
  if (joins_of(program, kernel, axes) != Joins::kNone) return false;
  int64_t usual_operations = 0, unrolled_operations = 0;
  for (const Strides& load : strides_of_loads(program, kernel, axes.vectors)) {
    if (!load.kept[last].is_constant()) continue;
    const int64_t step = load.kept[last].constant();
    const auto is_column = [&](size_t axis) {  // true: in memory, the elements along this axis lie between those of two adjacent lanes
      return axes.unrolled[axis] && load.kept[axis].is_constant(1) && space[axis].is_constant(step);
    };
    bool is_interleaved = false;
    for (size_t axis = 0; axis < last; ++axis) is_interleaved |= is_column(axis);
    if (!is_interleaved) continue;         // unrolling does not change which vectors this load needs
    usual_operations += 2 * step * lanes;  // without unrolling: a load and an insertion for each element
    unrolled_operations += step + exchanges(cpu, step, load.element_bytes, lanes) * kShufflesOfTranspose;
  }
  return unrolled_operations < usual_operations;
}

}  // namespace harp
