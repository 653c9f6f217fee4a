// Queries on the structure of a kernel that hold for every machine. The rules of legal schedules (legal.h) and the recipes use them.
#pragma once

#include <optional>
#include <vector>

#include "schedule/program.h"

namespace harp {

/// Returns the axis of iteration_space() along which most of the loads that are not contiguous along the last axis are contiguous. Returns
/// nothing if there are no such loads, or if the kernel is not elementwise.
std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel);

/// Limit that legal schedules obey: most elements of a block of a transpose.
inline constexpr int64_t kMaxBlockElements = int64_t{1} << 15;
/// Limits for the tiles of a transpose on a GPU, which a group of threads copies to shared memory (lower/gpu/transpose.h): most rows or
/// columns; fewest and most elements.
inline constexpr int64_t kMaxTileSide = 256, kMinTileElements = 256, kMaxTileElements = 4096;

/// The reduced axes of a lanes-order reduction's source: the innermost run of adjacent ones, whose elements are divided among 64 lanes
/// (docs/semantics.md, "Sums"), and those before it, along which the results of the runs are combined one after the other.
struct LaneAxes {
  std::vector<size_t> outer, inner;
};
LaneAxes lane_axes(const Node& reduce);
/// Returns how many of the 64 lanes of the reduction get elements: all, or fewer for a run that is known to be short; a power of two, at
/// least 2. The other lanes hold the identity. Combining with the identity changes no bit, so folding only the lanes in use gives the same
/// result.
int64_t lanes_in_use(const Node& reduce);
/// Tests whether the threads of a group may reduce rows together (lower/gpu/rows.h). That requires lanes order, and, if the reduced
/// elements are not one run of adjacent axes, that no values are kept for later passes.
bool may_use_groups(const KernelPlan& kernel);
/// Returns the dtype in which a scan computes: bools as i32, 16-bit floats as f32.
DType scanned_dtype(const Node& scan);
/// Tests whether groups of threads may scan rows together (lower/gpu/scan.h). That requires tree order, and scans that compute in the same
/// dtype, whose blocks all fit shared memory.
bool may_scan_by_groups(const KernelPlan& kernel);
/// Limit that legal schedules obey: most lanes of one thread of a group.
inline constexpr int kMaxElementsOfThread = 8;
/// Returns the bytes of the values of one row that are kept for later passes, for the largest possible row.
double kept_bytes(const KernelPlan& kernel);
/// How the elementwise recipe divides the axes of a kernel with short axes if vectors do not run along the last axis. The kernel is a loop
/// over the index space without the unrolled axes. Each iteration computes every element of the unrolled axes, and reads every element of
/// the rows that it reduces.
struct UnrolledAxes {
  size_t vectors;              // the axis of iteration_space() whose elements are the lanes
  std::vector<bool> unrolled;  // by axis of iteration_space()
  int64_t elements;            // of an iteration: indices of the unrolled axes times elements of a reduced row
};
/// Returns the unrolled axes; nothing if the kernel cannot be lowered in this way or if no axis is short.
std::optional<UnrolledAxes> unrolled_axes(const Program& program, const KernelPlan& kernel);

/// Limits that legal schedules obey: most elements of an unrolled axis, or of all reduced ones together; most elements of an iteration;
/// most operations of an iteration.
inline constexpr int64_t kMaxShortAxis = 16, kMaxUnrolledElements = 128, kMaxUnrolledOperations = 1024;

/// Tests whether a scan along rows can store whole cache lines although its rows begin anywhere in a line. It then needs a temporary array
/// for a block of the scan (4,096 elements), or for a row.
bool may_store_by_lines(const KernelPlan& kernel);

/// Tests whether a row-wise kernel can defer the stores of its last pass to the next-to-last pass of the next row
/// (lower/deferred_stores.h). That requires at least two passes, a next-to-last pass that is slow because it keeps what it computes, and
/// double-buffered values that fit L2.
bool may_defer_stores(const KernelPlan& kernel);

/// Tests whether a kernel's maxima may use NaN detection by the invalid flag (Schedule::nan_flag).
bool may_use_invalid_flag(const KernelPlan& kernel);

}  // namespace harp
