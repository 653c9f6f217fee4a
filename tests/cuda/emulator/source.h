// Turns CUDA C++ into the source that the emulator compiles.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace harp::cuda_test {

/// Returns C++ source: the CUDA C++ of one program, and a registration of each of its kernels. The text of the program is unchanged except
/// for declarations of dynamic shared memory and instructions of tensor cores. The source is compiled with runtime.h included before it
/// (`-include`) and becomes a library (kernels.h).
std::string emulated_source(std::string_view text);

/// Like emulated_source(text), for several programs. Kernel kernel_0 of program i is called "unit_i::kernel_0".
std::string emulated_source(std::span<const std::string> texts);

}  // namespace harp::cuda_test
