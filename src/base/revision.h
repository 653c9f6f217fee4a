// The numbers that decide whether bits computed yesterday still hold today. All of them are part of every cache key, so raising one
// makes every older compiled program a miss.
#pragma once

#include <cstdint>

namespace harp {

/// Revision of the arithmetic law (docs/semantics.md): raise it when the bits of any operation change.
inline constexpr uint32_t kLawRevision = 6;
/// Revision of the interface between generated code and the run time (entry_point_ex, harp_runtime).
inline constexpr uint32_t kKernelAbi = 1;
/// Raise it after a bug that left wrong artifacts in people's caches.
inline constexpr uint32_t kBugEpoch = 1;

}  // namespace harp
