// Whether the pipeline verifies the product of each pass: in debug builds, and in any build configured with HARP_CHECKS=ON.
#pragma once

namespace harp {

#if defined(HARP_CHECKS) || !defined(NDEBUG)
inline constexpr bool kVerifyPasses = true;
#else
inline constexpr bool kVerifyPasses = false;
#endif

}  // namespace harp
