// Generated kernels under the sanitizer that the tests run under: an instrumented test sees what its own code does, but a kernel that
// another compiler run made is a blind spot unless it is instrumented too. Empty in ordinary builds.
#pragma once

#include <string>
#include <vector>

namespace harp {

/// Flags for gcc or clang, whichever built the tests: the kernels use the run-time that is in the process already.
inline std::vector<std::string> sanitizer_flags() {
#ifdef HARP_SANITIZE
  return {"-fsanitize=" HARP_SANITIZE, "-fno-sanitize-recover=all", "-g1"};
#else
  return {};
#endif
}

/// The compiler that goes with them.
inline const char* sanitizer_compiler() {
#ifdef __clang__
  return "clang";
#else
  return "gcc";
#endif
}

}  // namespace harp
