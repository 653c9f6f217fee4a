#include "run/allocator.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "run/memory_pool.h"

namespace harp {

namespace {

void* allocate_aligned(void*, size_t size, size_t alignment) {
  if (size > SIZE_MAX - alignment) return nullptr;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void release_aligned(void*, void* memory) { std::free(memory); }

}  // namespace

Allocator Allocator::standard() { return {&allocate_aligned, &release_aligned}; }

bool Allocator::is_standard() const { return allocate == &allocate_aligned; }

Memory::Memory(const Allocator& allocator, size_t size) : allocator_(allocator), size_(size) {
  if (size == 0) return;
  data_ = allocator.pool != nullptr ? allocator.pool->take(size) : allocator.allocate(allocator.user, size, kBufferAlignment);
  HARP_CHECK(data_ != nullptr, Code::kOutOfMemory, "out of memory: the allocator refused ", size, " bytes");
  if (reinterpret_cast<uintptr_t>(data_) % kBufferAlignment == 0) return;
  void* const misaligned = std::exchange(data_, nullptr);
  allocator.pool != nullptr ? allocator.pool->discard(misaligned, size) : allocator.release(allocator.user, misaligned);
  fail(Code::kOutOfMemory, "the host's allocator returned memory that is not aligned to ", kBufferAlignment, " bytes for a request of ",
       size, " bytes");
}

Memory::~Memory() {
  if (data_ == nullptr) return;
  allocator_.pool != nullptr ? allocator_.pool->give(data_, size_) : allocator_.release(allocator_.user, data_);
}

Memory::Memory(Memory&& other) noexcept
    : allocator_(other.allocator_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(allocator_, other.allocator_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace harp
