// Implements the functions of the fake driver for its version, errors, devices and contexts.
#include <cstdio>

#include "cuda/fake/state.h"

using namespace fake;

EXPORTED CUresult cuInit(unsigned) {
  const Call call("cuInit");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  if (state.devices == 0) return kNoDevice;
  open_memory();
  for (int i = 0; i < static_cast<int>(state.contexts.size()); ++i) state.contexts[i].device = i;
  state.is_initialised = true;
  return kSuccess;
}

EXPORTED CUresult cuDriverGetVersion(int* version) {
  const Call call("cuDriverGetVersion");
  *version = state.version;
  return call.status_of_init();
}

EXPORTED CUresult cuGetErrorName(CUresult status, const char** name) {
  const Call call("cuGetErrorName");
  if (call.status_of_init() != kSuccess) return call.status_of_init();
  static const std::map<CUresult, const char*> kNames = {
      {1, "CUDA_ERROR_INVALID_VALUE"},       {2, "CUDA_ERROR_OUT_OF_MEMORY"},   {3, "CUDA_ERROR_NOT_INITIALIZED"},
      {100, "CUDA_ERROR_NO_DEVICE"},         {200, "CUDA_ERROR_INVALID_IMAGE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {218, "CUDA_ERROR_INVALID_PTX"},   {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},    {500, "CUDA_ERROR_NOT_FOUND"},     {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},     {801, "CUDA_ERROR_NOT_SUPPORTED"}, {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = kNames.find(status);
  *name = found != kNames.end() ? found->second : nullptr;
  return *name != nullptr ? kSuccess : kInvalidValue;
}

EXPORTED CUresult cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount");
  *count = state.devices;
  return kSuccess;
}

EXPORTED CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER("cuDeviceGet");
  if (ordinal < 0 || ordinal >= state.devices) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

EXPORTED CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  ENTER("cuDeviceGetName");
  snprintf(name, static_cast<size_t>(size), "Fake GPU %d", device);
  return kSuccess;
}

EXPORTED CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  ENTER("cuDeviceGetAttribute");
  const int capability = state.capabilities[static_cast<size_t>(device)];
  switch (attribute) {
    case 1: *value = 1024; break;                                            // MAX_THREADS_PER_BLOCK
    case 5: *value = 0x7fffffff; break;                                      // MAX_GRID_DIM_X
    case 16: *value = state.processors[static_cast<size_t>(device)]; break;  // MULTIPROCESSOR_COUNT
    case 75: *value = capability / 10; break;                                // COMPUTE_CAPABILITY_MAJOR
    case 76: *value = capability % 10; break;                                // COMPUTE_CAPABILITY_MINOR
    case 97: *value = kSharedLimit; break;                                   // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    case 115: *value = state.has_pools ? 1 : 0; break;                       // MEMORY_POOLS_SUPPORTED
    default: mistake("an attribute that the fake does not know: " + std::to_string(attribute)); return kInvalidValue;
  }
  return kSuccess;
}

EXPORTED CUresult cuDevicePrimaryCtxRetain(Context** context, CUdevice device) {
  ENTER("cuDevicePrimaryCtxRetain");
  *context = &state.contexts[device];
  ++(*context)->references;
  return kSuccess;
}

EXPORTED CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const Call call("cuDevicePrimaryCtxRelease");
  if (state.contexts[device].references-- <= 0) mistake("a primary context is released more often than retained");
  return call.status();
}

EXPORTED CUresult cuCtxPushCurrent_v2(Context* context) {
  ENTER("cuCtxPushCurrent");
  if (context == nullptr || context->references == 0) return kInvalidContext;
  current.push_back(context);
  return kSuccess;
}

EXPORTED CUresult cuCtxPopCurrent_v2(Context** context) {
  const Call call("cuCtxPopCurrent");
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return call.status();
}

EXPORTED CUresult cuCtxGetCurrent(Context** context) {
  ENTER("cuCtxGetCurrent");
  *context = current.empty() ? nullptr : current.back();
  return kSuccess;
}

EXPORTED CUresult cuCtxGetDevice(CUdevice* device) {
  ENTER_WITH_CONTEXT("cuCtxGetDevice");
  *device = current.back()->device;
  return kSuccess;
}

std::vector<Row> fake::device_functions() {
  return {
      ROW("cuInit", 2000, cuInit),
      ROW("cuDriverGetVersion", 2020, cuDriverGetVersion),
      ROW("cuGetErrorName", 6000, cuGetErrorName),
      ROW("cuDeviceGetCount", 2000, cuDeviceGetCount),
      ROW("cuDeviceGet", 2000, cuDeviceGet),
      ROW("cuDeviceGetName", 2000, cuDeviceGetName),
      ROW("cuDeviceGetAttribute", 2000, cuDeviceGetAttribute),
      ROW("cuDevicePrimaryCtxRetain", 7000, cuDevicePrimaryCtxRetain),
      ROW("cuDevicePrimaryCtxRelease", 11000, cuDevicePrimaryCtxRelease_v2),
      ROW("cuCtxPushCurrent", 4000, cuCtxPushCurrent_v2),
      ROW("cuCtxPopCurrent", 4000, cuCtxPopCurrent_v2),
      ROW("cuCtxGetCurrent", 4000, cuCtxGetCurrent),
      ROW("cuCtxGetDevice", 2000, cuCtxGetDevice),
  };
}
