#include "run/memory_pool.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <new>
#include <utility>

namespace harp {

namespace {

// How often a thread tries to take the lock, which takes about a microsecond in total. After that, the thread continues without the lock.
constexpr int kTries = 128;
// How often trim() yields the processor before it tests whether this process is a forked child, in which the lock's owner does not exist.
constexpr int kYields = 100;
constexpr size_t kFirstOctave = 11;  // sizes above 2^kFirstOctave bytes have size classes

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Maps `bytes` bytes of memory, aligned to kHugePage. Returns null if the system has no memory left. If the system has no huge pages, it
/// provides ordinary ones.
void* map_large(size_t bytes) {
  constexpr size_t kHuge = MemoryPool::kHugePage;
  if (bytes > SIZE_MAX / 2) return nullptr;
  void* const mapped = mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(mapped), aligned = (begin + kHuge - 1) / kHuge * kHuge;
  if (aligned > begin) munmap(mapped, aligned - begin);
  if (aligned < begin + kHuge) munmap(reinterpret_cast<void*>(aligned + bytes), begin + kHuge - aligned);
  madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

/// Adds to a number that only the owner of the lock changes. Unlike fetch_add(), this needs no locked instruction, which would take as long
/// as a small kernel.
template <class Number>
void increase(std::atomic<Number>& number, Number by) {
  number.store(number.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

constexpr size_t pages(size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

}  // namespace

class MemoryPool::Lock {
 public:
  explicit Lock(std::atomic<bool>& is_locked) : is_locked_(is_locked) {
    for (int i = 0; i < kTries && !is_held_; ++i) {
      is_held_ = !is_locked_.load(std::memory_order_relaxed) && !is_locked_.exchange(true, std::memory_order_acquire);
      if (!is_held_) pause_briefly();
    }
  }
  ~Lock() {
    if (is_held_) is_locked_.store(false, std::memory_order_release);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  std::atomic<bool>& is_locked_;
  bool is_held_ = false;
};

MemoryPool::MemoryPool(const Allocator& source, size_t limit)
    : source_(source), maps_large_(source.is_standard()), limit_(limit), process_(getpid()) {}

MemoryPool::~MemoryPool() { trim(0); }

/// Returns the size class of a size. The range 2^e < size <= 2^(e+1) has eight classes.
MemoryPool::SizeClass MemoryPool::class_of(size_t size) {
  const size_t octave = static_cast<size_t>(std::bit_width(size - 1)) - 1;
  const size_t base = size_t{1} << octave, step = base / 8, eighth = (size - base + step - 1) / step;
  return {base + eighth * step, (octave - kFirstOctave) * 8 + eighth - 1};
}

void* MemoryPool::request(size_t bytes) noexcept {
  if (maps_large_ && bytes >= kLarge) return map_large(pages(bytes));
  return source_.allocate(source_.user, bytes, kBufferAlignment);
}

/// Allocates memory. If that fails, frees all kept blocks and tries once more.
void* MemoryPool::allocate(size_t bytes) noexcept {
  void* const memory = request(bytes);
  if (memory != nullptr || kept_.load(std::memory_order_relaxed) == 0) return memory;
  trim(0);
  return request(bytes);
}

void MemoryPool::release(void* memory, size_t bytes) noexcept {
  if (maps_large_ && bytes >= kLarge)
    munmap(memory, pages(bytes));
  else
    source_.release(source_.user, memory);
}

void MemoryPool::release_all(Kept* first) noexcept {
  while (first != nullptr) {
    Kept* const block = std::exchange(first, first->older);
    release(block, block->bytes);
  }
}

void* MemoryPool::take(size_t size) noexcept {
  if (!keeps(size)) {
    if (size >= kSmallest) allocated_.fetch_add(1, std::memory_order_relaxed);
    return allocate(size);
  }
  const SizeClass wanted = class_of(size);
  {
    const Lock lock(is_locked_);
    Kept* const block = lock.is_held() ? classes_[wanted.number] : nullptr;
    if (block != nullptr) {
      unlink(block);
      increase(reused_, uint64_t{1});
      return block;
    }
  }
  allocated_.fetch_add(1, std::memory_order_relaxed);
  return allocate(wanted.bytes);
}

void MemoryPool::give(void* memory, size_t size) noexcept {
  if (!keeps(size)) return release(memory, size);
  const SizeClass own = class_of(size);
  Kept* freed = nullptr;
  {
    const Lock lock(is_locked_);
    if (!lock.is_held()) return release(memory, own.bytes);
    freed = unlink_above(limit_ - own.bytes);
    Kept*& first = classes_[own.number];
    Kept* const block = new (memory) Kept{nullptr, newest_, nullptr, first, own.bytes, own.number};
    (newest_ != nullptr ? newest_->newer : oldest_) = block;
    newest_ = block;
    if (first != nullptr) first->before = block;
    first = block;
    increase(kept_, own.bytes);
  }
  release_all(freed);
}

void MemoryPool::discard(void* memory, size_t size) noexcept { release(memory, keeps(size) ? class_of(size).bytes : size); }

void MemoryPool::trim(size_t most) noexcept {
  for (int yields = 0; yields < kYields || getpid() == process_; ++yields) {
    Kept* freed = nullptr;
    bool is_done = false;
    {
      const Lock lock(is_locked_);
      is_done = lock.is_held();
      if (is_done) freed = unlink_above(most);
    }
    if (is_done) return release_all(freed);
    sched_yield();
  }
}

MemoryPool::Stats MemoryPool::stats() const {
  return {kept_.load(std::memory_order_relaxed), reused_.load(std::memory_order_relaxed), allocated_.load(std::memory_order_relaxed)};
}

void MemoryPool::unlink(Kept* block) noexcept {
  (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
  (block->before != nullptr ? block->before->behind : classes_[block->number]) = block->behind;
  if (block->behind != nullptr) block->behind->before = block->before;
  increase(kept_, size_t{0} - block->bytes);
}

/// Removes the oldest blocks from the lists until at most `most` bytes are kept. Returns them as a list that is linked by `older`.
MemoryPool::Kept* MemoryPool::unlink_above(size_t most) noexcept {
  Kept* freed = nullptr;
  while (kept_.load(std::memory_order_relaxed) > most) {
    Kept* const block = oldest_;
    unlink(block);
    block->older = freed;
    freed = block;
  }
  return freed;
}

}  // namespace harp
