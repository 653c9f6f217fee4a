// harp's own threads, for contexts that request them (harp_context_options.threads): a parallel_for over a fixed number of workers,
// including the caller. The threads start with the first loop that is large enough, wait for the next loop by spinning briefly and then
// sleeping, and end with the pool. A loop never waits for a worker that has not joined it. If workers are busy, asleep, could not be
// started, or belong to the parent of a forked process, the caller does the work.
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
  static constexpr size_t kMaxWorkers = 1024;

  /// Sets up `width` workers, 1 to kMaxWorkers, without starting threads.
  ThreadPool(size_t width, const Log& log);
  /// No loop may be running. In a forked child it does not touch the parent's threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t width() const { return workers_.size() + 1; }

  /// Implements harp_context_options.parallel_for; `self` is a ThreadPool. Any thread may call it at any time, also from a body. One loop
  /// at a time is shared between workers; other loops run on their callers alone, as worker 0.
  static void parallel_for(void* self, size_t n, size_t grain, harp_range_body body, void* arg) noexcept {
    static_cast<ThreadPool*>(self)->run(n, grain, body, arg);
  }

 private:
  struct Worker {
    ThreadPool* pool = nullptr;
    size_t number = 0;  // the number of the worker that its bodies receive
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

  // The shared loop. Its caller writes it while the gate is closed and no worker is inside. Together with the gate it is one cache line, so
  // a worker receives it in one transfer.
  struct alignas(64) Loop {
    std::atomic<uint64_t> gate{0};           // the gate, see thread_pool.cpp
    std::atomic<uint64_t> taken{0};          // chunks taken: lower half from the front, upper half from the back
    size_t chunk = 0, rest = 0, chunks = 0;  // iterations of the smallest chunk; number of chunks with one more; number of chunks
    harp_range_body body = nullptr;
    void* arg = nullptr;

    /// Start of a chunk. Chunks with one more iteration are spread evenly, so that both ends of the loop have equal lengths: 22 iterations
    /// in 6 chunks are 11 and 11, not 12 and 10 (such a short loop takes 0.91 of the time).
    size_t begin(size_t number) const { return number * chunk + number * rest / chunks; }
  } loop_;

  alignas(64) std::atomic<bool> taken_{false};  // a caller is using the pool
  std::atomic<uint32_t> sleepers_{0};           // number of workers that sleep
  std::atomic<uint32_t> bell_{0};               // incremented to wake workers
  std::atomic<uint32_t> done_{0};               // set to wake the caller
  std::vector<Worker> workers_;
  size_t started_ = 0;                                      // started workers, the first ones; set by the first loop
  pid_t process_ = 0;                                       // process that started the threads; 0: not started
  cpu_set_t cpus_{};                                        // CPUs that the workers may run on; empty if unknown
  int avoided_ = -1;                                        // CPU that the workers avoid; -1: none
  std::chrono::steady_clock::time_point found_sleepers_{};  // when a loop last found sleeping workers
  Log log_;
};

}  // namespace harp
