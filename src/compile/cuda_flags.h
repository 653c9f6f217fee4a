// Chooses flags that the CUDA compilers NVRTC and nvcc both accept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// The output of a CUDA compiler: machine code for one architecture (kCubin), or PTX, which the GPU driver compiles for any GPU of that or
/// a later architecture.
enum class CudaOutput : uint8_t { kCubin, kPtx };

/// Returns the suffix of files with this output: ".cubin" or ".ptx".
std::string_view cuda_suffix(CudaOutput output);
/// Returns the name of the virtual (PTX) architecture for a target GPU: "compute_90" for "sm_90".
std::string virtual_architecture(std::string_view target);
/// Returns the flags that make the compiler keep floating-point arithmetic as it is written: no contraction, IEEE division and square root,
/// and no flushing of subnormal numbers.
std::vector<std::string> cuda_arithmetic_flags();
/// True if the effect of the flag depends on nothing but its text, so that a cache key that contains the text covers the effect.
bool is_self_contained_for_cuda(std::string_view flag);

}  // namespace harp
