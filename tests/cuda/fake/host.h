// Contains a host application that uses CUDA itself, with the fake driver, and functions for arrays on a GPU that the tests of such an
// application need.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "cuda/fake/context.h"

namespace fake_cuda {

using Floats = std::vector<float>;
using DeviceAddress = unsigned long long;

inline capi_test::Program compile_for_gpu(harp_context* context, const char* text, bool check_indices = false) {
  const capi_test::Graph graph = capi_test::parse(context, text);
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = "cuda";
  options.check_indices = check_indices ? 1 : 0;
  capi_test::ErrorSlot err;
  capi_test::Program program(harp_compile(graph.get(), &options, err));
  REQUIRE_MESSAGE(program != nullptr, err.message());
  return program;
}

inline Floats content_of(const harp_buffer* buffer) {
  Floats content(harp_buffer_size(buffer) / sizeof(float));
  capi_test::ErrorSlot err;
  CHECK_MESSAGE(harp_buffer_read(buffer, harp_buffer_size(buffer), content.data(), err) == HARP_OK, err.message());
  return content;
}

inline capi_test::Buffer filled(harp_context* context, const char* device, const Floats& content) {
  const auto size = static_cast<int64_t>(content.size());
  capi_test::ErrorSlot err;
  capi_test::Buffer buffer(harp_buffer_new(context, device, HARP_F32, 1, &size, err));
  REQUIRE_MESSAGE(buffer != nullptr, err.message());
  REQUIRE(harp_buffer_write(buffer.get(), content.size() * sizeof(float), content.data(), err) == HARP_OK);
  return buffer;
}

class CapturedGraph;

/// The host's own use of CUDA on one GPU: a context, a stream and calls of the driver.
class Host {
 public:
  Host(const Driver& driver, int device) : driver_(driver), context_(driver.new_context(device)) {
    const CurrentContext current(driver.library(), context_);
    REQUIRE(driver.library().call<int>("cuStreamCreate", &stream_, 1u) == 0);
  }
  ~Host() { driver_.library().call<int>("cuStreamDestroy_v2", stream_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void* context() const { return context_; }
  void* stream() const { return stream_; }

  void* allocate(size_t bytes) const {
    const CurrentContext current(driver_.library(), context_);
    DeviceAddress address = 0;
    REQUIRE(driver_.library().call<int>("cuMemAlloc_v2", &address, bytes) == 0);
    return reinterpret_cast<void*>(address);
  }
  void free(void* memory) const {
    const CurrentContext current(driver_.library(), context_);
    CHECK(driver_.library().call<int>("cuMemFree_v2", reinterpret_cast<DeviceAddress>(memory)) == 0);
  }
  /// Enqueues a copy to the GPU on a stream. It is executed when something waits for the stream.
  void enqueue_write(void* to, const Floats& from, void* stream) const {
    const CurrentContext current(driver_.library(), context_);
    REQUIRE(driver_.library().call<int>("cuMemcpyHtoDAsync_v2", reinterpret_cast<DeviceAddress>(to), static_cast<const void*>(from.data()),
                                        from.size() * sizeof(float), stream) == 0);
  }

  /// Waits for the work on the host's stream, then returns the array at the address; NaNs if the copy fails.
  Floats read(const void* from, size_t elements) const { return read(from, elements, stream_); }
  Floats read(const void* from, size_t elements, void* stream) const {
    const CurrentContext current(driver_.library(), context_);
    Floats content(elements, std::numeric_limits<float>::quiet_NaN());
    CHECK(driver_.library().call<int>("cuMemcpyDtoHAsync_v2", static_cast<void*>(content.data()), reinterpret_cast<DeviceAddress>(from),
                                      elements * sizeof(float), stream) == 0);
    return content;
  }
  Floats read(const harp_buffer* buffer) const {
    return read(reinterpret_cast<const void*>(harp_buffer_address(buffer)), harp_buffer_size(buffer) / sizeof(float));
  }

  /// Begins a capture: work that is put on the stream from now on becomes nodes of a graph instead. The mode "global" forbids all calls
  /// that are not work on a stream.
  void begin_capture() const {
    const CurrentContext current(driver_.library(), context_);
    REQUIRE(driver_.library().call<int>("cuStreamBeginCapture_v2", stream_, 0) == 0);
  }
  /// Ends the capture and returns the graph, ready to be launched. The capture must be valid.
  CapturedGraph end_capture() const;

  const Driver& driver() const { return driver_; }
  harp_cuda_options options() const {
    harp_cuda_options made = HARP_CUDA_OPTIONS_INIT;
    made.context = context_;
    return made;
  }

 private:
  const Driver& driver_;
  void* context_;
  void* stream_ = nullptr;
};

/// A graph that the host has captured.
class CapturedGraph {
 public:
  explicit CapturedGraph(const Host& host) : host_(host) {
    const CurrentContext current(driver(), host_.context());
    REQUIRE(driver().call<int>("cuStreamEndCapture", host_.stream(), &graph_) == 0);
    REQUIRE(driver().call<int>("cuGraphInstantiateWithFlags", &executable_, graph_, 0ull) == 0);
  }
  ~CapturedGraph() {
    CHECK(driver().call<int>("cuGraphExecDestroy", executable_) == 0);
    CHECK(driver().call<int>("cuGraphDestroy", graph_) == 0);
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Enqueues the graph on the host's stream.
  void launch() const {
    const CurrentContext current(driver(), host_.context());
    REQUIRE(driver().call<int>("cuGraphLaunch", executable_, host_.stream()) == 0);
  }

 private:
  const Library& driver() const { return host_.driver().library(); }

  const Host& host_;
  void* graph_ = nullptr;
  void* executable_ = nullptr;
};

inline CapturedGraph Host::end_capture() const { return CapturedGraph(*this); }

/// Returns a context of harp with these options, which uses the fake driver.
inline capi_test::Context make_context_with(const Driver& driver, const harp_cuda_options& options) {
  return make_context(driver, [&](harp_context_options& all) { all.cuda = &options; });
}

inline void check_error(const capi_test::ErrorSlot& err, harp_status code, const std::string& message) {
  CHECK(err.code() == code);
  CHECK_MESSAGE(err.message().find(message) != std::string::npos, err.message());
}

}  // namespace fake_cuda
