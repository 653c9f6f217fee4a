// Compiles generated kernels with the sanitizers of the test. An instrumented test checks only its own code, so kernels are instrumented
// too. Has no effect in ordinary builds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The compiler whose sanitizer runtime is in this process.
inline constexpr std::string_view kOwnCompiler =
#ifdef __clang__
    "clang";
#else
    "gcc";
#endif

/// Sanitizer flags for kernels that `compiler` compiles; none for the other compiler, whose runtime would be a second one in the process.
/// With -O1, because optimising instrumented code takes three times as long.
inline std::vector<std::string> sanitizer_flags(std::string_view compiler) {
#ifdef HARP_SANITIZE
  if (compiler == kOwnCompiler) return {"-fsanitize=" HARP_SANITIZE, "-fno-sanitize-recover=all", "-g1", "-O1"};
#endif
  static_cast<void>(compiler);
  return {};
}

}  // namespace harp
