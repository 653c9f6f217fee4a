// Compiles emulated kernels and loads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/emulator/kernels.h"

namespace harp::cuda_test {

/// The message about an error that a launch found, or "".
using LaunchError = std::string;

class EmulatedLibrary {
 public:
  /// Compiles emulated source (source.h), without optimisation, because compiling takes most of the time of most tests: clang++ -O0 takes
  /// at most a fifth of the time of g++ -O1, while the kernels take two to five times as long to run. Where the build has found no clang++,
  /// it compiles with g++. Throws Error with the compiler's messages if that fails.
  explicit EmulatedLibrary(const std::string& source);
  ~EmulatedLibrary();
  EmulatedLibrary(const EmulatedLibrary&) = delete;
  EmulatedLibrary& operator=(const EmulatedLibrary&) = delete;

  /// Returns the kernel of this name, or throws an Error if there is none.
  const EmulatedKernel& kernel(std::string_view name) const;
  /// Tests whether there is a kernel of this name.
  bool has(std::string_view name) const { return find(name) != nullptr; }

 private:
  const EmulatedKernel* find(std::string_view name) const;

  void* handle_ = nullptr;
  const EmulatedKernel* kernels_ = nullptr;
  size_t count_ = 0;
};

/// Launches a kernel. The arguments must have the types of its parameters.
template <class... Parameters>
LaunchError launch(const EmulatedKernel& kernel, uint32_t grid, uint32_t block, size_t shared, ThreadOrder order,
                   Parameters... parameters) {
  const uint32_t extents[2][3] = {{grid, 1, 1}, {block, 1, 1}};
  void* addresses[] = {&parameters..., nullptr};
  const char* error = kernel.launch(extents[0], extents[1], shared, addresses, order);
  return error == nullptr ? LaunchError() : LaunchError(error);
}

/// Returns the flags with which g++ and clang++ make a library from emulated source. Every compilation of emulated source uses them. They
/// include the folder of runtime.h.
std::vector<std::string> emulator_flags();

}  // namespace harp::cuda_test
