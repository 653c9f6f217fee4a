// Defines the interface of a library of emulated kernels, which is the shared object that a C++ compiler makes from emulated_source()
// (source.h). The library exports one function, harp_emulated_kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harp::cuda_test {

/// The order in which the emulator runs the threads of a block, and the blocks of a grid. Each thread runs until it waits for others.
enum class ThreadOrder : int32_t { kAscending, kDescending, kShuffled };

struct EmulatedKernel {
  const char* name;
  uint32_t most_threads;  // the largest number of threads of a block: the first argument of __launch_bounds__
  uint32_t n_parameters;
  const uint32_t* parameter_bytes;  // the size of each parameter in bytes
  /// Runs a grid. `grid` and `block` are sizes along x, y and z, and `shared` is the number of bytes of dynamic shared memory.
  /// parameters[i] is the address of parameter i, as for cuLaunchKernel. Returns NULL, or a text about what is wrong, which is valid until
  /// the next launch. Only one launch of a library may run at a time.
  const char* (*launch)(const uint32_t grid[3], const uint32_t block[3], size_t shared, void** parameters, ThreadOrder order);
};

/// The type of harp_emulated_kernels, the exported function. It returns the library's kernels and sets *count to their number.
using EmulatedKernelsFunction = const EmulatedKernel* (*)(size_t* count);
inline constexpr char kEmulatedKernels[] = "harp_emulated_kernels";

}  // namespace harp::cuda_test
