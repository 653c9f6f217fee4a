// Turns CUDA C++ into the source that the emulator compiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harp::cuda_test {

/// Returns C++ source: the CUDA C++ of one program, and a registration of each of its kernels. The text of the program is unchanged except
/// for what emulated_text() replaces. The source is compiled with runtime.h included before it (`-include`) and becomes a library
/// (kernels.h).
std::string emulated_source(std::string_view text);

/// Returns the text of a program with its declarations of dynamic shared memory, instructions of tensor cores and asynchronous copies
/// replaced by C++ that uses the emulator.
std::string emulated_text(std::string_view text);

struct KernelDeclaration {
  std::string_view name, most_threads;  // most_threads: the first argument of __launch_bounds__
};
/// Returns the kernels of a program's text. The result refers to the text.
std::vector<KernelDeclaration> kernel_declarations(std::string_view text);

}  // namespace harp::cuda_test
