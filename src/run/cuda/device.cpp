#include "run/cuda/device.h"

#include <algorithm>
#include <new>

namespace harp::cuda {

namespace {

// alignment of all addresses that the driver returns, in bytes; kernels rely on it for the arena, the memory that a run allocates
constexpr uintptr_t kMemoryAlignment = 256;
/// Error message; the device's name is appended.
constexpr std::string_view kCaptured =
    "the host application captures its stream as a CUDA graph; until the capture ends, only runs on that stream (harp_run_options.stream) "
    "are possible on ";

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, DeviceIndex index, const DeviceOptions& options)
    : driver_(driver), options_(options), index_(index), name_(cat("cuda:", index)), where_(cat("on ", name_)) {
  DeviceIndex handle = 0;
  driver.call(where_, driver.device_get, &handle, index);
  char model[256] = {};
  driver.call(where_, driver.device_name, model, static_cast<int>(sizeof model - 1), handle);
  facts_.model = model;
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    driver.call(where_, driver.device_attribute, &value, which, handle);
    return value;
  };
  facts_.capability = 10 * attribute(DeviceAttribute::kCapabilityMajor) + attribute(DeviceAttribute::kCapabilityMinor);
  facts_.processors = attribute(DeviceAttribute::kProcessors);
  facts_.block_threads = attribute(DeviceAttribute::kMaxThreadsPerBlock);
  facts_.grid_x = attribute(DeviceAttribute::kMaxGridX);
  facts_.shared_bytes = attribute(DeviceAttribute::kMaxSharedBytesPerBlock);
  facts_.has_pools = attribute(DeviceAttribute::kMemoryPoolsSupported) != 0;
  index_ = handle;
}

const CudaDevice& any_usable(std::span<const CudaDevice* const> devices) {
  const auto find = [&](const auto& fits) {
    const auto found = std::ranges::find_if(devices, fits);
    return found != devices.end() ? *found : nullptr;
  };
  const CudaDevice* found = find([](const CudaDevice* device) { return device->is_open() && !device->is_lost(); });
  if (found == nullptr) found = find([](const CudaDevice* device) { return !device->is_lost(); });
  return found != nullptr ? *found : *devices.front();
}

CudaDevice::~CudaDevice() {
  release_with([this] {
    free_postponed();
    drain();
    if (pool_ != nullptr) driver_.pool_destroy.address(pool_);
    if (owns_stream()) driver_.stream_destroy.address(stream_);
  });
  if (is_open_ && driver_.is_usable_here()) close_context();
}

void CudaDevice::close_context() const noexcept {
  if (options_.context == nullptr) driver_.primary_context_release.address(index_);
}

Error CudaDevice::failure(const char* function, Status status) const {
  Error error = driver_.error(where_, function, status);
  const std::string_view loss = loss_of_device(status);
  if (loss.empty()) return error;
  const std::lock_guard guard(mutex_);
  if (!is_lost()) {
    loss_ = cat(error.message, ". ", loss);
    is_lost_.store(true, std::memory_order_release);
  }
  error.message = loss_;
  return error;
}

/// Opens the device. Without a context of the host application, this opens the primary context of the device. The application's own CUDA
/// code uses that context too, so its arrays and harp's can be used together.
void CudaDevice::open() const {
  const std::lock_guard guard(mutex_);
  if (is_open_) return;
  context_ = options_.context;
  if (context_ == nullptr) driver_.call(where_, driver_.primary_context_retain, &context_, index_);
  bool is_current = false;
  try {
    driver_.call(where_, driver_.context_push, context_);
    is_current = true;
    open_stream();
    if (facts_.has_pools && options_.allocate == nullptr) open_pool();
    is_open_ = true;
    pop();
  } catch (...) {
    if (is_current) {
      if (stream_ != nullptr && owns_stream()) driver_.stream_destroy.address(stream_);
      pop();
    }
    stream_ = nullptr;
    close_context();
    throw;
  }
}

void CudaDevice::open_stream() const {
  if (owns_stream()) return driver_.call(where_, driver_.stream_create, &stream_, kStreamNonBlocking);
  check_stream(options_.stream);
  stream_ = options_.stream;
}

/// Checks that a stream of the host application belongs to the context that harp uses. This context must be current (class Current).
void CudaDevice::check_stream(StreamHandle stream) const {
  ContextHandle context = nullptr;
  const Status status = driver_.stream_context.address(stream, &context);
  const bool is_unknown = status == Status::kInvalidHandle || status == Status::kInvalidValue || status == Status::kInvalidContext;
  HARP_CHECK(!is_unknown, Code::kInvalidArgument, "the host application's stream cannot be used ", where_, ": ",
             driver_.error(where_, driver_.stream_context.name, status).message);
  if (status != Status::kSuccess) throw driver_.error(where_, driver_.stream_context.name, status);
  HARP_CHECK(context == context_, Code::kInvalidArgument,
             "the host application's stream belongs to another context than the one that harp uses ", where_,
             " (harp_cuda_options.context)");
}

