// Revision numbers that decide whether results computed by an older harp are still valid. They are part of every cache key, so raising one
// turns every older cached program into a cache miss.
#pragma once

#include <cstdint>

namespace harp {

/// Revision of the numerical semantics (docs/semantics.md). Raise it when the result bits of any operation change.
inline constexpr uint32_t kLawRevision = 7;
/// Revision of the ABI between generated code and the run time (entry_point_ex, harp_runtime).
inline constexpr uint32_t kKernelAbi = 1;
/// Raise it together with the fix of a bug that may have stored wrong artifacts in users' caches.
inline constexpr uint32_t kBugEpoch = 1;

}  // namespace harp
