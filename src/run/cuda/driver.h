// Declares the functions of the CUDA driver, which are looked up at run time in libcuda.so.1. harp neither includes CUDA's headers nor
// links its libraries, so the same libharp also runs without a GPU. The declarations below repeat those of CUDA's driver API for the
// functions that harp calls; comments name the types of CUDA. Each function is looked up with the version of its interface, so a newer
// driver also returns the interface that harp expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/process.h"

namespace harp::cuda {

/// The result of a driver function (CUresult). Only the values that harp checks for have names here.
enum class Status : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
};

using DeviceIndex = int32_t;     // CUdevice
using DeviceAddress = uint64_t;  // CUdeviceptr
using ContextHandle = struct CUctx_st*;
using StreamHandle = struct CUstream_st*;
using EventHandle = struct CUevent_st*;
using PoolHandle = struct CUmemPoolHandle_st*;
using LibraryHandle = struct CUlib_st*;
using KernelHandle = struct CUkern_st*;
using FunctionHandle = struct CUfunc_st*;
using GraphHandle = struct CUgraph_st*;
using GraphNodeHandle = struct CUgraphNode_st*;
using ExecutableGraphHandle = struct CUgraphExec_st*;

/// CUdevice_attribute
enum class DeviceAttribute : int32_t {
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5,
  kProcessors = 16,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedBytesPerBlock = 97,  // maximum shared memory of a block that a kernel can request (CUDA's name ends in _OPTIN)
  kMemoryPoolsSupported = 115,
};
/// CUfunction_attribute
enum class FunctionAttribute : int32_t { kMaxDynamicSharedBytes = 8 };
/// CUpointer_attribute
enum class PointerAttribute : int32_t { kMemoryType = 2, kDeviceIndex = 9 };
inline constexpr unsigned kDeviceMemory = 2;        // CU_MEMORYTYPE_DEVICE
inline constexpr unsigned kStreamNonBlocking = 1;   // the stream does not synchronise with the legacy default stream
inline constexpr unsigned kEventDisableTiming = 2;  // the event records no time; it only orders streams
inline constexpr uintptr_t kStreamLegacy = 1;       // CU_STREAM_LEGACY: the default stream, which also has the handle 0
inline constexpr uintptr_t kStreamPerThread = 2;    // CU_STREAM_PER_THREAD: this handle means a different stream on each thread
/// A CUmemPool_attribute: how many bytes of free memory a pool keeps when a stream is synchronised.
inline constexpr int32_t kPoolReleaseThreshold = 4;

/// CUmemPoolProps
struct PoolProperties {
  int32_t allocation_type = 1;  // pinned memory; there is no other type
  int32_t handle_types = 0;     // 0: the memory cannot be shared with other processes
  int32_t location_type = 1;    // a device
  int32_t location_id = 0;
  void* unused = nullptr;
  unsigned char reserved[64] = {};
};

/// CUDA_KERNEL_NODE_PARAMS: the parameters of a node of a graph that launches a kernel.
struct KernelNodeParameters {
  FunctionHandle function = nullptr;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  KernelHandle kernel = nullptr;    // a kernel may be given instead of `function`
  ContextHandle context = nullptr;  // the context of `kernel`
};

/// A function of the driver: its address, the data with which it is looked up, and its name for error messages.
template <class... Parameters>
struct Function {
  const char* name;
  int version;  // version of CUDA that introduced this interface: 12000 is 12.0
  Status (*address)(Parameters...) = nullptr;
};

