// Makes a GPU a device of harp. All of harp's work on it runs in order on one stream. The device is opened when it is first used, so a
// process that only lists devices creates no CUDA context.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/cuda/driver.h"
#include "run/device.h"

namespace harp::cuda {

/// The properties of a GPU. They are known before the device is opened.
struct DeviceFacts {
  std::string model;       // "NVIDIA H200"
  int capability = 0;      // 90 is sm_90
  int processors = 0;      // multiprocessors
  int block_threads = 0;   // maximum number of threads of a block
  int grid_x = 0;          // maximum number of blocks along x
  int shared_bytes = 0;    // maximum shared memory of a block in bytes, which a kernel can use only if it requests it
  bool has_pools = false;  // whether memory can be allocated and freed in stream order
};

/// The host application's choices for GPUs: harp_cuda_options as C++ values.
struct DeviceOptions {
  ContextHandle context = nullptr;  // NULL: the primary context of the device
  StreamHandle stream = nullptr;    // a stream of `context`; NULL: harp creates a stream
  // Functions that allocate and free memory of the device in stream order. NULL: harp uses a memory pool of its own.
  void* (*allocate)(void* user, size_t size, int32_t device, void* stream) = nullptr;
  void (*release)(void* user, void* memory, int32_t device, void* stream) = nullptr;
  void* user = nullptr;  // first argument of these two functions
  // Bytes of free memory that the pool keeps when the stream is synchronised, for later runs. With the driver's default of 0, the memory of
  // every run would be mapped again. The arenas of harp's CUDA graphs (replay.h) take at most the same number of bytes.
  uint64_t max_kept_bytes = uint64_t{1} << 30;
};

/// A GPU. Thread-safe. After a fault in a kernel, and after other failures that CUDA cannot recover from (loss_of_device()), the device is
/// lost for the lifetime of this object: every later use throws the first error.
/// Memory and modules on a lost device are not released, because the driver's functions would fail too.
class CudaDevice final : public Device {
 public:
  /// Reads the properties of the GPU with this index. Throws Error{kDevice} on failure. The driver must outlive this object. If
  /// options.context is set, it must be a context of this GPU.
  CudaDevice(const Driver& driver, DeviceIndex index, const DeviceOptions& options = {});
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string_view name() const override { return name_; }
  bool is_host() const override { return false; }
  Allocator allocator(const Allocator& host) const override;
  void read(void* to_host, const void* from, size_t bytes) const override;
  void write(void* to, const void* from_host, size_t bytes) const override;
  void copy(void* to, const void* from, size_t bytes) const override;
  DlpackPlace dlpack() const override { return {2, index_}; }  // kDLCUDA
  void settle() const override;
  void check_address(const void* data) const override;
  void wait_for_stream(void* stream) const override;
  void signal_stream(void* stream) const override;
  bool is_capturing(void* stream) const override;

  const DeviceFacts& facts() const { return facts_; }
  const Driver& driver() const { return driver_; }
  DeviceIndex index() const { return index_; }

  /// Makes the device's context current on this thread until the end of the scope, and then the previous context again. Opens the device if
  /// it is not open. Throws Error{kDevice} if that fails, if the device is lost, or in a child process that was forked after CUDA was
  /// started.
  class Current {
   public:
    explicit Current(const CudaDevice& device);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const CudaDevice& device_;
  };

  /// Makes the device's context current, like the class Current, for a scope in which harp adds work to its stream or waits for it. If this
  /// stream belongs to the host application, which is capturing it as a graph, the constructor throws Error{kUnsupported}: the work would
  /// become part of the captured graph, and a wait would end the capture.
  class Working : public Current {
   public:
    explicit Working(const CudaDevice& device) : Current(device) {
      if (device.owns_stream()) return;
      device.expect_no_capture(device.stream_);
      device.free_postponed();
    }
  };

  /// Calls a function of the driver; the context must be current. On failure throws failure(), which may mark the device as lost.
  template <class... Parameters, class... Arguments>
  void call(const Function<Parameters...>& function, Arguments... arguments) const {
    if (const Status status = function.address(arguments...); status != Status::kSuccess) throw failure(function.name, status);
  }
  /// Returns the stream of all of harp's work on this device. The device's context must be current (class Current), because the device is
  /// opened when its context is made current.
  StreamHandle stream() const { return stream_; }
  /// Returns the index of the GPU whose memory contains the address, or nullopt if it is not memory of a GPU. The context must be current.
  std::optional<DeviceIndex> gpu_of(const void* address) const;
  /// Waits until all work on the stream is complete. The context must be current.
  void synchronize() const { call(driver_.stream_synchronize, stream_); }
  /// Waits like synchronize(), before a resource is released. If the wait fails, it is repeated once, because no caller can handle the
  /// failure. Returns false if both attempts fail: work may then still use the resource. Returns false without a wait, which would end the
  /// capture, while the host application captures the stream as a CUDA graph.
  bool drain() const noexcept;

