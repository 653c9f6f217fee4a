"""Checks the declarations of src/run/cuda/driver.h against CUDA's own header, which is installed from the Python packages of the group
"cuda". Every function that harp calls must exist at the version that harp asks for, with the same number, sizes and kinds of parameters.
Structs must have CUDA's layout, and enumerators CUDA's values."""
import os
import re
import subprocess
import sys
import tempfile

import package_group

SOURCE = os.environ["HARP_SOURCE_DIR"]
VENV = os.path.join(os.environ["HARP_BUILD_DIR"], "cuda_venv")

COMPARE = """
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cstddef>
#include <type_traits>
#include "run/cuda/driver.h"
using namespace harp::cuda;

template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class A, class B>
struct Alike;
template <class... A, class... B>
struct Alike<Status (*)(A...), CUresult (*)(B...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(A) == sizeof...(B)) return (alike<A, B> && ...);
    return false;
  }
};

static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(PoolProperties, location_type) == offsetof(CUmemPoolProps, location));
static_assert(offsetof(PoolProperties, unused) == offsetof(CUmemPoolProps, win32SecurityAttributes));
static_assert(PoolProperties{}.allocation_type == CU_MEM_ALLOCATION_TYPE_PINNED && PoolProperties{}.handle_types == CU_MEM_HANDLE_TYPE_NONE);
static_assert(PoolProperties{}.location_type == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(sizeof(KernelNodeParameters) == sizeof(CUDA_KERNEL_NODE_PARAMS));
static_assert(offsetof(KernelNodeParameters, grid) == offsetof(CUDA_KERNEL_NODE_PARAMS, gridDimX));
static_assert(offsetof(KernelNodeParameters, block) == offsetof(CUDA_KERNEL_NODE_PARAMS, blockDimX));
static_assert(offsetof(KernelNodeParameters, shared) == offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes));
static_assert(offsetof(KernelNodeParameters, arguments) == offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams));
static_assert(offsetof(KernelNodeParameters, extra) == offsetof(CUDA_KERNEL_NODE_PARAMS, extra));
static_assert(offsetof(KernelNodeParameters, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
static_assert(offsetof(KernelNodeParameters, context) == offsetof(CUDA_KERNEL_NODE_PARAMS, ctx));
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING && kDeviceMemory == CU_MEMORYTYPE_DEVICE);
static_assert(kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kPoolReleaseThreshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs));
SAME(Status::kInvalidValue, CUDA_ERROR_INVALID_VALUE)
SAME(Status::kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)
SAME(Status::kNoDevice, CUDA_ERROR_NO_DEVICE)
SAME(Status::kInvalidImage, CUDA_ERROR_INVALID_IMAGE)
SAME(Status::kInvalidContext, CUDA_ERROR_INVALID_CONTEXT)
SAME(Status::kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
SAME(Status::kInvalidPtx, CUDA_ERROR_INVALID_PTX)
SAME(Status::kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
SAME(Status::kInvalidHandle, CUDA_ERROR_INVALID_HANDLE)
SAME(DeviceAttribute::kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
SAME(DeviceAttribute::kMaxGridX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
SAME(DeviceAttribute::kProcessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
SAME(DeviceAttribute::kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
SAME(DeviceAttribute::kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
SAME(DeviceAttribute::kMaxSharedBytesPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
SAME(DeviceAttribute::kMemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
SAME(FunctionAttribute::kMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
SAME(PointerAttribute::kMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
SAME(PointerAttribute::kDeviceIndex, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
"""


def main():
    include = os.path.join(VENV, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages", "nvidia", "cu13", "include")
    package_group.require("cuda", __file__, paths=(os.path.join(include, "cuda.h"),))
    with open(os.path.join(SOURCE, "src", "run", "cuda", "driver.h"), encoding="utf-8") as file:
        rows = re.findall(r'ROW\((\w+), "(\w+)", (\d+),', file.read())
    assert len(rows) > 30, rows
    with open(os.path.join(include, "cuda.h"), encoding="utf-8") as file:
        handles = dict(re.findall(r"#define CU_STREAM_(LEGACY|PER_THREAD)\s+\(\(CUstream\)0x(\d+)\)", file.read()))
    assert handles == {"LEGACY": "1", "PER_THREAD": "2"}, f"kStreamLegacy and kStreamPerThread are not CUDA's: {handles}"
    text = COMPARE + "".join(
        f"static_assert(Alike<decltype(Driver::{member}.address), PFN_{name}_v{version}>::value(), \"{name}\");\n" for member, name, version in rows)
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        compiler = os.environ.get("CXX", "c++")
        result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I" + os.path.join(SOURCE, "src"), "-isystem", include, file.name],
                                capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    print(f"{len(rows)} functions of the driver are declared as CUDA declares them")


main()
