// Decides whether a kernel with axes of a few elements is faster if these axes are unrolled (schedule/kernel_structure.h), so that vectors
// run along a longer axis. Each lane then computes several elements: a short row, a point in space, or a small matrix.
#pragma once

#include "base/machine.h"
#include "schedule/kernel_structure.h"

namespace harp {

/// Tests whether unrolling pays for a kernel that reduces along rows of a few elements. Such rows leave most of the 64 lanes of a
/// lanes-order reduction (docs/semantics.md, "Sums") empty. `usual` is the schedule that unrolls no axis.
bool unrolled_rows_pay(const KernelPlan& kernel, const Schedule& usual);
/// Tests whether unrolling pays for a kernel that scans an axis of a few elements.
bool unrolled_scans_pay(const KernelPlan& kernel, const UnrolledAxes& axes);
/// Tests whether unrolling pays for a kernel whose last axes are short and are not reduced: an elementwise kernel such as [n, 3] times [3],
/// a transpose of [3, n] to [n, 3], or a chain-order reduction of few terms such as a product of small matrices. In `usual`, the schedule
/// that unrolls no axis, vectors run along the last axis and may be mostly empty. In the unrolled form all lanes are used, but elements are
/// exchanged between vectors. These have at most kMostColumnLanes lanes (tuning.h).
bool unrolled_columns_pay(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, const Schedule& usual,
                          const Cpu& cpu);
/// Tests whether unrolling pays for a kernel that stores columns of an array with short rows as rows, such as a transpose of [n, 3]. In
/// `usual`, the schedule that unrolls no axis, each column is loaded by itself: every third element, from the whole array. In the unrolled
/// form whole vectors are loaded once, and elements are exchanged between the vectors, which have at most kMostColumnLanes lanes.
bool interleaved_loads_pay(const Program& program, const KernelPlan& kernel, const UnrolledAxes& axes, const Schedule& usual,
                           const Cpu& cpu);

}  // namespace harp
