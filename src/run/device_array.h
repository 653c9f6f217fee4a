// An array that is passed to or from a program: contiguous, row-major, on one device, in memory that harp allocated or that the host owns.
#pragma once

#include <span>
#include <vector>

#include "run/allocator.h"
#include "run/binding.h"
#include "run/device.h"

namespace harp {

/// An array as a run sees it, regardless of who owns it. check_memory() has checked its memory.
struct RunArray {
  ArrayType type;
  void* data = nullptr;
  size_t bytes = 0;
  bool read_only = false;
  bool is_missing = false;  // an output that the caller did not pass
  const Device* device = &kHostDevice;
};

/// Error{kInvalidArgument} if the address is NULL and the array has elements, or if it is not aligned for the dtype.
void check_memory(DType dtype, size_t bytes, const void* data);

/// Called once when wrapped memory is no longer used.
using Deleter = void (*)(void* user, void* data);

class DeviceArray {
 public:
  /// Allocates memory of the device with unspecified contents. `host` is the allocator of the host's memory. Error{kOverflow,
  /// kOutOfMemory}.
  static DeviceArray allocate(const Device& device, const Allocator& host, DType dtype, std::span<const int64_t> dims);
  /// Wraps memory of the device, which must stay valid until the deleter (may be null) is called. If this throws, the deleter is not
  /// called.
  static DeviceArray wrap(DType dtype, std::span<const int64_t> dims, void* data, bool read_only, Deleter deleter, void* user,
                          const Device& device = kHostDevice);

  ~DeviceArray();
  DeviceArray(DeviceArray&& other) noexcept;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Replaces the deleter that was passed to wrap(); it is called with the data on destruction.
  void set_deleter(Deleter deleter, void* user) {
    deleter_ = deleter;
    user_ = user;
  }

  const Device& device() const { return *device_; }
  DType dtype() const { return dtype_; }
  std::span<const int64_t> dims() const { return dims_; }
  ArrayType type() const { return {dtype_, dims_}; }
  RunArray view() const { return {type(), data_, bytes_, read_only_, false, device_}; }
  /// The address of the first element on the device. The host may use it only if device().is_host().
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool read_only() const { return read_only_; }

 private:
  DeviceArray(const Device& device, DType dtype, std::span<const int64_t> dims);

  const Device* device_;
  DType dtype_;
  bool read_only_ = false;
  std::vector<int64_t> dims_;
  size_t bytes_;
  void* data_ = nullptr;
  Memory memory_;  // the memory that harp allocated; empty if the array is wrapped
  Deleter deleter_ = nullptr;
  void* user_ = nullptr;
};

/// Copies all elements between two arrays of the same type on any devices. `host` allocates a copy in the host's memory if both are on
/// devices that the host cannot address. Error{kOutOfMemory, kDevice}.
void copy_elements(const DeviceArray& to, const DeviceArray& from, const Allocator& host);

/// The elements of an array as host memory: the array's own memory if the host can address it, else a copy, which lives as long as this
/// object. Error{kOutOfMemory, kDevice}.
class HostElements {
 public:
  HostElements(const DeviceArray& array, const Allocator& host);
  const void* data() const { return data_; }

 private:
  Memory copy_;
  const void* data_;
};

/// Required alignment of an array's address.
constexpr size_t alignment_of(DType dtype) { return size_of(real_dtype(dtype)); }

/// Bytes of a contiguous array. Error{kShape} for a rank over 16, kRange for a negative size, kOverflow above 63 bits.
size_t byte_count(DType dtype, std::span<const int64_t> dims);

}  // namespace harp
