// Allocator of arrays and workspaces: the host's two functions (harp_context_options) or the C library. All memory whose size depends on
// data comes from it; harp's own data structures do not use it.
#pragma once

#include <cstddef>

namespace harp {

class MemoryPool;

inline constexpr size_t kBufferAlignment = 64;  // the size of a cache line, and of the widest vector register

/// Plain data; copies refer to the same allocator. The functions may be called from any thread, several at once.
struct Allocator {
  void* (*allocate)(void* user, size_t size, size_t alignment) = nullptr;  // returns null if out of memory
  void (*release)(void* user, void* memory) = nullptr;                     // never called with a null pointer
  void* user = nullptr;
  MemoryPool* pool = nullptr;  // keeps the blocks that Memory objects release, for later ones; null: nothing is kept

  /// The C library's allocator.
  static Allocator standard();
  bool is_standard() const;
};

/// Owns memory of an allocator, through its pool if it has one, and releases it. For zero bytes nothing is allocated and data() is null.
class Memory {
 public:
  Memory() = default;
  /// Throws Error{kOutOfMemory}, with the requested size, if the allocator fails or returns misaligned memory.
  Memory(const Allocator& allocator, size_t size);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  Allocator allocator_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace harp
