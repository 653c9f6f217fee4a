// Threads of harp's own, for contexts that ask for them (harp_context_options.threads): a parallel_for over a fixed number of workers, the
// caller being one. Threads start with the first loop that is worth it, wait for the next one spinning for a moment and then asleep, and
// end with the pool. A loop waits for nobody who has not begun to help: where the threads are busy, asleep, could not be started or stayed
// behind in the process this one was forked from, the caller does the work.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/log.h"
#include "harp.h"

namespace harp {

class ThreadPool {
 public:
  static constexpr size_t kMostWorkers = 1024;

  /// Starts nothing yet. `width` workers, 1 to kMostWorkers.
  ThreadPool(size_t width, const Log& log);
  /// No loop may be running. In a forked child the parent's threads are none of its business.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t width() const { return workers_.size() + 1; }

  /// harp_context_options.parallel_for; `self` is a ThreadPool. Any thread may call it at any time, a body too: one loop at a time is
  /// shared between workers, others run on their callers alone, as worker 0.
  static void parallel_for(void* self, size_t n, size_t grain, harp_range_body body, void* arg) noexcept {
    static_cast<ThreadPool*>(self)->run(n, grain, body, arg);
  }

 private:
  struct Worker {
    ThreadPool* pool = nullptr;
    size_t number = 0;  // as the bodies see it
    pthread_t thread{};
  };

  void run(size_t n, size_t grain, harp_range_body body, void* arg) noexcept;
  void start() noexcept;
  void keep_workers_off(int cpu) noexcept;
  void open(size_t seats, bool is_long) noexcept;
  void work_off(size_t worker) noexcept;
  void join() noexcept;
  void leave() noexcept;

  static void* worker_main(void* worker) noexcept;
  void serve(size_t worker) noexcept;
  bool take_seat(uint64_t& last_loop) noexcept;
  bool sleep_through(uint64_t last_loop) noexcept;

  // The loop that is shared now: written by its caller while the gate is closed and nobody is inside. Together with the gate this is one
  // cache line, so that a loop travels to a worker in one piece.
  struct alignas(64) Loop {
    std::atomic<uint64_t> gate{0};           // see thread_pool.cpp
    std::atomic<uint64_t> taken{0};          // chunks, from the front in the lower half, from the back in the upper
    size_t chunk = 0, rest = 0, chunks = 0;  // least iterations of a chunk, how many chunks have one more, how many there are
    harp_range_body body = nullptr;
    void* arg = nullptr;

    /// Longer chunks are spread evenly, so that both ends of the loop are as long: 22 iterations in 6 chunks are 11 and 11, not 12 and 10
    /// (0.91 of the time of so short a loop).
    size_t begin(size_t number) const { return number * chunk + number * rest / chunks; }
  } loop_;

  alignas(64) std::atomic<bool> taken_{false};  // a caller has the pool
  std::atomic<uint32_t> sleepers_{0};           // workers that have to be woken
  std::atomic<uint32_t> bell_{0};               // rung for them
  std::atomic<uint32_t> done_{0};               // rung for the caller
  std::vector<Worker> workers_;
  size_t started_ = 0;                                      // of workers_, the first ones; changed by the first loop's caller
  pid_t process_ = 0;                                       // that they belong to; 0: not started
  cpu_set_t cpus_{};                                        // they were started on; none where the system did not say
  int avoided_ = -1;                                        // the one of these they keep off; -1: none
  std::chrono::steady_clock::time_point found_sleepers_{};  // when a loop did last
  Log log_;
};

}  // namespace harp