/// Creates harp's own memory pool. The host application may use other pools of the device; the limit that is set here does not affect them.
void CudaDevice::open_pool() const {
  PoolProperties properties;
  properties.location_id = index_;
  driver_.call(where_, driver_.pool_create, &pool_, &properties);
  uint64_t kept = options_.max_kept_bytes;
  const Status status = driver_.pool_set_attribute.address(pool_, kPoolReleaseThreshold, &kept);
  if (status == Status::kSuccess) return;
  driver_.pool_destroy.address(pool_);
  pool_ = nullptr;
  throw driver_.error(where_, driver_.pool_set_attribute.name, status);
}

void CudaDevice::pop() const noexcept {
  ContextHandle popped = nullptr;
  driver_.context_pop.address(&popped);
}

CudaDevice::Current::Current(const CudaDevice& device) : device_(device) {
  HARP_CHECK(device.driver_.is_usable_here(), Code::kDevice, "this process was forked from one that uses CUDA, so it cannot use ",
             device.name_, "; start CUDA after the fork");
  if (!device.is_open_) device.open();
  if (device.is_lost()) {
    const std::lock_guard guard(device.mutex_);
    throw Error(Code::kDevice, device.loss_);
  }
  device.call(device.driver_.context_push, device.context_);
}

CudaDevice::Current::~Current() { device_.pop(); }

Allocator CudaDevice::allocator(const Allocator&) const {
  return {[](void* user, size_t size, size_t) {
            const auto& device = *static_cast<const CudaDevice*>(user);
            const Working working(device);
            return pointer_to(device.allocate(size));  // allocate() always aligns to 256 bytes, so the requested alignment is ignored
          },
          [](void* user, void* memory) {
            const auto& device = *static_cast<const CudaDevice*>(user);
            device.release_with([&] { device.free(address_of(memory)); });
          },
          const_cast<CudaDevice*>(this)};
}

Status CudaDevice::try_allocate(DeviceAddress& memory, size_t bytes, StreamHandle stream) const {
  if (options_.allocate != nullptr) {
    memory = address_of(options_.allocate(options_.user, bytes, index_, stream));
    return memory != 0 ? Status::kSuccess : Status::kOutOfMemory;
  }
  if (pool_ != nullptr) return driver_.mem_alloc_from_pool.address(&memory, bytes, pool_, stream);
  return driver_.mem_alloc.address(&memory, bytes);
}

DeviceAddress CudaDevice::allocate(size_t bytes, StreamHandle captured) const {
  HARP_CHECK(captured == nullptr || options_.allocate != nullptr || pool_ != nullptr, Code::kUnsupported, name_,
             " has no memory pools, so a run that needs memory cannot be captured as a CUDA graph");
  const StreamHandle stream = captured != nullptr ? captured : stream_;
  DeviceAddress memory = 0;
  Status status = try_allocate(memory, bytes, stream);
  if (status == Status::kOutOfMemory && captured == nullptr) {
    synchronize();  // memory that was freed in stream order becomes free only when the stream reaches the call that frees it
    if (pool_ != nullptr) call(driver_.pool_trim_to, pool_, size_t{0});
    status = try_allocate(memory, bytes, stream);
  }
  if (status == Status::kSuccess && memory % kMemoryAlignment == 0) return memory;
  if (status == Status::kSuccess) {  // misaligned: harp_cuda_options.alloc returned it, because the driver's addresses are aligned
    free(memory, captured);
    fail(Code::kInvalidArgument, "harp_cuda_options.alloc returned memory that is not aligned to ", kMemoryAlignment, " bytes");
  }
  if (options_.allocate != nullptr)
    fail(Code::kOutOfMemory, "out of memory ", where_, ": ", bytes, " bytes: harp_cuda_options.alloc returned NULL");
  Error error = failure(pool_ != nullptr ? driver_.mem_alloc_from_pool.name : driver_.mem_alloc.name, status);
  if (error.code == Code::kOutOfMemory) error.message = cat("out of memory ", where_, ": ", bytes, " bytes: ", error.message);
  throw error;
}

void CudaDevice::free(DeviceAddress memory, StreamHandle captured) const noexcept {
  if (is_lost()) return;
  if (captured == nullptr && is_stream_captured()) {
    const std::lock_guard guard(postponed_mutex_);
    try {
      postponed_.push_back(memory);
    } catch (const std::bad_alloc&) {  // the memory stays allocated until the context ends
    }
    return;
  }
  const StreamHandle stream = captured != nullptr ? captured : stream_;
  if (options_.release != nullptr)
    options_.release(options_.user, pointer_to(memory), index_, stream);
  else if (pool_ != nullptr)
    driver_.mem_free_async.address(memory, stream);
  else if (drain())  // the wait is needed because cuMemFree does not guarantee to wait for work that uses the memory
    driver_.mem_free.address(memory);
}

void CudaDevice::free_postponed() const noexcept {
  std::vector<DeviceAddress> memory;
  {
    const std::lock_guard guard(postponed_mutex_);
    memory.swap(postponed_);
  }
  for (const DeviceAddress address : memory) free(address);
}

