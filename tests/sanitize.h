// Generated kernels under the sanitizers that the tests run under: an instrumented test sees what its own code does, but a kernel that
// another compiler run made is a blind spot unless it is instrumented too. Nothing in ordinary builds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The compiler whose sanitizer run-time is in this process.
inline constexpr std::string_view kOwnCompiler =
#ifdef __clang__
    "clang";
#else
    "gcc";
#endif

/// Flags for kernels that `compiler` makes; the other compiler's run-time would be a second one in the process. With -O1, as
/// optimising instrumented code takes three times as long.
inline std::vector<std::string> sanitizer_flags(std::string_view compiler) {
#ifdef HARP_SANITIZE
  if (compiler == kOwnCompiler) return {"-fsanitize=" HARP_SANITIZE, "-fno-sanitize-recover=all", "-g1", "-O1"};
#endif
  static_cast<void>(compiler);
  return {};
}

}  // namespace harp
