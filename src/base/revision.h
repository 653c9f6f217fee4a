// Defines revision numbers that decide whether programs compiled by an older harp are still valid. They are part of every compilation's
// cache key, so after one of them is raised, no program cached earlier is found.
#pragma once

#include <cstdint>

namespace harp {

/// Revision of the numerical semantics (docs/semantics.md). Raise it when the result bits of any operation change.
inline constexpr uint32_t kLawRevision = 9;
/// Revision of the binary interface between generated code and the run time (entry_point_ex, harp_runtime).
inline constexpr uint32_t kKernelAbi = 1;
/// Raise this number together with the fix of a bug that may have stored wrong artifacts in users' caches.
inline constexpr uint32_t kBugEpoch = 1;

}  // namespace harp