/// All driver functions that harp calls, one in each row: ROW(member of Driver, the driver's name for it, version of the interface,
/// parameter types).
#define HARP_CUDA_DRIVER_FUNCTIONS(ROW)                                                                                                    \
  ROW(init, "cuInit", 2000, unsigned)                                                                                                      \
  ROW(driver_version, "cuDriverGetVersion", 2020, int*)                                                                                    \
  ROW(error_name, "cuGetErrorName", 6000, Status, const char**)                                                                            \
  ROW(device_count, "cuDeviceGetCount", 2000, int*)                                                                                        \
  ROW(device_get, "cuDeviceGet", 2000, DeviceIndex*, int)                                                                                  \
  ROW(device_name, "cuDeviceGetName", 2000, char*, int, DeviceIndex)                                                                       \
  ROW(device_attribute, "cuDeviceGetAttribute", 2000, int*, DeviceAttribute, DeviceIndex)                                                  \
  ROW(primary_context_retain, "cuDevicePrimaryCtxRetain", 7000, ContextHandle*, DeviceIndex)                                               \
  ROW(primary_context_release, "cuDevicePrimaryCtxRelease", 11000, DeviceIndex)                                                            \
  ROW(context_push, "cuCtxPushCurrent", 4000, ContextHandle)                                                                               \
  ROW(context_pop, "cuCtxPopCurrent", 4000, ContextHandle*)                                                                                \
  ROW(context_device, "cuCtxGetDevice", 2000, DeviceIndex*)                                                                                \
  ROW(stream_create, "cuStreamCreate", 2000, StreamHandle*, unsigned)                                                                      \
  ROW(stream_destroy, "cuStreamDestroy", 4000, StreamHandle)                                                                               \
  ROW(stream_synchronize, "cuStreamSynchronize", 2000, StreamHandle)                                                                       \
  ROW(stream_context, "cuStreamGetCtx", 9020, StreamHandle, ContextHandle*)                                                                \
  ROW(stream_is_capturing, "cuStreamIsCapturing", 10000, StreamHandle, int*)                                                               \
  ROW(stream_wait_event, "cuStreamWaitEvent", 3020, StreamHandle, EventHandle, unsigned)                                                   \
  ROW(event_create, "cuEventCreate", 2000, EventHandle*, unsigned)                                                                         \
  ROW(event_record, "cuEventRecord", 2000, EventHandle, StreamHandle)                                                                      \
  ROW(event_destroy, "cuEventDestroy", 4000, EventHandle)                                                                                  \
  ROW(mem_alloc, "cuMemAlloc", 3020, DeviceAddress*, size_t)                                                                               \
  ROW(mem_free, "cuMemFree", 3020, DeviceAddress)                                                                                          \
  ROW(pool_create, "cuMemPoolCreate", 11020, PoolHandle*, const PoolProperties*)                                                           \
  ROW(pool_destroy, "cuMemPoolDestroy", 11020, PoolHandle)                                                                                 \
  ROW(pool_set_attribute, "cuMemPoolSetAttribute", 11020, PoolHandle, int32_t, void*)                                                      \
  ROW(pool_trim_to, "cuMemPoolTrimTo", 11020, PoolHandle, size_t)                                                                          \
  ROW(mem_alloc_from_pool, "cuMemAllocFromPoolAsync", 11020, DeviceAddress*, size_t, PoolHandle, StreamHandle)                             \
  ROW(mem_free_async, "cuMemFreeAsync", 11020, DeviceAddress, StreamHandle)                                                                \
  ROW(copy_to_device, "cuMemcpyHtoDAsync", 3020, DeviceAddress, const void*, size_t, StreamHandle)                                         \
  ROW(copy_to_host, "cuMemcpyDtoHAsync", 3020, void*, DeviceAddress, size_t, StreamHandle)                                                 \
  ROW(copy_on_device, "cuMemcpyDtoDAsync", 3020, DeviceAddress, DeviceAddress, size_t, StreamHandle)                                       \
  ROW(fill, "cuMemsetD8Async", 3020, DeviceAddress, unsigned char, size_t, StreamHandle)                                                   \
  ROW(pointer_attribute, "cuPointerGetAttribute", 4000, void*, PointerAttribute, DeviceAddress)                                            \
  ROW(library_load, "cuLibraryLoadData", 12000, LibraryHandle*, const void*, void*, void*, unsigned, void*, void*, unsigned)               \
  ROW(library_unload, "cuLibraryUnload", 12000, LibraryHandle)                                                                             \
  ROW(library_kernel, "cuLibraryGetKernel", 12000, KernelHandle*, LibraryHandle, const char*)                                              \
  ROW(kernel_function, "cuKernelGetFunction", 12000, FunctionHandle*, KernelHandle)                                                        \
  ROW(function_set_attribute, "cuFuncSetAttribute", 9000, FunctionHandle, FunctionAttribute, int)                                          \
  ROW(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, int*, FunctionHandle, int, size_t)                                   \
  ROW(graph_create, "cuGraphCreate", 10000, GraphHandle*, unsigned)                                                                        \
  ROW(graph_destroy, "cuGraphDestroy", 10000, GraphHandle)                                                                                 \
  ROW(graph_add_kernel_node, "cuGraphAddKernelNode", 12000, GraphNodeHandle*, GraphHandle, const GraphNodeHandle*, size_t,                 \
      const KernelNodeParameters*)                                                                                                         \
  ROW(graph_add_empty_node, "cuGraphAddEmptyNode", 10000, GraphNodeHandle*, GraphHandle, const GraphNodeHandle*, size_t)                   \
  ROW(graph_instantiate, "cuGraphInstantiateWithFlags", 11040, ExecutableGraphHandle*, GraphHandle, unsigned long long)                    \
  ROW(graph_exec_set_kernel, "cuGraphExecKernelNodeSetParams", 12000, ExecutableGraphHandle, GraphNodeHandle, const KernelNodeParameters*) \
  ROW(graph_launch, "cuGraphLaunch", 10000, ExecutableGraphHandle, StreamHandle)                                                           \
  ROW(graph_exec_destroy, "cuGraphExecDestroy", 10000, ExecutableGraphHandle)                                                              \
  ROW(launch, "cuLaunchKernel", 4000, FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle,  \
      void**, void**)

