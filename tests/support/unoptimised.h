// Flags for C that a test compiles for its results and not for its speed.
#pragma once

namespace harp::testing {

/// Takes the attribute always_inline out of the generated text. The attribute changes where code is placed, not what it computes. Without
/// optimisation a compiler inlines such functions at each of their calls and keeps all of the code: three quarters of its time.
inline constexpr const char* kNoInlining = "-Dalways_inline=";

inline constexpr const char* kUnoptimised[] = {"-O0", kNoInlining};

}  // namespace harp::testing
