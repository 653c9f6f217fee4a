#include "run/cuda/device.h"

namespace harp::cuda {

namespace {

/// Free memory that the pool keeps for the next run at a synchronisation, in bytes. The driver's default is 0, with which every run would
/// map its memory anew.
constexpr uint64_t kKeptBytes = uint64_t{1} << 30;

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, DeviceIndex index)
    : driver_(driver), index_(index), name_(cat("cuda:", index)), where_(cat("on ", name_)) {
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

CudaDevice::~CudaDevice() {
  release_with([this] {
    driver_.stream_synchronize.address(stream_);
    if (pool_ != nullptr) driver_.pool_destroy.address(pool_);
    driver_.stream_destroy.address(stream_);
  });
  if (is_open_ && driver_.is_usable_here()) driver_.primary_context_release.address(index_);
}

Error CudaDevice::failure(const char* function, Status status) const {
  Error error = driver_.error(where_, function, status);
  if (!loses_device(status)) return error;
  const std::lock_guard guard(mutex_);
  if (!is_lost()) {
    loss_ = cat(error.message, ". A kernel faulted: this process cannot use the device any more");
    is_lost_.store(true, std::memory_order_release);
  }
  error.message = loss_;
  return error;
}

/// Opens the primary context, which the host's own CUDA code uses as well, so that its arrays and harp's can be used together.
void CudaDevice::open() const {
  const std::lock_guard guard(mutex_);
  if (is_open_) return;
  driver_.call(where_, driver_.primary_context_retain, &context_, index_);
  bool is_current = false;
  try {
    driver_.call(where_, driver_.context_push, context_);
    is_current = true;
    driver_.call(where_, driver_.stream_create, &stream_, kStreamNonBlocking);
    if (facts_.has_pools) open_pool();
    is_open_ = true;
    pop();
  } catch (...) {
    if (is_current) {
      if (stream_ != nullptr) driver_.stream_destroy.address(stream_);
      pop();
    }
    stream_ = nullptr;
    driver_.primary_context_release.address(index_);
    throw;
  }
}

/// The pool is harp's own: its bounds do not change what the host's pools do.
void CudaDevice::open_pool() const {
  PoolProperties properties;
  properties.location_id = index_;
  driver_.call(where_, driver_.pool_create, &pool_, &properties);
  uint64_t kept = kKeptBytes;
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
            const Current current(device);
            return pointer_to(device.allocate(size));  // aligned to 256 bytes by the driver
          },
          [](void* user, void* memory) {
            const auto& device = *static_cast<const CudaDevice*>(user);
            device.release_with([&] { device.free(address_of(memory)); });
          },
          const_cast<CudaDevice*>(this)};
}

Status CudaDevice::try_allocate(DeviceAddress& memory, size_t bytes) const {
  if (pool_ != nullptr) return driver_.mem_alloc_from_pool.address(&memory, bytes, pool_, stream_);
  return driver_.mem_alloc.address(&memory, bytes);
}

DeviceAddress CudaDevice::allocate(size_t bytes) const {
  DeviceAddress memory = 0;
  Status status = try_allocate(memory, bytes);
  if (status == Status::kOutOfMemory) {
    synchronize();  // memory that is freed in the order of the stream is free only then
    if (pool_ != nullptr) call(driver_.pool_trim_to, pool_, size_t{0});
    status = try_allocate(memory, bytes);
  }
  if (status == Status::kSuccess) return memory;
  Error error = failure(pool_ != nullptr ? driver_.mem_alloc_from_pool.name : driver_.mem_alloc.name, status);
  if (error.code == Code::kOutOfMemory) error.message = cat("out of memory ", where_, ": ", bytes, " bytes: ", error.message);
  throw error;
}

void CudaDevice::free(DeviceAddress memory) const noexcept {
  if (is_lost()) return;
  if (pool_ != nullptr)
    driver_.mem_free_async.address(memory, stream_);
  else
    driver_.mem_free.address(memory);
}

void CudaDevice::settle() const {
  const Current current(*this);
  synchronize();
}

void CudaDevice::read(void* to_host, const void* from, size_t bytes) const {
  const Current current(*this);
  call(driver_.copy_to_host, to_host, address_of(from), bytes, stream_);
  synchronize();
}

void CudaDevice::write(void* to, const void* from_host, size_t bytes) const {
  const Current current(*this);
  call(driver_.copy_to_device, address_of(to), from_host, bytes, stream_);
  synchronize();
}

/// The driver copies overlapping ranges in any order, so those go through memory of their own.
void CudaDevice::copy(void* to, const void* from, size_t bytes) const {
  const Current current(*this);
  const DeviceAddress target = address_of(to), source = address_of(from);
  const bool overlap = target < source + bytes && source < target + bytes;
  const DeviceMemory between(*this, overlap ? bytes : 0);
  if (overlap) call(driver_.copy_on_device, between.address(), source, bytes, stream_);
  call(driver_.copy_on_device, target, overlap ? between.address() : source, bytes, stream_);
  synchronize();
}

}  // namespace harp::cuda
