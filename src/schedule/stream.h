// When a kernel stores past the caches: when it stores more than they would keep for whoever reads it next.
#pragma once

#include "schedule/program.h"

namespace harp {

/// Bytes that a kernel stores past the caches. Measured with 32 MiB of last cache that a machine shares: of an array that the next kernel
/// reads, 8 MiB take 0.88 of the time if they are left in the caches, 16 MiB 1.28 of it, 64 MiB 1.46 of it; on Zen 5 8 MiB 0.44, 14 MiB
/// 0.90, 16 to 22 MiB 0.97, 24 MiB 1.28. Scans, which read as much, take twice the time from 15 MiB on if what they store is left there. Of
/// smaller arrays it is worth nothing (1 MiB: 0.65 of the time).
inline constexpr int64_t kStreamBytes = int64_t{15} << 20;

/// Holds (>= 0) where a kernel stores as much, and the rows of what it stores, along the last axis, are whole lines of memory, so that they
/// begin alike.
Sym streams_lines(const KernelPlan& kernel);
/// The same where rows are stored from their beginning to their end, one after the other: then they may be halves of lines, since what
/// is stored next makes up the line where two rows meet.
Sym streams_rows(const KernelPlan& kernel);
/// The same for one that goes element by element; if it goes through all its memory in one line, rows may be of any length.
Sym streams_elements(const Program& program, const KernelPlan& kernel);
/// Does a scan along rows store whole lines of memory although rows, which may be of any length, begin anywhere in them? It takes an
/// array that holds a block of the law, or a row.
bool may_store_by_lines(const KernelPlan& kernel);

/// Can a row-wise kernel store a row in its last pass while the pass before goes over the next one (lower/late_stores.h)? There is such a
/// pass, it takes a while, since it keeps what it computes, and what is kept twice stays in the second cache.
bool may_store_late(const KernelPlan& kernel);
/// Is that worth it past the caches? Of rows of 10 KB and more, 0.71 to 0.87 of the time; of shorter ones what each begins with costs as
/// much. Rows of whole pages lie so that loads wait for stores that are the same but for the page (0.93 to 1.25).
bool is_better_late(const KernelPlan& kernel);
/// Holds where a kernel stores as much as that, whatever its rows, which may be of any length if they are stored late.
Sym streams_any(const KernelPlan& kernel);

}  // namespace harp
