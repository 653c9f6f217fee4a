// Turns many CUDA programs into one C++ source for the emulator, because starting a compiler takes longer than compiling a small kernel.
#pragma once

#include <span>
#include <string>

namespace harp::cuda_test {

/// Returns C++ source like emulated_source(text) of source.h, for several programs. Kernel kernel_0 of program i is called
/// "unit_i::kernel_0". Functions, tables and types that several programs declare with the same text are compiled once.
std::string emulated_source(std::span<const std::string> texts);

}  // namespace harp::cuda_test
