// When a kernel uses non-temporal stores: if it stores more than the caches would keep for the next reader.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns the condition (>= 0) that a kernel stores at least cpu.stream_bytes, and that the rows of its outputs, along the last axis, are
/// whole cache lines, so that all rows begin at the same position in a line.
Sym streams_lines(const KernelPlan& kernel, const Cpu& cpu);
/// Like streams_lines(), for kernels that store whole rows in sequence. A row may then also be an odd multiple of half a cache line: the
/// next row completes the line that both share.
Sym streams_rows(const KernelPlan& kernel, const Cpu& cpu);
/// Like streams_lines(), for an elementwise kernel. If it accesses all its memory contiguously, rows may have any length.
Sym streams_elements(const Program& program, const KernelPlan& kernel, const Cpu& cpu);
/// Tests whether deferred stores pay together with non-temporal stores. Requires may_defer_stores(). They do not pay for rows of whole
/// pages, where loads and stores suffer from 4-KiB aliasing (0.93 to 1.25 of the time).
bool deferred_stores_pay(const KernelPlan& kernel);
/// Returns the condition (>= 0) that a kernel stores at least cpu.stream_bytes, in rows of any length. For kernels with deferred stores,
/// which can store rows that begin anywhere in a cache line.
Sym streams_any(const KernelPlan& kernel, const Cpu& cpu);

}  // namespace harp
