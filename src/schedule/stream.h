// When a kernel stores past the caches: when it stores more than they would keep for whoever reads it next.
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Bytes that a kernel stores past the caches. Measured with 32 MiB of last cache that a machine shares: of an array that the next kernel
/// reads, 8 MiB take 0.88 of the time if they are left in the caches, 16 MiB 1.28 of it, 64 MiB 1.46 of it. Of smaller arrays it is worth
/// nothing (1 MiB: 0.65 of the time).
inline constexpr int64_t kStreamBytes = int64_t{16} << 20;

/// Holds (>= 0) where a kernel stores as much.
Sym streams(const KernelPlan& kernel);
/// Holds where in addition the rows of what it stores, along the last axis, are whole lines of memory, so that they begin alike.
Sym streams_rows(const KernelPlan& kernel);

}  // namespace harp
