// An array that is passed to or from a program: contiguous, row-major, in memory that harp allocated or that the host owns.
#pragma once

#include <span>
#include <vector>

#include "run/allocator.h"
#include "run/binding.h"

namespace harp {

/// An array as a run sees it, regardless of who owns it. check_memory() has checked its memory.
struct RunArray {
  ArrayType type;
  void* data = nullptr;
  size_t bytes = 0;
  bool read_only = false;
  bool is_missing = false;  // an output that the caller did not pass
};

/// Error{kInvalidArgument} if the address is NULL and the array has elements, or if it is not aligned for the dtype.
void check_memory(DType dtype, size_t bytes, const void* data);

/// Called once when wrapped memory is no longer used.
using Deleter = void (*)(void* user, void* data);

class HostArray {
 public:
  /// Allocates memory with unspecified contents. Error{kOverflow, kOutOfMemory}.
  static HostArray allocate(const Allocator& allocator, DType dtype, std::span<const int64_t> dims);
  /// Wraps the host's memory, which must stay valid until the deleter (may be null) is called. If this throws, the deleter is not called.
  static HostArray wrap(DType dtype, std::span<const int64_t> dims, void* data, bool read_only, Deleter deleter, void* user);

  ~HostArray();
  HostArray(HostArray&& other) noexcept;
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  /// Replaces the deleter that was passed to wrap(); it is called with the data on destruction.
  void set_deleter(Deleter deleter, void* user) {
    deleter_ = deleter;
    user_ = user;
  }

  DType dtype() const { return dtype_; }
  std::span<const int64_t> dims() const { return dims_; }
  ArrayType type() const { return {dtype_, dims_}; }
  RunArray view() const { return {type(), data_, bytes_, read_only_}; }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool read_only() const { return read_only_; }

 private:
  HostArray(DType dtype, std::span<const int64_t> dims);

  DType dtype_;
  bool read_only_ = false;
  std::vector<int64_t> dims_;
  size_t bytes_;
  void* data_ = nullptr;
  Memory memory_;  // empty if wrapped
  Deleter deleter_ = nullptr;
  void* user_ = nullptr;
};

/// Required alignment of an array's address.
constexpr size_t alignment_of(DType dtype) { return size_of(real_dtype(dtype)); }

/// Bytes of a contiguous array. Error{kShape} for a rank over 16, kRange for a negative size, kOverflow above 63 bits.
size_t byte_count(DType dtype, std::span<const int64_t> dims);

}  // namespace harp
