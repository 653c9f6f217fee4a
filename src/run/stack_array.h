// A short array on the stack, on the heap where it is long: what the hot path of a run keeps its arguments in.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace harp {

/// `size` value-initialised elements; no allocation up to N of them, and no work for those that are not used.
template <class T, size_t N>
class StackArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  explicit StackArray(size_t size) : size_(size) {
    if (size > N) {
      large_ = std::make_unique<T[]>(size);
      data_ = large_.get();
    } else {
      std::uninitialized_value_construct_n(data_, size);
    }
  }
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  T* data() { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }

 private:
  size_t size_;
  alignas(T) std::byte small_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(small_);
  std::unique_ptr<T[]> large_;
};

}  // namespace harp
