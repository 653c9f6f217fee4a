// Defines arrays for the arguments of a run, which are on the hot path. A short array is on the stack. A long one is in memory that the
// caller provides, or on the heap.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace harp {

/// Memory that the caller provides and from which StackArrays are allocated. No part of it is used twice.
class Spare {
 public:
  Spare() = default;
  Spare(void* memory, size_t bytes) : memory_(memory), bytes_(bytes) {}

  /// Returns memory for `size` elements, or null if not enough is left.
  template <class T>
  T* take(size_t size) {
    if (size > bytes_ / sizeof(T) || std::align(alignof(T), size * sizeof(T), memory_, bytes_) == nullptr) return nullptr;
    T* const taken = static_cast<T*>(memory_);
    memory_ = taken + size;
    bytes_ -= size * sizeof(T);
    return taken;
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

/// An array of `size` elements, which are value-initialised. It allocates nothing if size <= N, or if `spare` has room for the elements.
/// Only the first `size` of the N elements are initialised.
template <class T, size_t N>
class StackArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  explicit StackArray(size_t size) : size_(size) {
    if (size > N)
      allocate();
    else
      std::uninitialized_value_construct_n(data_, size);
  }
  StackArray(size_t size, Spare& spare) : size_(size) {
    if (size > N) data_ = spare.take<T>(size);
    if (data_ == nullptr)
      allocate();
    else
      std::uninitialized_value_construct_n(data_, size);
  }
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  T* data() { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  void allocate() {
    large_ = std::make_unique<T[]>(size_);
    data_ = large_.get();
  }

  size_t size_;
  alignas(T) std::byte small_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(small_);
  std::unique_ptr<T[]> large_;
};

}  // namespace harp
