// Contains functions that test or describe the structure of a kernel and do not depend on the machine. The rules for legal schedules
// (legal.h) and the code that chooses schedules use them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/program.h"

namespace harp {

/// Considers the loads of an elementwise kernel that are not contiguous along the last axis. Returns the axis of iteration_space() along
/// which most of them are contiguous; nothing if there is no such load, or if the kernel is not elementwise.
std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel);

/// Limit that every legal schedule obeys: the largest number of elements of a block of a transpose.
inline constexpr int64_t kMaxBlockElements = int64_t{1} << 15;
/// Limits for the tiles of a transpose on a GPU, which a group of threads copies to shared memory (lower/gpu/transpose.h): the largest
/// number of rows or columns, and the smallest and largest number of elements.
inline constexpr int64_t kMaxTileSide = 256, kMinTileElements = 256, kMaxTileElements = 4096;

/// Vectors are loaded whole if adjacent lanes are at most this many elements apart, as the real parts of complex numbers are.
inline constexpr int64_t kMaxStepOfLanes = 4;

/// The reduced axes of the source of a lanes-order reduction. inner: the innermost run of adjacent reduced axes, whose elements are divided
/// among 64 lanes (docs/semantics.md, "Sums"). outer: the other reduced axes, along which the results of the inner runs are combined one
/// after the other.
struct LaneAxes {
  std::vector<size_t> outer, inner;
};
LaneAxes lane_axes(const Node& reduce);
/// Returns the number of elements that a reduction in lanes order divides among its 64 lanes at a time: the product of the sizes of its
/// innermost adjacent reduced axes (lane_axes().inner).
Dim run_length(const Node& reduce);
/// Returns how many of the 64 lanes of a lanes-order reduction (docs/semantics.md, "Sums") get elements: all 64, or fewer if the inner axes
/// are known to have few elements. The result is a power of two and at least 2. The other lanes contain the identity, and combining a value
/// with the identity changes no bit, so folding only the lanes in use gives the same result.
int64_t lanes_in_use(const Node& reduce);
/// For a reduction in lanes order along a single axis: tests whether elements of adjacent rows (along the last kept axis) are closer in
/// memory than consecutive elements of one row. In every array that is loaded, elements of adjacent rows must be at most 4 elements apart,
/// or be the same element. In at least one of the arrays, consecutive elements of a row must be further apart. An example is the sum of
/// each row of transpose(x) * v.
bool reads_across_rows(const Program& program, const KernelPlan& kernel);
/// Tests whether the vectors of a reduction in lanes order may run along the last kept axis, across the rows
/// (lower/reduce_lane_columns.cpp). The reduction must be along one axis. In addition, the number of elements of a row must be unknown,
/// because a row of a few elements does not fill vectors along it, and no pass may store bools for each element; or reads_across_rows() is
/// true, and the kernel stores nothing but results; or it computes an argmax or argmin of at most kMaxCopiedTerms elements, a known number,
/// which are copied (lower/arg_extreme_columns.cpp).
bool may_have_lane_columns(const Program& program, const KernelPlan& kernel);
/// Tests whether the vectors of a scan along rows may run across the rows: whether rows have an unknown number of elements, and no output
/// is a bool. Only rows that turn out to be short are then lowered so (lower/scan_short.cpp); the guard of the variant says it.
bool may_have_row_lanes(const KernelPlan& kernel);
/// Tests whether the schedule of a scan along rows has vectors across the rows.
bool has_row_lanes(const KernelPlan& kernel, const Schedule& schedule);
/// The largest number of columns of a tile of a reduction whose vectors run across the rows (may_have_lane_columns()). Each column has up
/// to 64 accumulators for each level of blocks of the summation order. If several passes use the elements of a row, a tile also has space
/// for whole rows, and the largest number of columns is kMaxKeptLaneColumns.
inline constexpr int64_t kMaxLaneColumns = 1024, kMaxKeptLaneColumns = 64;
/// The longest rows of which tiles are copied, transposed, so that vectors run across the rows.
inline constexpr int64_t kMaxCopiedTerms = 128;
/// Tests whether the threads of a group may together reduce a row (lower/gpu/rows.h). The reduction must be in lanes order
/// (docs/semantics.md, "Sums"). If its reduced axes are not adjacent, the kernel must not keep values of rows for later passes.
bool may_use_groups(const KernelPlan& kernel);
/// Tests whether the threads of a group may together reduce columns (lower/gpu/group_columns.h). The reductions must be in chain order,
/// none of them may be an argmax or argmin, and they must be in a single pass that neither keeps nor stores elements of the rows.
bool may_reduce_columns_by_groups(const KernelPlan& kernel);
/// Returns the dtype of the accumulators of a reduction or scan. 16-bit floats are accumulated in f32, so that the result is rounded only
/// once, at the end. Bools are accumulated as the integers 0 and 1, in a dtype as wide as the values that the bools are computed from (up
/// to 4 bytes), because a vector of accumulators then has as many lanes as a vector of those values. The node may also be the source of an
/// argmax or argmin, which compares bools as i32, the dtype of most indices.
DType accumulator_dtype(const Node& node);
/// Tests whether the threads of a group may together execute these scans, which are all along the same axis. The order of the scans
/// (docs/semantics.md, "Scans") decides whether a group scans one row (lower/gpu/scan.h) or several columns (lower/gpu/scan_columns.h). All
/// scans must compute in the same dtype, and shared memory must have room for the elements of each scan that a group processes at a time.
bool may_scan_by_groups(std::span<const Node* const> scans);
/// Tests whether the threads of a group may together execute the scans of a kernel. False if the kernel has no scans, or if they are along
/// an axis of size 1.
bool may_scan_by_groups(const KernelPlan& kernel);
/// Returns the size in bytes of the values of one row that are kept for later passes, for a row of the largest possible length.
double kept_bytes(const KernelPlan& kernel);
/// Describes an elementwise schedule that unrolls short axes, so that vectors need not run along the last axis. The kernel is a loop over
/// the index space without the unrolled axes. Each iteration computes all elements along the unrolled axes and, if the kernel reduces,
/// reads all elements of the rows that it reduces. If it scans, the scanned axis is one of the unrolled axes.
struct UnrolledAxes {
  size_t vectors;              // the axis of iteration_space() whose elements are the lanes of the vectors
  std::vector<bool> unrolled;  // for each axis of iteration_space(): whether it is unrolled
  // The elements of one iteration: the number of indices of the unrolled axes times the number of elements of a reduced row.
  int64_t elements;
};
/// Returns the axes of a schedule that unrolls short axes. Returns nothing in these cases:
/// - the kernel has a form that cannot be unrolled, or an iteration would have too many operations;
/// - no axis is short (rows of one element that are reduced in lanes order count as short);
/// - vectors would run along the last kept axis, and a single expression can compute each result (few_terms.h), which gives the same code.
std::optional<UnrolledAxes> unrolled_axes(const Program& program, const KernelPlan& kernel);

/// Limits that every legal schedule obeys. kMaxShortAxis: maximum number of elements of one unrolled axis, or of all reduced axes together.
/// kMaxUnrolledElements and kMaxUnrolledOperations: maximum number of elements and of operations of one iteration.
inline constexpr int64_t kMaxShortAxis = 16, kMaxUnrolledElements = 128, kMaxUnrolledOperations = 1024;

/// Tests whether a row-wise kernel can interleave the stores of its last pass with the next-to-last pass of the next row
/// (lower/deferred_stores.h). That requires at least two passes, a next-to-last pass that keeps values for the last one, and values small
/// enough that two rows of them fit L2.
bool may_defer_stores(const KernelPlan& kernel);

/// Tests whether the max reductions of a kernel may detect NaN by the CPU's floating-point flag for invalid operations
/// (Schedule::nan_flag).
bool may_use_invalid_flag(const KernelPlan& kernel);

}  // namespace harp
