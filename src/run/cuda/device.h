// A GPU as a device: arrays in its memory, one stream on which all of harp's work for it runs in order, and what its driver says about it.
// The first use of the device opens it; a process that only lists devices holds no context of its own.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "run/cuda/driver.h"
#include "run/device.h"

namespace harp::cuda {

/// What the device can do. Known without opening it.
struct DeviceFacts {
  std::string model;       // "NVIDIA H200"
  int capability = 0;      // 90 is sm_90
  int processors = 0;      // multiprocessors
  int block_threads = 0;   // most threads of a block
  int grid_x = 0;          // most blocks along x
  int shared_bytes = 0;    // most bytes of shared memory in a block that asks for it
  bool has_pools = false;  // allocates and frees in the order of a stream
};

/// What the host application decides about GPUs: harp_cuda_options as C++ values.
struct DeviceOptions {
  ContextHandle context = nullptr;  // NULL: the primary context
  StreamHandle stream = nullptr;    // of `context`; NULL: a stream of harp's own
  // Memory of the device, in the order of the stream; NULL: a pool of harp's own.
  void* (*allocate)(void* user, size_t size, int32_t device, void* stream) = nullptr;
  void (*release)(void* user, void* memory, int32_t device, void* stream) = nullptr;
  void* user = nullptr;  // the first argument of both
  // Free memory that the pool keeps for the next run at a synchronisation, in bytes. The driver's default is 0, with which every run would
  // map its memory anew. Graphs of programs hold at most as much.
  uint64_t max_kept_bytes = uint64_t{1} << 30;
};

/// Thread-safe. A kernel that faults loses the device for the rest of the process: every later use fails with the first error, and memory
/// and modules are then forgotten without calls of the driver, which would fail as well.
class CudaDevice final : public Device {
 public:
  /// Reads the facts of device `index`, Error{kDevice} on failure. The driver must outlive the device. options.context, if there is one, is
  /// a context of this device.
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

  /// Makes the device's context current on this thread until the end of the scope, and the host's own context current again after it. Opens
  /// the device if it is not open. Error{kDevice} if that fails, if the device is lost, or in a child that was forked after CUDA began.
  class Current {
   public:
    explicit Current(const CudaDevice& device);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const CudaDevice& device_;
  };

  /// A Current for work on harp's stream and for waits. Error{kUnsupported} while the host captures that stream, if it is the host's: the
  /// work would become a part of the graph, and a wait would end the capture.
  class Working : public Current {
   public:
    explicit Working(const CudaDevice& device) : Current(device) {
      if (!device.owns_stream()) device.expect_no_capture(device.stream_);
    }
  };

  /// Calls a function of the driver, inside a Current. Throws Driver::error() on failure, and notes the loss of the device.
  template <class... Parameters, class... Arguments>
  void call(const Function<Parameters...>& function, Arguments... arguments) const {
    if (const Status status = function.address(arguments...); status != Status::kSuccess) throw failure(function.name, status);
  }
  /// The stream of all of harp's work on this device. The caller must hold a Current.
  StreamHandle stream() const { return stream_; }
  /// The number of the GPU whose memory has this address; nothing if it is not memory of a GPU. The caller must hold a Current.
  std::optional<DeviceIndex> gpu_of(const void* address) const;
  /// Waits for the end of all work on the stream. The caller must hold a Current.
  void synchronize() const { call(driver_.stream_synchronize, stream_); }
  /// The same before something is released: a transient failure gets a second attempt, because nobody can act on it. False if that fails,
  /// too: work may then still use what was to be released.
  bool drain() const noexcept;

  /// Memory of the device, in the order of the stream; inside a Current. If there is none left, it gives the memory that it keeps for reuse
  /// back to the driver and tries once more. `captured`: a stream that the host captures; the memory then is the graph's, and
  /// Error{kUnsupported} says that there is none for graphs. Error{kOutOfMemory, kDevice}.
  DeviceAddress allocate(size_t bytes, StreamHandle captured = nullptr) const;
  /// Frees memory in the order of the stream; inside a Current. `captured` is what it was allocated with.
  void free(DeviceAddress memory, StreamHandle captured = nullptr) const noexcept;

  /// Counts memory that graphs of programs hold between runs, and gives it back. False if graphs would hold more than max_kept_bytes.
  bool reserve_for_graphs(size_t bytes) const noexcept {
    if (graph_bytes_.fetch_add(bytes) + bytes <= options_.max_kept_bytes) return true;
    return_from_graphs(bytes);
    return false;
  }
  void return_from_graphs(size_t bytes) const noexcept { graph_bytes_.fetch_sub(bytes); }

  /// Runs `body`, which releases resources of the device, with its context current. Does nothing if the driver can no longer be called; the
  /// end of the process then releases them.
  template <class Body>
  void release_with(Body body) const noexcept {
    if (!is_open_ || is_lost() || !driver_.is_usable_here()) return;
    // No caller can handle a failure here, so a transient one gets a second attempt.
    if (driver_.context_push.address(context_) != Status::kSuccess && driver_.context_push.address(context_) != Status::kSuccess) return;
    body();
    pop();
  }

  /// True after the first use.
  bool is_open() const { return is_open_; }
  /// True after a kernel has faulted. Then only the process's end gives the device back.
  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  /// The error of a function of the driver that failed; notes the loss of the device.
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
  bool owns_stream() const { return options_.stream == nullptr; }
  void pop() const noexcept;
  Status try_allocate(DeviceAddress& memory, size_t bytes, StreamHandle stream) const;

  const Driver& driver_;
  const DeviceOptions options_;
  DeviceIndex index_;
  std::string name_, where_;  // "cuda:0", "on cuda:0"
  DeviceFacts facts_;

  mutable std::mutex mutex_;  // guards the opening and `loss_`
  mutable std::atomic<bool> is_open_ = false, is_lost_ = false;
  mutable std::atomic<uint64_t> graph_bytes_ = 0;
  mutable std::string loss_;  // the message of the error that lost the device
  mutable ContextHandle context_ = nullptr;
  mutable StreamHandle stream_ = nullptr;
  mutable PoolHandle pool_ = nullptr;  // NULL: memory comes from the host's functions, else from cuMemAlloc
};

/// The device for what any of them can do: one that is in use, so that no context is made on another, else the first that is not lost.
const CudaDevice& any_usable(std::span<const CudaDevice* const> devices);

/// Device addresses as the pointers of arrays.
inline DeviceAddress address_of(const void* data) { return reinterpret_cast<DeviceAddress>(data); }
inline void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

/// Memory of a device for the duration of a scope, in which a CudaDevice::Current must exist.
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
