// Flags of CUDA's compilers. NVRTC and nvcc accept the same flags, as far as harp uses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp {

/// What a CUDA compiler produces: machine code for one GPU, or PTX, which the driver compiles for any GPU of at least that architecture.
enum class CudaOutput : uint8_t { kCubin, kPtx };

/// The suffix of the file of an artifact: ".cubin", ".ptx".
std::string_view cuda_suffix(CudaOutput output);
/// The architecture of PTX for the row `target` of the table of GPUs: "compute_90" for "sm_90".
std::string virtual_architecture(std::string_view target);
/// Returns the flags that keep arithmetic as it is written: no contraction, IEEE division and square root, subnormal numbers.
std::vector<std::string> cuda_arithmetic_flags();
/// Tests whether the flag refers to nothing outside the command, so that a cache key that contains it covers its meaning.
bool is_self_contained_for_cuda(std::string_view flag);

}  // namespace harp
