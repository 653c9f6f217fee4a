// A short array on the stack, on the heap where it is long: what the hot path of a run keeps its arguments in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace harp {

/// `size` value-initialised elements; no allocation up to N of them.
template <class T, size_t N>
class StackArray {
 public:
  explicit StackArray(size_t size) : size_(size) {
    if (size > N) large_.resize(size);
  }
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  T* data() { return size_ > N ? large_.data() : small_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  std::span<T> span() { return {data(), size_}; }

 private:
  size_t size_;
  T small_[N]{};
  std::vector<T> large_;
};

}  // namespace harp
