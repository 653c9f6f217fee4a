#include "run/host_array.h"

#include <utility>

#include "base/error.h"

namespace harp {

size_t byte_count(DType dtype, std::span<const int64_t> dims) {
  HARP_CHECK(dims.size() <= kMaxRank, Code::kShape, "an array has at most ", kMaxRank, " axes, got ", dims.size());
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  bool fits = true, empty = false;
  for (const int64_t size : dims) {
    HARP_CHECK(size >= 0, Code::kRange, "a size must not be negative: ", to_string(ArrayType{dtype, dims}));
    empty = empty || size == 0;
    fits = fits && !__builtin_mul_overflow(bytes, size, &bytes);
  }
  if (empty) return 0;
  HARP_CHECK(fits, Code::kOverflow, "the byte count of ", to_string(ArrayType{dtype, dims}), " does not fit 63 bits");
  return static_cast<size_t>(bytes);
}

void check_memory(DType dtype, size_t bytes, const void* data) {
  HARP_CHECK(data != nullptr || bytes == 0, Code::kInvalidArgument, "array data is NULL, but the array has ", bytes, " bytes");
  HARP_CHECK(reinterpret_cast<uintptr_t>(data) % alignment_of(dtype) == 0, Code::kInvalidArgument, "array data of ", name(dtype),
             " must be aligned to ", alignment_of(dtype), " bytes");
}

HostArray::HostArray(DType dtype, std::span<const int64_t> dims)
    : dtype_(dtype), dims_(dims.begin(), dims.end()), bytes_(byte_count(dtype, dims)) {}

HostArray HostArray::allocate(const Allocator& allocator, DType dtype, std::span<const int64_t> dims) {
  HostArray buffer(dtype, dims);
  buffer.memory_ = Memory(allocator, buffer.bytes_);
  buffer.data_ = buffer.memory_.data();
  return buffer;
}

HostArray HostArray::wrap(DType dtype, std::span<const int64_t> dims, void* data, bool read_only, Deleter deleter, void* user) {
  HostArray buffer(dtype, dims);
  check_memory(dtype, buffer.bytes_, data);
  buffer.data_ = data;
  buffer.read_only_ = read_only;
  buffer.deleter_ = deleter;
  buffer.user_ = user;
  return buffer;
}

HostArray::~HostArray() {
  if (deleter_ != nullptr) deleter_(user_, data_);
}

HostArray::HostArray(HostArray&& other) noexcept
    : dtype_(other.dtype_),
      read_only_(other.read_only_),
      dims_(std::move(other.dims_)),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)),
      memory_(std::move(other.memory_)),
      deleter_(std::exchange(other.deleter_, nullptr)),
      user_(other.user_) {}

}  // namespace harp
