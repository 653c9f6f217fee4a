// Where arrays and workspaces come from: the host's two functions (harp_context_options) or the C library's. Everything whose size
// depends on data goes through here; harp's own book-keeping does not.
#pragma once

#include <cstddef>

namespace harp {

inline constexpr size_t kBufferAlignment = 64;  // a cache line, and the widest vector register

/// Plain data; copies are the same allocator. The functions may be called from any thread, several at once.
struct Allocator {
  void* (*allocate)(void* user, size_t size, size_t alignment) = nullptr;  // null result: out of memory
  void (*release)(void* user, void* memory) = nullptr;                     // never called with a null pointer
  void* user = nullptr;

  /// The C library's.
  static Allocator standard();
};

/// Memory of an allocator, given back with its owner. Zero bytes are no memory at all: data() is null.
class Memory {
 public:
  Memory() = default;
  /// Error{kOutOfMemory} saying how many bytes were asked for; also for memory that is not aligned as asked.
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
