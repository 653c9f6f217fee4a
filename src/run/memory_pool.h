// The memory that a context keeps for reuse: workspaces and arrays that were released, so that the next run gets memory whose pages the
// system has already provided. (A stencil step with a fresh workspace takes up to four times as long.)
//
//   Memory (allocator.h) ── take ──► kept block of the same size class, else `source` ── give ──► kept, or `source` if above the limit
//
// Sizes are rounded up to one of eight size classes for each power of two, so a block's class follows from the requested size alone and
// nothing has to be stored beside memory in use. A kept block is on two lists, whose links are stored in the block itself: all blocks by
// time of release, and the blocks of its class. Keeping a block therefore never allocates.
//
// No thread waits for another one here, so a child process that is forked while a thread holds the lock works as well: a thread that
// finds the lock taken for about a microsecond goes to `source` instead.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "run/allocator.h"

namespace harp {

class MemoryPool {
 public:
  /// Smaller memory is not kept: for it the C library's allocator is as fast.
  static constexpr size_t kSmallest = 4096;
  /// From this size on, memory comes from mmap instead of the C library's allocator, aligned to kHugePage and marked for huge pages.
  /// Filling fresh memory of 4 to 64 MiB then takes a third to a half of the time.
  static constexpr size_t kLarge = size_t{4} << 20;
  static constexpr size_t kHugePage = size_t{2} << 20;

  struct Stats {
    size_t kept = 0;         // bytes that are kept and not in use
    uint64_t reused = 0;     // calls of take() that returned kept memory
    uint64_t allocated = 0;  // calls of take() for at least kSmallest bytes that had to allocate
  };

  /// Keeps up to `limit` bytes of memory of `source`.
  MemoryPool(const Allocator& source, size_t limit);
  /// Frees what is kept. All memory that was taken must have been given back.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Returns `size` bytes, not 0, with undefined content; null if out of memory. The host's allocator may return misaligned memory.
  void* take(size_t size) noexcept;
  /// Gives back the memory of take(size).
  void give(void* memory, size_t size) noexcept;
  /// Gives back the memory of take(size) without keeping it.
  void discard(void* memory, size_t size) noexcept;
  /// Frees the blocks that have been kept longest until at most `most` bytes are kept. Does nothing in a child process that was forked
  /// while another thread was using the pool.
  void trim(size_t most) noexcept;

  size_t limit() const { return limit_; }
  Stats stats() const;
  /// The bytes that take(size) requests from the allocator, if the pool keeps memory of this size.
  static size_t rounded(size_t size) { return class_of(size).bytes; }

 private:
  /// Stored at the beginning of a kept block.
  struct Kept {
    Kept *newer, *older;    // neighbours in the list of all blocks by time of release
    Kept *before, *behind;  // neighbours in the list of its class, the most recently released first
    size_t bytes, number;   // bytes and number of its class
  };
  struct SizeClass {
    size_t bytes, number;
  };
  class Lock;

  static SizeClass class_of(size_t size);
  bool keeps(size_t size) const { return size >= kSmallest && size <= limit_ && class_of(size).bytes <= limit_; }
  void* request(size_t bytes) noexcept;
  void* allocate(size_t bytes) noexcept;
  void release(void* memory, size_t bytes) noexcept;
  void release_all(Kept* first) noexcept;
  void unlink(Kept* block) noexcept;
  Kept* unlink_above(size_t most) noexcept;

  const Allocator source_;
  const bool maps_large_;  // whether source_ is the C library's allocator, so that large memory comes from mmap
  const size_t limit_;
  const pid_t process_;  // the process that made the pool
  std::atomic<bool> is_locked_{false};
  std::atomic<size_t> kept_{0};
  std::atomic<uint64_t> reused_{0}, allocated_{0};
  // The lock guards the members below.
  Kept *newest_ = nullptr, *oldest_ = nullptr;
  std::array<Kept*, 52 * 8> classes_{};  // the first block of each class
};

}  // namespace harp
