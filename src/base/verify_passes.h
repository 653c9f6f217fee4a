// Decides whether the pipeline verifies the result of each pass. It does in debug builds, and in any build configured with HARP_CHECKS=ON.
#pragma once

namespace harp {

#if defined(HARP_CHECKS) || !defined(NDEBUG)
inline constexpr bool kVerifyPasses = true;
#else
inline constexpr bool kVerifyPasses = false;
#endif

}  // namespace harp
