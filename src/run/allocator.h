// Defines the allocator of arrays and workspaces: either two functions of the host application (harp_context_options), or the C library.
// All memory whose size depends on the user's arrays comes from this allocator. harp's own data structures do not use it.
#pragma once

#include <cstddef>

namespace harp {

class MemoryPool;

inline constexpr size_t kBufferAlignment = 64;  // size of a cache line and of the widest vector register, in bytes

/// The functions that allocate and release memory: those of the C library, or those that the host application gave. Copies of this plain
/// struct refer to the same allocator. Several threads may call the functions at the same time.
struct Allocator {
  void* (*allocate)(void* user, size_t size, size_t alignment) = nullptr;  // returns null if out of memory
  void (*release)(void* user, void* memory) = nullptr;                     // never called with a null pointer
  void* user = nullptr;
  MemoryPool* pool = nullptr;  // if not null, keeps released blocks for later Memory objects

  /// Returns the allocator of the C library.
  static Allocator standard();
  bool is_standard() const;
};

/// Owns a block of memory. The constructor gets the block from the allocator's pool if there is one, else from the allocator itself; the
/// destructor gives it back. For a size of 0 nothing is allocated and data() is null.
class Memory {
 public:
  Memory() = default;
  /// Throws Error{kOutOfMemory}, whose message contains the requested size, if the allocator fails or returns misaligned memory.
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
