// Contains flags for C that a test compiles to check its results, not its speed.
#pragma once

namespace harp::testing {

/// Removes the attribute always_inline from the generated text. The attribute changes where code is placed, not what it computes. Without
/// optimisation a compiler inlines such a function at each call and keeps all of the copies, which takes three quarters of its time.
inline constexpr const char* kNoInlining = "-Dalways_inline=";

inline constexpr const char* kUnoptimised[] = {"-O0", kNoInlining};

}  // namespace harp::testing
