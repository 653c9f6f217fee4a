// Describes an array that is passed to or from a program. It is contiguous and row-major, and all of it is on one device. harp or the host
// application owns its memory.
#pragma once

#include <span>
#include <vector>

#include "run/allocator.h"
#include "run/binding.h"
#include "run/device.h"

namespace harp {

/// An array as a run uses it, whoever owns it. Its memory has already been checked by check_memory().
struct RunArray {
  ArrayType type;
  void* data = nullptr;
  size_t bytes = 0;
  bool read_only = false;
  bool is_missing = false;  // true for an output that the caller did not pass
  const Device* device = &kHostDevice;
};

/// Tests whether the arrays overlap. True also for an empty array inside another one.
inline bool may_overlap(const RunArray& a, const RunArray& b) {
  const auto first = reinterpret_cast<uintptr_t>(a.data), second = reinterpret_cast<uintptr_t>(b.data);
  return first < second + b.bytes && second < first + a.bytes;
}

/// Throws Error{kInvalidArgument} if the address is NULL although the array has elements, or if it is not aligned for the dtype.
void check_memory(DType dtype, size_t bytes, const void* data);

/// A function of the host application that is called once, when the memory passed to wrap() is no longer used.
using Deleter = void (*)(void* user, void* data);

class DeviceArray {
 public:
  /// Returns a new array with unspecified contents. `host` is the allocator of host memory. Throws Error{kOverflow} or Error{kOutOfMemory}.
  static DeviceArray allocate(const Device& device, const Allocator& host, DType dtype, std::span<const int64_t> dims);
  /// Returns an array in existing memory of the device. The memory must stay valid until the deleter (may be null) is called. If wrap()
  /// throws, the deleter is not called.
  static DeviceArray wrap(DType dtype, std::span<const int64_t> dims, void* data, bool read_only, Deleter deleter, void* user,
                          const Device& device = kHostDevice);

  ~DeviceArray();
  DeviceArray(DeviceArray&& other) noexcept;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Replaces the deleter that was passed to wrap(). The destructor calls it with the address of the data.
  void set_deleter(Deleter deleter, void* user) {
    deleter_ = deleter;
    user_ = user;
  }

  const Device& device() const { return *device_; }
  DType dtype() const { return dtype_; }
  std::span<const int64_t> dims() const { return dims_; }
  ArrayType type() const { return {dtype_, dims_}; }
  RunArray view() const { return {type(), data_, bytes_, read_only_, false, device_}; }
  /// Returns the address of the first element. Code on the CPU may access the element only if device().is_host().
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
  Memory memory_;  // memory that harp allocated; empty if wrap() made the array
  Deleter deleter_ = nullptr;
  void* user_ = nullptr;
};

/// Copies all elements between two arrays of the same type, on any devices. If code on the CPU can address neither of them, the elements
/// pass through memory from the allocator `host`. Throws Error{kOutOfMemory} or Error{kDevice}.
void copy_elements(const DeviceArray& to, const DeviceArray& from, const Allocator& host);

/// Gives code on the CPU access to the elements of an array. If the array is in host memory, data() is the array's own memory; otherwise it
/// is a copy, which exists as long as this object. Throws Error{kOutOfMemory} or Error{kDevice}.
class HostElements {
 public:
  HostElements(const DeviceArray& array, const Allocator& host);
  const void* data() const { return data_; }

 private:
  Memory copy_;
  const void* data_;
};

/// Returns the alignment in bytes that the address of an array must have.
constexpr size_t alignment_of(DType dtype) { return size_of(real_dtype(dtype)); }

/// Returns the number of bytes of a contiguous array. Throws Error{kShape} for a rank over 16, kRange for a negative size, and kOverflow if
/// the number does not fit 63 bits.
size_t byte_count(DType dtype, std::span<const int64_t> dims);

}  // namespace harp
