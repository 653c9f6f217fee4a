// Allocates the memory of the interpreter's arrays, and copies between views. Copies move bit patterns, so every movement node preserves
// the payloads of NaNs and the signs of zeros.
#include "interp/array.h"

#include <cstring>
#include <new>

#include "base/error.h"
#include "interp/sizes.h"

namespace harp::interp {
namespace {

constexpr std::align_val_t kAlignment{64};

/// Copies n elements of sizeof(Bits) bytes. Steps are counted in elements.
template <class Bits>
void copy_run(const std::byte* source, std::byte* target, int64_t n, int64_t from_step, int64_t to_step) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Bits));
  if (from_step == 1 && to_step == 1) {
    std::memcpy(target, source, static_cast<size_t>(n * kBytes));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, source + i * from_step * kBytes, sizeof bits);
    std::memcpy(target + i * to_step * kBytes, &bits, sizeof bits);
  }
}

template <class Bits>
void copy_runs(const Array& from, const Array& to, const Sizes& sizes) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Bits));
  const IndexSpace<2> space(from.shape, {std::span(from.strides), std::span(to.strides)});
  CancelChecks checks(sizes);
  for_each_run(space, [&](const auto& offsets, const auto& steps, int64_t n) {
    checks.in_parts(n, [&](int64_t begin, int64_t count) {
      copy_run<Bits>(from.data + (offsets[0] + begin * steps[0]) * kBytes, to.data + (offsets[1] + begin * steps[1]) * kBytes, count,
                     steps[0], steps[1]);
    });
  });
}

}  // namespace

int64_t Array::count() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

bool Array::is_contiguous() const {
  int64_t stride = 1;
  for (int axis = rank(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && strides[axis] != stride) return false;
    stride *= shape[axis];
  }
  return true;
}

Array Array::allocate(DType dtype, std::vector<int64_t> shape) {
  // No stride exceeds the product of the nonzero sizes, so this product must fit 64 bits even if the array is empty.
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  bool is_empty = false;
  for (const int64_t size : shape) {
    HARP_CHECK(size >= 0, Code::kRange, "interpreter: expected sizes of at least 0, got an array of shape [", join(shape, ", "), "]");
    is_empty |= size == 0;
    HARP_CHECK(size == 0 || !__builtin_mul_overflow(bytes, size, &bytes), Code::kOverflow, "an array of shape [", join(shape, ", "),
               "] of ", name(dtype), " has more bytes than 64 bits can count");
  }
  Array array;
  array.dtype = dtype;
  array.strides = row_major_strides(shape);
  array.shape = std::move(shape);
  const size_t allocated = is_empty ? 0 : static_cast<size_t>(bytes);
  array.memory = std::shared_ptr<std::byte>(static_cast<std::byte*>(::operator new(allocated, kAlignment)),
                                            [](std::byte* bytes) { ::operator delete(bytes, kAlignment); });
  array.data = array.memory.get();
  return array;
}

Array Array::borrow(DType dtype, std::vector<int64_t> shape, const void* data) {
  Array array;
  array.dtype = dtype;
  array.strides = row_major_strides(shape);
  array.shape = std::move(shape);
  // The const_cast is safe, because borrowed memory is never written: only the function that allocates an array writes to it.
  array.data = static_cast<std::byte*>(const_cast<void*>(data));
  return array;
}

Array Array::scalar(const Scalar& value) {
  Array array = allocate(value.dtype, {});
  std::memcpy(array.data, value.bits, size_of(value.dtype));
  if (is_bool(value.dtype)) *array.data = std::byte{*array.data != std::byte{0}};
  return array;
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    if (shape[axis] != 0) stride *= shape[axis];
  }
  return strides;
}

void copy_elements(const Array& from, const Array& to, const Sizes& sizes) {
  HARP_ASSERT(from.dtype == to.dtype && from.shape == to.shape, "a copy needs arrays of one dtype and shape, got ", name(from.dtype), "[",
              join(from.shape, ", "), "] and ", name(to.dtype), "[", join(to.shape, ", "), "]");
  switch (size_of(from.dtype)) {
    case 1: return copy_runs<uint8_t>(from, to, sizes);
    case 2: return copy_runs<uint16_t>(from, to, sizes);
    case 4: return copy_runs<uint32_t>(from, to, sizes);
    case 8: return copy_runs<uint64_t>(from, to, sizes);
    case 16: return copy_runs<std::array<uint64_t, 2>>(from, to, sizes);
    default: HARP_ASSERT(false, "an element has 1, 2, 4, 8 or 16 bytes, not ", size_of(from.dtype));
  }
}

void fill(const Array& to, const Scalar& value, const Sizes& sizes) {
  Array one = Array::scalar(value);
  one.shape = to.shape;
  one.strides.assign(to.shape.size(), 0);
  copy_elements(one, to, sizes);
}

Array as_contiguous(const Array& array, const Sizes& sizes) {
  if (array.is_contiguous()) return array;
  Array copy = Array::allocate(array.dtype, array.shape);
  copy_elements(array, copy, sizes);
  return copy;
}

}  // namespace harp::interp
