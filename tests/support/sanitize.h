// Compiles generated kernels with the sanitizers of the test program. A sanitizer sees only code that was compiled with it, so the kernels
// need it as well. Has no effect in ordinary builds.
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

/// Sanitizer flags for kernels that `compiler` compiles. They are empty for the compiler that did not build this process, because its
/// sanitizer runtime would be a second one in the process. They contain -O1, because higher levels take three times as long for
/// instrumented code.
inline std::vector<std::string> sanitizer_flags(std::string_view compiler) {
#ifdef HARP_SANITIZE
  if (compiler == kOwnCompiler) return {"-fsanitize=" HARP_SANITIZE, "-fno-sanitize-recover=all", "-g1", "-O1"};
#endif
  static_cast<void>(compiler);
  return {};
}

}  // namespace harp
