// The CUDA driver of this machine, and classes for a host application that uses it: contexts, streams, memory and CUDA graphs. The driver's
// functions are looked up by name, so the tests can be built without CUDA's headers and libraries.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/skip.h"

namespace gpu_test {

using Floats = std::vector<float>;
using DeviceAddress = unsigned long long;  // CUdeviceptr

/// The functions of libcuda.so.1. Without a GPU the constructor ends the test case, which then counts as skipped.
class Driver {
 public:
  Driver() : library_(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw harp::testing::Skip{"no GPU: libcuda.so.1 is not there"};
    int count = 0;
    if (call("cuInit", 0u) != 0 || call("cuDeviceGetCount", &count) != 0 || count == 0)
      throw harp::testing::Skip{"no GPU: the driver finds no device"};
  }

  /// Calls a function that returns a CUresult. The types of the arguments must be exactly those of its parameters.
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
    REQUIRE_MESSAGE((function != nullptr), name);
    return function(arguments...);
  }

 private:
  void* library_;  // stays loaded, because the driver cannot be unloaded
};

/// Makes a CUDA context current on this thread.
class CurrentContext {
 public:
  CurrentContext(const Driver& driver, void* context) : driver_(driver) { REQUIRE(driver_.call("cuCtxPushCurrent_v2", context) == 0); }
  ~CurrentContext() {
    void* popped = nullptr;
    CHECK(driver_.call("cuCtxPopCurrent_v2", &popped) == 0);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver& driver_;
};

/// A host application that uses CUDA itself: the primary context of GPU 0, and a stream that is not ordered with the default stream.
class Host {
 public:
  Host() {
    REQUIRE(driver_.call("cuDeviceGet", &device_, 0) == 0);
    REQUIRE(driver_.call("cuDevicePrimaryCtxRetain", &context_, device_) == 0);
    stream_ = new_stream();
  }
  ~Host() {
    free_stream(stream_);
    CHECK(driver_.call("cuDevicePrimaryCtxRelease_v2", device_) == 0);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const Driver& driver() const { return driver_; }
  void* context() const { return context_; }
  void* stream() const { return stream_; }

  void* new_stream() const {
    const CurrentContext current(driver_, context_);
    void* stream = nullptr;
    REQUIRE(driver_.call("cuStreamCreate", &stream, 1u) == 0);
    return stream;
  }
  void free_stream(void* stream) const {
    const CurrentContext current(driver_, context_);
    CHECK(driver_.call("cuStreamDestroy_v2", stream) == 0);
  }

  void* allocate(size_t bytes) const {
    const CurrentContext current(driver_, context_);
    DeviceAddress address = 0;
    REQUIRE(driver_.call("cuMemAlloc_v2", &address, bytes) == 0);
    return reinterpret_cast<void*>(address);
  }
  void free(void* memory) const {
    const CurrentContext current(driver_, context_);
    CHECK(driver_.call("cuMemFree_v2", reinterpret_cast<DeviceAddress>(memory)) == 0);
  }

  /// Enqueues a copy to the GPU on a stream. `from` must not change until the copy is complete.
  void enqueue_write(void* to, const Floats& from, void* stream) const {
    const CurrentContext current(driver_, context_);
    REQUIRE(driver_.call("cuMemcpyHtoDAsync_v2", reinterpret_cast<DeviceAddress>(to), static_cast<const void*>(from.data()),
                         from.size() * sizeof(float), stream) == 0);
  }
  /// Waits for the work on the stream, then returns the array at the address.
  Floats read(const void* from, size_t elements, void* stream) const {
    const CurrentContext current(driver_, context_);
    Floats content(elements, std::numeric_limits<float>::quiet_NaN());
    CHECK(driver_.call("cuMemcpyDtoHAsync_v2", static_cast<void*>(content.data()), reinterpret_cast<DeviceAddress>(from),
                       elements * sizeof(float), stream) == 0);
    CHECK(driver_.call("cuStreamSynchronize", stream) == 0);
    return content;
  }
  Floats read(const void* from, size_t elements) const { return read(from, elements, stream_); }

  /// Begins a capture: work that is put on the stream from now on becomes nodes of a graph instead. The mode "global" forbids all calls
  /// that are not work on a stream.
  void begin_capture() const {
    const CurrentContext current(driver_, context_);
    REQUIRE(driver_.call("cuStreamBeginCapture_v2", stream_, 0) == 0);
  }

 private:
  Driver driver_;
  int device_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;
};

/// The graph that the host has captured since Host::begin_capture.
class CapturedGraph {
 public:
  explicit CapturedGraph(const Host& host) : host_(host) {
    const CurrentContext current(host_.driver(), host_.context());
    REQUIRE(host_.driver().call("cuStreamEndCapture", host_.stream(), &graph_) == 0);
    REQUIRE(host_.driver().call("cuGraphInstantiateWithFlags", &executable_, graph_, 0ull) == 0);
  }
  ~CapturedGraph() {
    CHECK(host_.driver().call("cuGraphExecDestroy", executable_) == 0);
    CHECK(host_.driver().call("cuGraphDestroy", graph_) == 0);
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Enqueues the graph on the host's stream.
  void launch() const {
    const CurrentContext current(host_.driver(), host_.context());
    REQUIRE(host_.driver().call("cuGraphLaunch", executable_, host_.stream()) == 0);
  }

 private:
  const Host& host_;
  void* graph_ = nullptr;
  void* executable_ = nullptr;
};

}  // namespace gpu_test
