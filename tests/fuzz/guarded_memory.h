// Arrays that end exactly at a page nobody may touch, with known bytes in front: reading or writing past the end is a fault on the
// spot, writing before the start is found by is_intact().
#pragma once

#include <cstddef>
#include <span>

namespace harp::fuzz {

class GuardedArray {
 public:
  /// `alignment`: of the first byte; above 1 the end moves away from the page by what that takes, and those bytes are watched too.
  explicit GuardedArray(size_t bytes, size_t alignment = 1);
  explicit GuardedArray(std::span<const std::byte> content, size_t alignment = 1);
  GuardedArray(GuardedArray&& other) noexcept;
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray();

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Nothing was written beside the array.
  bool is_intact() const;

 private:
  std::byte* pages_ = nullptr;
  size_t mapped_ = 0, usable_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace harp::fuzz
