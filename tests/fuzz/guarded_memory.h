// Allocates arrays that end exactly at an inaccessible page, with known bytes in front. An access past the end faults immediately;
// is_intact() detects a write before the start.
#pragma once

#include <cstddef>
#include <span>

namespace harp::fuzz {

class GuardedArray {
 public:
  /// `alignment` is that of the array's first byte. With an alignment above 1, the array may end some bytes before the inaccessible page;
  /// is_intact() checks these bytes, too.
  explicit GuardedArray(size_t bytes, size_t alignment = 1);
  explicit GuardedArray(std::span<const std::byte> content, size_t alignment = 1);
  GuardedArray(GuardedArray&& other) noexcept;
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  ~GuardedArray();

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// True if no byte outside the array was written.
  bool is_intact() const;

 private:
  std::byte* pages_ = nullptr;
  size_t mapped_ = 0, usable_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace harp::fuzz