/// An opened and initialised driver of version 12.0 or newer. Immutable, so every thread may use it.
class Driver {
 public:
  /// Opens the library at `path` and calls cuInit. dlopen searches for a name without a slash. Throws Error{kDevice} if there is no driver,
  /// if it is too old, or if it cannot be initialised.
  Driver(Process& process, const std::string& path);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Returns the version of CUDA that the driver supports; 12040 is 12.4.
  int version() const { return version_; }
  /// Returns false in a child process that was forked after the driver was opened: there, calls of the driver may hang.
  bool is_usable_here() const { return process_.id() == owner_; }
  /// Calls a function of the driver, and throws error() if it fails. `where` is a part of the error message, for example "on cuda:0".
  template <class... Parameters, class... Arguments>
  void call(std::string_view where, const Function<Parameters...>& function, Arguments... arguments) const {
    if (const Status status = function.address(arguments...); status != Status::kSuccess) throw error(where, function.name, status);
  }
  /// Returns the error for a driver function that failed. The message contains the driver's name and number of the status.
  Error error(std::string_view where, const char* function, Status status) const;

#define HARP_CUDA_MEMBER(member, name, version, ...) Function<__VA_ARGS__> member{name, version};
  HARP_CUDA_DRIVER_FUNCTIONS(HARP_CUDA_MEMBER)
#undef HARP_CUDA_MEMBER

 private:
  void find_functions(const std::string& path);

  Process& process_;
  int owner_;  // the process that opened the driver
  void* library_;
  int version_ = 0;
};

/// Returns the version as text: 12040 becomes "12.4".
std::string version_text(int version);
/// Tests whether the status means that the device or the driver cannot load the module. Compiling it again may then help.
bool is_image_error(Status status);
/// If the status means that every later call in the same context fails too, returns a sentence that says why: for example, a kernel has
/// accessed invalid memory or has hung. Otherwise returns an empty text.
std::string_view loss_of_device(Status status);

}  // namespace harp::cuda
