// When a kernel uses non-temporal stores: if it stores more than the caches would keep for the next reader.
#pragma once

#include "schedule/program.h"

namespace harp {

/// Condition (>= 0) that a kernel stores at least kStreamBytes, and that the rows of its outputs, along the last axis, are whole cache
/// lines, so that all rows begin at the same position in a line.
Sym streams_lines(const KernelPlan& kernel);
/// Returns the condition of streams_lines() for kernels that store whole rows in sequence. Rows may then also be an odd multiple of half a
/// cache line, because the next row completes the shared line.
Sym streams_rows(const KernelPlan& kernel);
/// Returns the condition of streams_lines() for an elementwise kernel. If it accesses all its memory contiguously, rows may have any
/// length.
Sym streams_elements(const Program& program, const KernelPlan& kernel);
/// Tests whether deferred stores (may_defer_stores) pay with non-temporal stores. Rows of whole pages suffer from 4-KiB aliasing between
/// loads and stores (0.93 to 1.25 of the time).
bool deferred_stores_pay(const KernelPlan& kernel);
/// Condition (>= 0) that a kernel stores at least kStreamBytes, in rows of any length. Kernels with deferred stores accept such rows.
Sym streams_any(const KernelPlan& kernel);

}  // namespace harp
