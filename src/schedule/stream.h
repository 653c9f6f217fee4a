// When a kernel uses non-temporal stores: if it stores more than the caches would keep for the next reader.
#pragma once

#include "schedule/program.h"

namespace harp {

/// Output size from which a kernel uses non-temporal stores. Measured with a last-level cache of 32 MiB that a machine shares, as the time
/// with ordinary stores divided by that with non-temporal stores, if the next kernel reads the array: 8 MiB 0.88, 16 MiB 1.28, 64 MiB 1.46;
/// on Zen 5 8 MiB 0.44, 14 MiB 0.90, 16 to 22 MiB 0.97, 24 MiB 1.28. Scans, which read as much as they store, take twice the time with
/// ordinary stores from 15 MiB on. For smaller arrays non-temporal stores do not pay (1 MiB: 0.65).
inline constexpr int64_t kStreamBytes = int64_t{15} << 20;

/// Condition (>= 0) that a kernel stores that much, and that the rows of its outputs, along the last axis, are whole cache lines, so that
/// all rows begin at the same position in a line.
Sym streams_lines(const KernelPlan& kernel);
/// The same for kernels that store whole rows in sequence. Rows may then be an odd multiple of half a line: the next row completes the
/// shared line.
Sym streams_rows(const KernelPlan& kernel);
/// The same for an elementwise kernel. If it accesses all its memory contiguously, rows may have any length.
Sym streams_elements(const Program& program, const KernelPlan& kernel);
/// Tests whether a scan along rows can store whole cache lines although its rows begin anywhere in a line. That takes a temporary array for
/// a block of the law, or for a row.
bool may_store_by_lines(const KernelPlan& kernel);

/// Tests whether a row-wise kernel can defer the stores of its last pass to the next-to-last pass of the next row
/// (lower/deferred_stores.h). It must have such a pass, that pass must take time because it keeps what it computes, and the double-buffered
/// values must fit L2.
bool may_defer_stores(const KernelPlan& kernel);
/// Tests whether that pays with non-temporal stores. Rows of 10 KB and more take 0.71 to 0.87 of the time; with shorter rows the overhead
/// of each row costs as much as is gained. Rows of whole pages suffer from 4-KiB aliasing between loads and stores (0.93 to 1.25).
bool deferred_stores_pay(const KernelPlan& kernel);
/// Condition (>= 0) that a kernel stores that much, with rows of any length. Rows of any length are possible with deferred stores.
Sym streams_any(const KernelPlan& kernel);

}  // namespace harp
