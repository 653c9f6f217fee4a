// Returns flags that compile generated kernels with the sanitizers with which the test program is compiled. A sanitizer checks only code
// that was compiled with it. In builds without sanitizers there are no such flags.
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