  /// Allocates memory of the device in stream order; the context must be current. If none is left, returns the free memory of the pool to
  /// the driver and tries again. `captured` is null or a stream that the host application captures; then the memory belongs to the captured
  /// graph, and Error{kUnsupported} is thrown if memory cannot be allocated in a graph. Throws Error{kOutOfMemory} or Error{kDevice} on
  /// failure.
  DeviceAddress allocate(size_t bytes, StreamHandle captured = nullptr) const;
  /// Frees memory in stream order; the context must be current. `captured` must be the same as in allocate(). If it is null and the host
  /// application captures the stream as a CUDA graph, the memory is freed after the capture: a free on the stream would become a part of
  /// the graph, which may free only memory that it allocates.
  void free(DeviceAddress memory, StreamHandle captured = nullptr) const noexcept;

  /// Counts the bytes of the arenas that harp's CUDA graphs (replay.h) occupy between runs. Returns false, and counts nothing, if the total
  /// would exceed max_kept_bytes. return_from_graphs() subtracts the bytes again.
  bool reserve_for_graphs(size_t bytes) const noexcept {
    if (graph_bytes_.fetch_add(bytes) + bytes <= options_.max_kept_bytes) return true;
    return_from_graphs(bytes);
    return false;
  }
  void return_from_graphs(size_t bytes) const noexcept { graph_bytes_.fetch_sub(bytes); }

  /// Calls `body`, which releases resources of the device, while the device's context is current. Does nothing if the driver cannot be
  /// called any more; then the resources are released when the process ends.
  template <class Body>
  void release_with(Body body) const noexcept {
    if (!is_open_ || is_lost() || !driver_.is_usable_here()) return;
    // If the call fails, it is repeated once, because no caller can handle the failure.
    if (driver_.context_push.address(context_) != Status::kSuccess && driver_.context_push.address(context_) != Status::kSuccess) return;
    body();
    pop();
  }

  /// Tests whether the device is open. The first use of a device opens it.
  bool is_open() const { return is_open_; }
  /// Tests whether the device is lost.
  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  /// Returns the error for a failed call of a driver function. Marks the device as lost if the status says so.
  Error failure(const char* function, Status status) const;

 private:
  void open() const;
  void open_stream() const;
  void open_pool() const;
  void close_context() const noexcept;
  void check_stream(StreamHandle stream) const;
  void order(StreamHandle first, StreamHandle second) const;
  bool records(StreamHandle stream) const;
  void expect_no_capture(StreamHandle stream) const;
  bool is_stream_captured() const noexcept;
  void free_postponed() const noexcept;
  bool owns_stream() const { return options_.stream == nullptr; }
  void pop() const noexcept;
  Status try_allocate(DeviceAddress& memory, size_t bytes, StreamHandle stream) const;

  const Driver& driver_;
  const DeviceOptions options_;
  DeviceIndex index_;
  std::string name_, where_;  // for example "cuda:0" and "on cuda:0"
  DeviceFacts facts_;

  mutable std::mutex mutex_;  // guards open() and `loss_`
  mutable std::atomic<bool> is_open_ = false, is_lost_ = false;
  mutable std::atomic<uint64_t> graph_bytes_ = 0;
  mutable std::string loss_;  // message of the error with which the device was lost
  mutable ContextHandle context_ = nullptr;
  mutable StreamHandle stream_ = nullptr;
  // NULL: memory comes from the functions of the host application if it gives any, else from cuMemAlloc
  mutable PoolHandle pool_ = nullptr;

  mutable std::mutex postponed_mutex_;
  mutable std::vector<DeviceAddress> postponed_;  // guarded by postponed_mutex_: memory to free when the stream is not captured any more
};

/// Returns a device for an operation that any of the devices can do. Prefers a device that is open, so that no further context is created;
/// otherwise returns the first one that is not lost.
const CudaDevice& any_usable(std::span<const CudaDevice* const> devices);

/// Convert between the addresses of a device and the pointers in arrays.
inline DeviceAddress address_of(const void* data) { return reinterpret_cast<DeviceAddress>(data); }
inline void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

/// Memory of a device that is freed at the end of the scope. The device's context must be current during that scope.
class DeviceMemory {
 public:
  DeviceMemory(const CudaDevice& device, size_t bytes, StreamHandle captured = nullptr)
      : device_(device), captured_(captured), address_(bytes == 0 ? 0 : device.allocate(bytes, captured)) {}
  ~DeviceMemory() {
    if (address_ != 0) device_.free(address_, captured_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  DeviceAddress address() const { return address_; }

 private:
  const CudaDevice& device_;
  StreamHandle captured_;
  DeviceAddress address_;
};

}  // namespace harp::cuda
