// Looks up functions of the CUDA driver by name and calls them.
#include "bench/harness/gpu_host.h"

#include <dlfcn.h>

namespace bench {
namespace {

constexpr int kMissingFunction = -1;  // status for a function that the driver lacks; the driver itself never returns this value
constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING: not ordered with the legacy default stream
constexpr unsigned kTimedEvent = 0;   // CU_EVENT_DEFAULT

}  // namespace

template <class... Arguments>
int GpuHost::status_of(const char* function, Arguments... arguments) const {
  const auto address = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, function));
  return address == nullptr ? kMissingFunction : address(arguments...);
}

template <class... Arguments>
void GpuHost::call(const char* function, Arguments... arguments) const {
  const int status = status_of(function, arguments...);
  if (status == 0) return;
  const char* name = nullptr;
  status_of("cuGetErrorName", status, &name);
  throw std::runtime_error(std::string(function) + " failed: " + (name != nullptr ? name : "unknown error") + " (" +
                           std::to_string(status) + ")");
}

GpuHost::GpuHost() {
  library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw MissingHardware("there is no CUDA driver (libcuda.so.1)");
  try {
    open();
  } catch (...) {
    close();
    throw;
  }
}

void GpuHost::open() {
  if (const int status = status_of("cuInit", 0u); status != 0)
    throw MissingHardware("there is no GPU: cuInit failed with error " + std::to_string(status));
  int count = 0;
  call("cuDeviceGetCount", &count);
  if (count == 0) throw MissingHardware("there is no GPU");
  call("cuDeviceGet", &device_, 0);
  call("cuDevicePrimaryCtxRetain", &context_, device_);
  call("cuCtxPushCurrent_v2", context_);
  call("cuStreamCreate", &stream_, kNonBlocking);
  call("cuEventCreate", &begin_, kTimedEvent);
  call("cuEventCreate", &end_, kTimedEvent);
}

GpuHost::~GpuHost() { close(); }

/// Releases everything except the driver's library, which stays loaded because the driver starts threads that never end. Ignores failures,
/// because after a fault of the GPU every function of the driver fails.
void GpuHost::close() {
  if (begin_ != nullptr) status_of("cuEventDestroy_v2", begin_);
  if (end_ != nullptr) status_of("cuEventDestroy_v2", end_);
  if (stream_ != nullptr) status_of("cuStreamDestroy_v2", stream_);
  void* before = nullptr;
  if (context_ == nullptr) return;
  status_of("cuCtxPopCurrent_v2", &before);
  status_of("cuDevicePrimaryCtxRelease_v2", device_);
}

std::string GpuHost::describe() const {
  char name[256] = "";
  int version = 0;
  call("cuDeviceGetName", static_cast<char*>(name), static_cast<int>(sizeof name), device_);
  call("cuDriverGetVersion", &version);
  return std::string(name) + ", driver for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

double GpuHost::seconds(const std::function<void()>& enqueue) const {
  call("cuEventRecord", begin_, stream_);
  enqueue();
  call("cuEventRecord", end_, stream_);
  call("cuEventSynchronize", end_);
  float milliseconds = 0;
  call("cuEventElapsedTime", &milliseconds, begin_, end_);
  return 1e-3 * static_cast<double>(milliseconds);
}

void GpuHost::wait() const { call("cuStreamSynchronize", stream_); }

}  // namespace bench
