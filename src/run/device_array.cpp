#include "run/device_array.h"

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
  // Alignments are powers of two. A mask instead of a remainder saves a division, which takes longer than all other checks of an array.
  HARP_CHECK((reinterpret_cast<uintptr_t>(data) & (alignment_of(dtype) - 1)) == 0, Code::kInvalidArgument, "array data of ", name(dtype),
             " must be aligned to ", alignment_of(dtype), " bytes");
}

DeviceArray::DeviceArray(const Device& device, DType dtype, std::span<const int64_t> dims)
    : device_(&device), dtype_(dtype), dims_(dims.begin(), dims.end()), bytes_(byte_count(dtype, dims)) {}

DeviceArray DeviceArray::allocate(const Device& device, const Allocator& host, DType dtype, std::span<const int64_t> dims) {
  DeviceArray array(device, dtype, dims);
  array.memory_ = Memory(device.allocator(host), array.bytes_);
  array.data_ = array.memory_.data();
  return array;
}

DeviceArray DeviceArray::wrap(DType dtype, std::span<const int64_t> dims, void* data, bool read_only, Deleter deleter, void* user,
                              const Device& device) {
  DeviceArray array(device, dtype, dims);
  check_memory(dtype, array.bytes_, data);
  array.data_ = data;
  array.read_only_ = read_only;
  array.deleter_ = deleter;
  array.user_ = user;
  return array;
}

DeviceArray::~DeviceArray() {
  if (deleter_ != nullptr) deleter_(user_, data_);
}

DeviceArray::DeviceArray(DeviceArray&& other) noexcept
    : device_(other.device_),
      dtype_(other.dtype_),
      read_only_(other.read_only_),
      dims_(std::move(other.dims_)),
      bytes_(other.bytes_),
      data_(std::exchange(other.data_, nullptr)),
      memory_(std::move(other.memory_)),
      deleter_(std::exchange(other.deleter_, nullptr)),
      user_(other.user_) {}

void copy_elements(const DeviceArray& to, const DeviceArray& from, const Allocator& host) {
  HARP_ASSERT(to.bytes() == from.bytes(), "a copy of ", to_string(from.type()), " into ", to_string(to.type()));
  if (from.bytes() == 0) return;
  if (&to.device() == &from.device()) return to.device().copy(to.data(), from.data(), from.bytes());
  if (to.device().is_host()) return from.device().read(to.data(), from.data(), from.bytes());
  to.device().write(to.data(), HostElements(from, host).data(), from.bytes());
}

HostElements::HostElements(const DeviceArray& array, const Allocator& host) : data_(array.data()) {
  if (array.device().is_host() || array.bytes() == 0) return;
  copy_ = Memory(host, array.bytes());
  array.device().read(copy_.data(), array.data(), array.bytes());
  data_ = copy_.data();
}

}  // namespace harp
