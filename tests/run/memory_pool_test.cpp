// Tests the class of a context's memory pool by itself: size classes, the limit, the order in which blocks are freed, threads, a fork while
// the pool is in use, and allocators that fail.
#include "run/memory_pool.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "base/error.h"
#include "support/in_child.h"

using namespace harp;

namespace {

/// An allocator that keeps a list of its live allocations. Only one thread at a time may use it.
struct Counting {
  std::set<void*> live;
  size_t calls = 0, bytes = 0;
  bool refuses = false, misaligns = false;

  Allocator allocator() {
    return {[](void* user, size_t size, size_t alignment) -> void* {
              auto& self = *static_cast<Counting*>(user);
              if (self.refuses) return nullptr;
              auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, (size + 2 * alignment - 1) / alignment * alignment));
              if (self.misaligns) memory += 8;
              self.live.insert(memory);
              self.calls += 1, self.bytes = size;
              return memory;
            },
            [](void* user, void* memory) {
              auto& self = *static_cast<Counting*>(user);
              CHECK(self.live.erase(memory) == 1);
              std::free(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(memory) / 64 * 64));
            },
            this};
  }
};

}  // namespace

TEST_CASE("X5.kept_memory: size classes hold the size, waste at most an eighth, and are stable") {
  for (size_t size = MemoryPool::kSmallest; size < (size_t{1} << 40); size += size / 7 + 1) {
    for (const size_t near : {size - 1, size, size + 1}) {
      if (near < MemoryPool::kSmallest) continue;
      const size_t rounded = MemoryPool::rounded(near);
      CHECK(rounded >= near);
      CHECK(rounded - near <= near / 8);
      CHECK(MemoryPool::rounded(rounded) == rounded);
      CHECK(rounded % 64 == 0);
    }
  }
}