bool CudaDevice::drain() const noexcept {
  if (is_stream_captured()) return false;
  const auto wait = [this] { return driver_.stream_synchronize.address(stream_) == Status::kSuccess; };
  return wait() || wait();
}

void CudaDevice::settle() const {
  const Working working(*this);
  synchronize();
}

std::optional<DeviceIndex> CudaDevice::gpu_of(const void* address) const {
  unsigned type = 0;
  const DeviceAddress at = address_of(address);
  // If the driver does not know the address, it belongs to host memory.
  if (driver_.pointer_attribute.address(&type, PointerAttribute::kMemoryType, at) != Status::kSuccess || type != kDeviceMemory) return {};
  DeviceIndex gpu = 0;
  call(driver_.pointer_attribute, &gpu, PointerAttribute::kDeviceIndex, at);
  return gpu;
}

void CudaDevice::check_address(const void* data) const {
  const Current current(*this);
  const std::optional<DeviceIndex> gpu = gpu_of(data);
  HARP_CHECK(gpu == index_, Code::kDevice, "the array is not on ", name_, ", but ",
             gpu ? cat("on cuda:", *gpu) : std::string("in CPU memory"));
}

/// Orders work: everything that is added to stream `second` from now on waits for all work that is now on stream `first`. The event can be
/// destroyed at once, because the driver keeps what it needs of the event.
void CudaDevice::order(StreamHandle first, StreamHandle second) const {
  if (first == second) return;
  EventHandle event = nullptr;
  call(driver_.event_create, &event, kEventDisableTiming);
  Status status = driver_.event_record.address(event, first);
  const char* function = driver_.event_record.name;
  if (status == Status::kSuccess) {
    status = driver_.stream_wait_event.address(second, event, 0);
    function = driver_.stream_wait_event.name;
  }
  driver_.event_destroy.address(event);
  if (status != Status::kSuccess) throw failure(function, status);
}

/// Tests whether the host application captures the stream as a graph. The default stream cannot be captured; asking the driver about it
/// while another stream is captured would be an error.
bool CudaDevice::records(StreamHandle stream) const {
  if (reinterpret_cast<uintptr_t>(stream) <= kStreamLegacy) return false;
  int status = 0;  // a CUstreamCaptureStatus; 0 means that the stream is not captured
  call(driver_.stream_is_capturing, stream, &status);
  return status != 0;
}

/// Tests whether the host application captures the stream that it has given to harp. A stream of harp's own is never captured. If the
/// driver cannot tell, the answer is no.
bool CudaDevice::is_stream_captured() const noexcept {
  if (owns_stream() || reinterpret_cast<uintptr_t>(stream_) <= kStreamLegacy) return false;
  int status = 0;
  return driver_.stream_is_capturing.address(stream_, &status) == Status::kSuccess && status != 0;
}

void CudaDevice::expect_no_capture(StreamHandle stream) const { HARP_CHECK(!records(stream), Code::kUnsupported, kCaptured, name_); }

bool CudaDevice::is_capturing(void* given) const {
  const Current current(*this);
  const auto theirs = static_cast<StreamHandle>(given);
  check_stream(theirs);
  return records(theirs);
}

void CudaDevice::wait_for_stream(void* given) const {
  const Working working(*this);
  const auto theirs = static_cast<StreamHandle>(given);
  check_stream(theirs);
  expect_no_capture(theirs);
  order(theirs, stream_);
}

void CudaDevice::signal_stream(void* given) const {
  const auto theirs = static_cast<StreamHandle>(given);
  bool is_captured = false;
  try {
    const Current current(*this);
    is_captured = !owns_stream() && records(stream_);
    if (!is_captured) {
      check_stream(theirs);
      is_captured = records(theirs);
    }
    HARP_CHECK(!is_captured, Code::kUnsupported, kCaptured, name_);
    order(stream_, theirs);
  } catch (...) {
    // The attempt to make the host application's stream wait has failed. Therefore this function itself waits until the work is complete,
    // before the host application continues. During a capture it must not wait, because a wait would end the capture.
    if (!is_captured) release_with([this] { drain(); });
    throw;
  }
}

void CudaDevice::read(void* to_host, const void* from, size_t bytes) const {
  const Working working(*this);
  call(driver_.copy_to_host, to_host, address_of(from), bytes, stream_);
  synchronize();
}

void CudaDevice::write(void* to, const void* from_host, size_t bytes) const {
  const Working working(*this);
  call(driver_.copy_to_device, address_of(to), from_host, bytes, stream_);
  synchronize();
}

/// Copies bytes within the device. For overlapping ranges the driver's copy has no defined order, so these are copied through temporary
/// memory.
void CudaDevice::copy(void* to, const void* from, size_t bytes) const {
  const Working working(*this);
  const DeviceAddress target = address_of(to), source = address_of(from);
  const bool overlap = target < source + bytes && source < target + bytes;
  const DeviceMemory between(*this, overlap ? bytes : 0);
  if (overlap) call(driver_.copy_on_device, between.address(), source, bytes, stream_);
  call(driver_.copy_on_device, target, overlap ? between.address() : source, bytes, stream_);
  synchronize();
}

}  // namespace harp::cuda
