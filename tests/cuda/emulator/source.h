// Turns CUDA C++ into the source that the emulator compiles.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace harp::cuda_test {

/// Returns the text of a C++ source: the CUDA C++ of one program, unchanged but for declarations of dynamic shared memory, and the list of
/// its kernels. The source is compiled with runtime.h included before it (`-include`) and becomes a library (kernels.h).
std::string emulated_source(std::string_view text);

/// Does the same for several programs. Kernels of program i are called "unit_i::kernel_0".
std::string emulated_source(std::span<const std::string> texts);

}  // namespace harp::cuda_test
