#include "fuzz/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace harp::fuzz {
namespace {

constexpr std::byte kCanary{0xa7};
constexpr size_t kFront = 256;  // guard bytes before the array

}  // namespace

GuardedArray::GuardedArray(size_t bytes, size_t alignment) : size_(bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  usable_ = (bytes + kFront + alignment + page - 1) / page * page;
  mapped_ = usable_ + page;
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(memory);
  mprotect(pages_ + usable_, page, PROT_NONE);
  data_ = pages_ + (usable_ - bytes) / alignment * alignment;
  // Only the bytes near the array are filled and checked. Filling all pages of a large array would take longer than the computation.
  std::fill(data_ - kFront, pages_ + usable_, kCanary);
}

GuardedArray::GuardedArray(std::span<const std::byte> content, size_t alignment) : GuardedArray(content.size(), alignment) {
  if (!content.empty()) std::memcpy(data_, content.data(), content.size());
}

GuardedArray::GuardedArray(GuardedArray&& other) noexcept
    : pages_(std::exchange(other.pages_, nullptr)),
      mapped_(other.mapped_),
      usable_(other.usable_),
      data_(other.data_),
      size_(other.size_) {}

GuardedArray::~GuardedArray() {
  if (pages_ != nullptr) munmap(pages_, mapped_);
}

bool GuardedArray::is_intact() const {
  const auto is_canary = [](std::byte b) { return b == kCanary; };
  return std::all_of(data_ - kFront, data_, is_canary) && std::all_of(data_ + size_, pages_ + usable_, is_canary);
}

}  // namespace harp::fuzz
