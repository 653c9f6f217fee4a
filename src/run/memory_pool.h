// Defines a pool of released memory, one per context. It keeps released workspaces and arrays for later runs, so that a run gets memory
// whose pages the system has already mapped. (A stencil step takes up to four times as long with a newly mapped workspace.)
//
//   Memory (allocator.h) ── take() ──► a kept block of the same size class, else a new one from the allocator `source`
//                           ── give() ──► the block is kept, or released to `source` if the pool would exceed its limit
//
// Sizes are rounded up to size classes, eight for each power of two. A block's class follows from the requested size alone, so the pool
// stores nothing next to memory in use. A kept block is in two lists: the list of all blocks, ordered by time of release, and the list of
// its class. The links of the lists are stored in the block itself, so keeping a block never allocates.
//
// No thread waits for another one: a thread that cannot take the lock for about a microsecond uses `source` instead. Therefore the pool
// also works in a child process that was forked while another thread of the parent had the lock.
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
  /// Smaller blocks are not kept. Workspaces of fewer bytes are on the stack of the run (LoadedProgram::run).
  static constexpr size_t kSmallest = 4096;
  /// Blocks of at least this size come from mmap instead of the C library's allocator. They are aligned to kHugePage and marked for huge
  /// pages. Filling new memory of 4 to 64 MiB then takes a third to a half of the time that it takes with memory of the C library.
  static constexpr size_t kLarge = size_t{4} << 20;
  static constexpr size_t kHugePage = size_t{2} << 20;

  struct Stats {
    size_t kept = 0;         // bytes of the kept blocks, which are not in use
    uint64_t reused = 0;     // number of calls of take() that returned a kept block
    uint64_t allocated = 0;  // number of calls of take() for at least kSmallest bytes that allocated a new block
  };

  /// The pool allocates from `source` and keeps at most `limit` bytes.
  MemoryPool(const Allocator& source, size_t limit);
  /// Frees the kept blocks. All memory from take() must have been returned before.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Returns a block of `size` bytes with undefined content, or null if there is no memory left. `size` is not 0. If the host application's
  /// allocator returns misaligned memory, so does take().
  void* take(size_t size) noexcept;
  /// Gives a block back to the pool. The block must come from take(size).
  void give(void* memory, size_t size) noexcept;
  /// Releases a block to the allocator instead of keeping it in the pool. The block must come from take(size).
  void discard(void* memory, size_t size) noexcept;
  /// Frees those blocks that were released longest ago, until at most `most` bytes are kept. Does nothing in a child process that was
  /// forked while another thread was using the pool.
  void trim(size_t most) noexcept;

  size_t limit() const { return limit_; }
  Stats stats() const;
  /// Returns how many bytes take(size) requests from the allocator, if the pool keeps blocks of this size.
  static size_t rounded(size_t size) { return class_of(size).bytes; }

 private:
  /// The data that a kept block contains while it is in the pool. It is stored in the first bytes of the block.
  struct Kept {
    Kept *newer, *older;    // neighbours in the list of all blocks, which is ordered by time of release
    Kept *before, *behind;  // neighbours in the list of the block's class, which begins with the block that was released most recently
    size_t bytes, number;   // size of the blocks of the block's class, and index of this class
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
  const bool maps_large_;  // whether blocks of at least kLarge bytes come from mmap, because source_ is the C library's allocator
  const size_t limit_;
  const pid_t process_;  // the process that created the pool
  std::atomic<bool> is_locked_{false};
  // Only the owner of the lock changes kept_ and reused_; other threads may read them.
  std::atomic<size_t> kept_{0};
  std::atomic<uint64_t> reused_{0}, allocated_{0};
  // The lock guards the members below.
  Kept *newest_ = nullptr, *oldest_ = nullptr;
  std::array<Kept*, 52 * 8> classes_{};  // for each class, the first block of its list; null if it is empty
};

}  // namespace harp
