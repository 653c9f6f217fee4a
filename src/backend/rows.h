// The backends that this library contains. Each is defined in its own file.
#pragma once

#include "backend/backend.h"

namespace harp {

/// Executes the graph on the CPU by interpreting it; needs no compiler. (interp.cpp)
extern const Backend kInterpBackend;
/// Generates C, compiles it with the system's C compiler and runs it on the CPU. (c.cpp)
extern const Backend kCBackend;
/// Generates CUDA, compiles it with NVRTC or nvcc and runs it on a GPU. (cuda.cpp)
extern const Backend kCudaBackend;

/// Functions that the backends for the CPU share. Their machines are the CPUs in the table of base/machine.h, and their arrays are in host
/// memory. (cpu.cpp)
Machine cpu_machine(const Resources& resources, const char* name);
std::vector<const Device*> cpu_devices(const Resources& resources);

}  // namespace harp
