// TEST ONLY. Lets g++ compile a CUDA source (`-x c++ -include runtime_api.h`). Kernels run in the emulator, on the fake driver's memory and
// in the order of its streams. This header has the functions of CUDA's runtime library that harp.hpp calls. Kernels are launched by
// cudaLaunchKernel, because g++ cannot parse <<<...>>>.
#pragma once

#include <dlfcn.h>
#include <math.h>

#include "runtime.h"

#undef __noinline__  // the standard library's headers write __noinline__ as a gcc attribute, which a macro of that name would break

#define HARP_CPP_CUDA 1

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }

typedef int cudaError_t;
typedef void* cudaStream_t;
enum { cudaSuccess = 0, cudaErrorInvalidDevice = 101, cudaDevAttrMultiProcessorCount = 16 };
static const cudaStream_t cudaStreamLegacy = reinterpret_cast<cudaStream_t>(1);

static int harp_emulated_device = 0;
static inline cudaError_t cudaGetDevice(int* device) {
  *device = harp_emulated_device;
  return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int device) {
  harp_emulated_device = device;
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int* value, int, int) {
  *value = 1;
  return cudaSuccess;
}
static inline const char* cudaGetErrorName(cudaError_t) { return "an error of the fake driver"; }
static inline const char* cudaGetErrorString(cudaError_t) { return ""; }

namespace harp_emulator {

/// A kernel that is linked to the program, in the form that the emulator launches. The first argument of a launch is the address of the
/// kernel's function.
template <class... Parameters>
struct LinkedKernel {
  using Function = void (*)(Parameters...);
  static constexpr uint32_t kBytes[] = {sizeof(Function), static_cast<uint32_t>(sizeof(Parameters))...};
  template <size_t... at>
  struct Positions {};
  template <size_t n, size_t... at>
  static auto positions() {
    if constexpr (n == 0)
      return Positions<at...>();
    else
      return positions<n - 1, n, at...>();
  }
  template <size_t... at>
  static void call(void** values, Positions<at...>) {
    (*static_cast<Function*>(values[0]))(*static_cast<Parameters*>(values[at])...);
  }
  static const char* launch(const uint32_t grid[3], const uint32_t block[3], size_t shared, void** parameters, ThreadOrder order) {
    return harp_emulator::launch(
        kernel(), {__start_harp_shared, __stop_harp_shared}, [](void** values) { call(values, positions<sizeof...(Parameters)>()); }, grid,
        block, shared, parameters, order);
  }
  static const EmulatedKernel& kernel() {
    static const EmulatedKernel kernel = {"a kernel of the program", kMaxThreads, 1 + sizeof...(Parameters), kBytes, &launch};
    return kernel;
  }
};

}  // namespace harp_emulator

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, size_t, cudaStream_t) {
  using Launch = cudaError_t (*)(const harp::cuda_test::EmulatedKernel*, int, unsigned, unsigned, void**);
  static const auto launch = reinterpret_cast<Launch>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fake_cuda_launch"));
  void* all[1 + sizeof...(Parameters)] = {&kernel};
  for (size_t i = 0; i < sizeof...(Parameters); ++i) all[i + 1] = arguments[i];
  return launch(&harp_emulator::LinkedKernel<Parameters...>::kernel(), harp_emulated_device, grid.x, block.x, all);
}
