// Decides when a kernel uses non-temporal stores: if it stores more bytes than the caches would keep for the next kernel that reads them.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns an expression of the shape variables that is >= 0 if the kernel may use non-temporal stores for whole cache lines: it stores at
/// least cpu.stream_bytes, and each row of its outputs (along the last axis) is a whole number of cache lines, so that all rows begin at
/// the same position in a line.
Sym streams_lines(const KernelPlan& kernel, const Cpu& cpu);
/// Like streams_lines(), but for kernels that store whole rows in sequence. The length of a row may then also be an odd multiple of half a
/// cache line, because the next row completes the line that both share.
Sym streams_rows(const KernelPlan& kernel, const Cpu& cpu);
/// Like streams_rows(), but for elementwise kernels. If the kernel accesses all its memory contiguously, its rows may have any length.
Sym streams_elements(const Program& program, const KernelPlan& kernel, const Cpu& cpu);
/// Tests whether deferred stores (Schedule::defer_stores) pay together with non-temporal stores. False if may_defer_stores() is false, and
/// for short rows. Also false for rows of whole pages, where loads and stores suffer from 4-KiB aliasing: with deferred stores such a
/// kernel takes 0.93 to 1.25 of the time that it takes without.
bool deferred_stores_pay(const KernelPlan& kernel);
/// Returns an expression of the shape variables that is >= 0 if the kernel stores at least cpu.stream_bytes, whatever the length of its
/// rows. It is for kernels whose non-temporal stores may begin anywhere in a cache line, such as kernels with deferred stores.
Sym streams_any(const KernelPlan& kernel, const Cpu& cpu);

}  // namespace harp
