// Runs harp's own threads, for contexts that request them (harp_context_options.threads): a parallel_for with a fixed number of workers,
// one of which is the caller. The threads are started by the first loop that is large enough, and end with the pool. Between two loops they
// first spin briefly and then sleep. A loop never waits for a worker that has not joined it. If workers are busy or asleep, could not be
// started, or belong to the parent of a forked process, the caller does their work.
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

  /// Prepares `width` workers, 1 to kMaxWorkers, but starts no threads.
  ThreadPool(size_t width, const Log& log);
  /// Ends the threads. No loop may be running. In a forked child it does nothing, because the threads belong to the parent.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t width() const { return workers_.size() + 1; }

  /// Implements harp_context_options.parallel_for. `self` is a ThreadPool. Any thread may call it at any time, also from the body of
  /// another loop. Only one loop at a time is shared between workers. While it runs, every other loop runs on its caller alone, as worker
  /// 0.
  static void parallel_for(void* self, size_t n, size_t grain, harp_range_body body, void* arg) noexcept {
    static_cast<ThreadPool*>(self)->run(n, grain, body, arg);
  }

 private:
  struct Worker {
    ThreadPool* pool = nullptr;
    size_t number = 0;  // the worker's number, which the bodies of loops receive
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

  // The loop that its caller and the workers execute together. The caller writes these members only while no worker executes the loop or
  // can join it. The gate and the other members share one cache line, so a worker receives all of them in one transfer.
  struct alignas(64) Loop {
    std::atomic<uint64_t> gate{0};           // see the beginning of thread_pool.cpp
    std::atomic<uint64_t> taken{0};          // number of chunks taken from the front (low 32 bits) and from the back (high 32 bits)
    size_t chunk = 0, rest = 0, chunks = 0;  // chunk: iterations of a chunk; rest: number of chunks with one more; chunks: number of chunks
    harp_range_body body = nullptr;
    void* arg = nullptr;

    /// Returns the first iteration of a chunk. The chunks with one more iteration are spread evenly, so that both halves of the loop have
    /// equal lengths: 22 iterations in 6 chunks are divided into 11 and 11, not 12 and 10. (Such a short loop then takes 0.91 of the time.)
    size_t begin(size_t number) const { return number * chunk + number * rest / chunks; }
  } loop_;

  alignas(64) std::atomic<bool> taken_{false};  // whether a caller is using the pool
  std::atomic<uint32_t> sleepers_{0};           // number of sleeping workers
  std::atomic<uint32_t> bell_{0};               // incremented to wake sleeping workers
  std::atomic<uint32_t> done_{0};               // set to 1 to wake the caller
  std::vector<Worker> workers_;
  // Number of workers whose threads have been started. These are the first elements of workers_.
  size_t started_ = 0;
  pid_t process_ = 0;                                       // the process that started the threads; 0: the threads are not started yet
  cpu_set_t cpus_{};                                        // CPUs on which the workers may run; empty if unknown
  int avoided_ = -1;                                        // the CPU that keep_workers_off() has excluded; -1: none
  std::chrono::steady_clock::time_point found_sleepers_{};  // the last time when a loop found sleeping workers
  Log log_;
};

}  // namespace harp