TEST_CASE("X5.kept_memory: memory that was given back is used again, whole and aligned") {
  Counting host;
  {
    MemoryPool pool(host.allocator(), 1 << 20);
    void* const first = pool.take(10'000);
    CHECK(host.bytes == MemoryPool::rounded(10'000));
    std::memset(first, 1, 10'000);
    pool.give(first, 10'000);
    CHECK(pool.stats().kept == MemoryPool::rounded(10'000));
    void* const second = pool.take(9'900);  // 9,900 bytes belong to the same size class as 10,000 bytes
    CHECK(second == first);
    CHECK(pool.stats().kept == 0);
    void* const third = pool.take(10'000);
    CHECK(third != first);
    // 100 bytes are below the smallest size class: the pool neither rounds such a size up nor keeps the block
    void* const small = pool.take(100);
    CHECK(host.bytes == 100);
    pool.give(small, 100);
    CHECK(host.live.count(small) == 0);
    pool.give(second, 9'900);
    pool.give(third, 10'000);
    CHECK(pool.take(10'000) == third);  // returns the block that was given back last, because a part of it may still be in a CPU cache
    pool.give(third, 10'000);
    const MemoryPool::Stats stats = pool.stats();
    CHECK(stats.reused == 2);
    CHECK(stats.allocated == 2);
  }
  CHECK(host.live.empty());
}

TEST_CASE("X5.kept_memory: the limit holds, and the longest unused memory is freed first") {
  Counting host;
  constexpr size_t kSize = 64 << 10;
  MemoryPool pool(host.allocator(), 4 * kSize);
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(pool.take(kSize));
  for (void* block : blocks) {
    pool.give(block, kSize);
    CHECK(pool.stats().kept <= pool.limit());
  }
  CHECK(pool.stats().kept == 4 * kSize);
  CHECK(host.live == std::set<void*>(blocks.begin() + 2, blocks.end()));

  // The blocks that have been unused for the longest time are also freed first if the pool makes room for a block of another size class.
  void* const large = pool.take(3 * kSize);
  pool.give(large, 3 * kSize);
  CHECK(host.live == std::set<void*>{large, blocks[5]});
  void* const too_large = pool.take(5 * kSize);
  CHECK(host.bytes == 5 * kSize);
  pool.give(too_large, 5 * kSize);
  CHECK(host.live == std::set<void*>{large, blocks[5]});

  pool.trim(3 * kSize);
  CHECK(host.live == std::set<void*>{large});
  pool.trim(0);
  CHECK(host.live.empty());
  CHECK(pool.stats().kept == 0);
}

TEST_CASE("X5.kept_memory: large memory comes from the system in whole huge pages, and goes back to it") {
  MemoryPool pool(Allocator::standard(), size_t{64} << 20);
  const size_t size = MemoryPool::kLarge + 12345;
  void* const memory = pool.take(size);
  REQUIRE(memory != nullptr);
  CHECK(reinterpret_cast<uintptr_t>(memory) % MemoryPool::kHugePage == 0);
  std::memset(memory, 7, size);
  pool.give(memory, size);
  CHECK(pool.take(size) == memory);
  pool.give(memory, size);
  unsigned char resident = 0;
  CHECK(mincore(memory, 1, &resident) == 0);
  pool.trim(0);
  CHECK(mincore(memory, 1, &resident) == -1);  // mincore() fails, because the memory is no longer mapped
}

TEST_CASE("X5.kept_memory: an allocator that refuses gets everything that is kept back, and is asked again") {
  Counting host;
  MemoryPool pool(host.allocator(), 1 << 20);
  void* const kept = pool.take(50'000);
  pool.give(kept, 50'000);
  host.refuses = true;
  CHECK(pool.take(200'000) == nullptr);
  CHECK(host.live.empty());
  CHECK(pool.stats().kept == 0);
}

TEST_CASE("X5.kept_memory: misaligned memory of a host's allocator is an error and is not kept") {
  Counting host;
  host.misaligns = true;
  MemoryPool pool(host.allocator(), 1 << 20);
  Allocator allocator = host.allocator();
  allocator.pool = &pool;
  CHECK_THROWS_AS(Memory(allocator, 50'000), Error);
  CHECK(host.live.empty());
  CHECK(pool.stats().kept == 0);
}

TEST_CASE("X5.kept_memory: threads take and give at once, and no memory is in two hands") {
  MemoryPool pool(Allocator::standard(), 1 << 20);
  std::vector<std::thread> threads;
  std::vector<int> faults(4, 0);
  for (size_t t = 0; t < faults.size(); ++t)
    threads.emplace_back([&, t] {
      std::vector<std::pair<unsigned char*, size_t>> held;
      for (size_t round = 0; round < 20'000; ++round) {
        const size_t size = 4096 + (round * 7919 + t * 104729) % 60'000;
        auto* memory = static_cast<unsigned char*>(pool.take(size));
        if (memory == nullptr) continue;
        memory[0] = memory[size - 1] = static_cast<unsigned char>(t);
        held.emplace_back(memory, size);
        if (held.size() < 3) continue;
        const auto [oldest, bytes] = held.front();
        held.erase(held.begin());
        faults[t] += oldest[0] != t || oldest[bytes - 1] != t;
        pool.give(oldest, bytes);
        if (round % 1000 == 0) pool.trim(round % 3000 * 100);
      }
      for (const auto& [memory, size] : held) pool.give(memory, size);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(faults == std::vector<int>(4, 0));
  CHECK(pool.stats().kept <= pool.limit());
  CHECK(pool.stats().reused > 0);
}

// A thread that does not get the lock of the pool uses malloc instead. AddressSanitizer's malloc has locks of its own, which nobody
// releases in a child that was forked while another thread held one: the child then waits for ever.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMallocBlocksChildren = true;
#else
constexpr bool kMallocBlocksChildren = false;
#endif

TEST_CASE("X5.kept_memory: a child that is forked while threads use the pool can use it, too" * doctest::skip(kMallocBlocksChildren)) {
  MemoryPool pool(Allocator::standard(), 1 << 20);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) pool.give(pool.take(8192), 8192);
    });
  int good = 0;
  constexpr int kForks = 20;  // so many forks that some of them happen while a thread holds the lock of the pool
  for (int i = 0; i < kForks; ++i)
    good += capi_test::in_child([&] {
              for (int round = 0; round < 10; ++round) {
                void* const memory = pool.take(8192);
                if (memory == nullptr) return 1;
                std::memset(memory, 1, 8192);
                pool.give(memory, 8192);
              }
              pool.trim(0);
              return 0;
            }) == 0;
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(good == kForks);
}
