// Defines the value of a node in the interpreter: elements in shared memory, with a shape and strides. A movement node creates another view
// of the same memory; the memory is freed with its last view. Bool elements are always 0 or 1 (interpret() normalises its inputs), so typed
// loops may read them as C++ bool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/scalar.h"

namespace harp::interp {

struct Array {
  DType dtype = DType::kUnknown;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;       // one stride per axis, in elements; 0 for a broadcast axis
  std::byte* data = nullptr;          // address of element [0, 0, …]; the memory is not written any more once there are other views of it
  std::shared_ptr<std::byte> memory;  // owns the memory of `data`; empty if the caller owns it

  int rank() const { return static_cast<int>(shape.size()); }
  int64_t count() const;
  bool is_contiguous() const;

  /// Returns an array with new, uninitialised memory that is aligned to 64 bytes. Throws Error{kOverflow} if the number of bytes does not
  /// fit 64 bits.
  static Array allocate(DType dtype, std::vector<int64_t> shape);
  /// Returns an array that uses the caller's contiguous memory, which must outlive every view of it.
  static Array borrow(DType dtype, std::vector<int64_t> shape, const void* data);
  static Array scalar(const Scalar& value);
};

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);

class Sizes;

/// Copies bit patterns between views of the same shape and dtype. Elements of `to` must not overlap. Checks for cancellation, like every
/// loop of a run (sizes.h).
void copy_elements(const Array& from, const Array& to, const Sizes& sizes);
void fill(const Array& to, const Scalar& value, const Sizes& sizes);
/// Returns the array itself if its elements are contiguous in row-major order, otherwise a contiguous copy.
Array as_contiguous(const Array& array, const Sizes& sizes);

/// The index space over which N operands iterate, each with its own strides. Adjacent axes are merged if the strides of every operand allow
/// it, so that the last axis is as long as possible. A space of one element has no axes; `is_empty` is true if there are no elements.
template <size_t N>
struct IndexSpace {
  IndexSpace(std::span<const int64_t> full_shape, const std::array<std::span<const int64_t>, N>& full_strides);

  bool is_empty = false;
  std::vector<int64_t> shape;
  std::array<std::vector<int64_t>, N> strides;
};

template <size_t N>
IndexSpace<N>::IndexSpace(std::span<const int64_t> full_shape, const std::array<std::span<const int64_t>, N>& full_strides) {
  for (size_t axis = 0; axis < full_shape.size(); ++axis) {
    const int64_t size = full_shape[axis];
    if (size == 0) is_empty = true;
    if (size == 1) continue;
    bool merges = !shape.empty();
    for (size_t k = 0; merges && k < N; ++k) merges = strides[k].back() == full_strides[k][axis] * size;
    if (merges) {
      shape.back() *= size;
      for (size_t k = 0; k < N; ++k) strides[k].back() = full_strides[k][axis];
    } else {
      shape.push_back(size);
      for (size_t k = 0; k < N; ++k) strides[k].push_back(full_strides[k][axis]);
    }
  }
}

/// Calls body(offsets, steps, n) for every run of n elements along the last merged axis, in row-major order. `offsets` and `steps` contain,
/// for each operand, the offset of its first element in the run and the distance between its elements, counted in elements. `body` is
/// called at only one place in the code below: the compiler inlines it at each call, so with two calls, nested uses of this function would
/// double the code at every level.
template <size_t N, class Body>
void for_each_run(const IndexSpace<N>& space, Body&& body) {
  if (space.is_empty) return;
  std::array<int64_t, N> offsets{}, steps{};
  const bool has_axes = !space.shape.empty();
  const size_t outer = has_axes ? space.shape.size() - 1 : 0;
  const int64_t n = has_axes ? space.shape[outer] : 1;
  for (size_t k = 0; has_axes && k < N; ++k) steps[k] = space.strides[k][outer];
  std::vector<int64_t> index(outer, 0);
  while (true) {
    body(offsets, steps, n);
    size_t axis = outer;
    while (axis > 0) {
      --axis;
      for (size_t k = 0; k < N; ++k) offsets[k] += space.strides[k][axis];
      if (++index[axis] < space.shape[axis]) break;
      for (size_t k = 0; k < N; ++k) offsets[k] -= space.strides[k][axis] * space.shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace harp::interp
