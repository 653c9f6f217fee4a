// How a loop is shared between the caller and the workers. An atomic word, the *gate*, counts the workers that may still join the loop
// (free seats) and the workers that have joined it (workers inside). The caller describes the loop in loop_ and opens the gate: it stores
// the number of free seats. A worker takes a seat, so that it is inside, executes chunks until none is left, and leaves. The caller also
// executes chunks. Then it closes the gate: it removes the remaining seats and waits for the workers inside, each of which executes its
// last chunk. The bits of the gate:
//   bits 0-15  workers inside      bits 16-31  free seats      32  the caller sleeps      33  the pool ends      34-63  number of the loop
#include "run/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace harp {

namespace {

constexpr uint64_t kInside = 1, kInsideMask = 0xffff;
constexpr uint64_t kSeat = 1 << 16, kSeatMask = kInsideMask << 16;
constexpr uint64_t kCallerSleeps = uint64_t{1} << 32, kEnd = uint64_t{1} << 33, kLoop = uint64_t{1} << 34;

constexpr uint64_t kFromBack = uint64_t{1} << 32;  // added to Loop::taken when a worker takes a chunk from the back

uint64_t loop_number(uint64_t gate) { return gate / kLoop; }

/// The time that it takes to wake a thread, in microseconds and as a number of grains. A grain is the smallest number of iterations that a
/// worker should get: about 2.5 microseconds of work, or one iteration if that takes longer.
constexpr std::chrono::microseconds kWake{50};
constexpr size_t kWakeGrains = 20;

/// Number of chunks for each worker, in long and in short loops. With several chunks per worker, other workers take over chunks of a late
/// worker. Short loops have fewer chunks, because workers delay each other when they take one. (A copy of 1 MB in L2 caches takes 2.4 us.
/// Compared to 4 chunks per worker, it takes 0.97 of the time with 2 chunks and 0.94 with 1.)
constexpr size_t kChunksPerWorker = 4, kChunksOfShort = 2;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Repeats `attempt` until it succeeds, but at most for the time that it takes to wake a thread. Returns true on success. A thread that
/// first waits in this way, and sleeps if that fails, waits at most twice as long as necessary.
template <class Try>
bool spin(const Try& attempt) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 64; ++i) {
      if (attempt()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() - begin < kWake);
  return false;
}

/// Blocks signals in the calling worker, so that the host application's threads handle them. Signals that a thread causes itself, and the
/// signal of profilers, stay enabled.
void leave_signals_to_the_host() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&signals, own);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

ThreadPool::ThreadPool(size_t width, const Log& log) : workers_(std::clamp<size_t>(width, 1, kMaxWorkers) - 1), log_(log) {
  for (size_t i = 0; i < workers_.size(); ++i) workers_[i] = {this, i + 1, {}};
}

ThreadPool::~ThreadPool() {
  if (process_ != getpid()) return;
  loop_.gate.fetch_or(kEnd);
  bell_.fetch_add(1);
  bell_.notify_all();
  for (size_t i = 0; i < started_; ++i) pthread_join(workers_[i].thread, nullptr);
}

void ThreadPool::start() noexcept {
  process_ = getpid();
  int error = 0;
  while (started_ < workers_.size() && error == 0) {
    error = pthread_create(&workers_[started_].thread, nullptr, &worker_main, &workers_[started_]);
    if (error == 0) ++started_;
  }
  if (error != 0)
    log_.warning("only ", started_, " of the ", workers_.size(),
                 " threads requested by harp_context_options.threads could be started: ", std::strerror(error));
  if (started_ == 0 || pthread_getaffinity_np(workers_[0].thread, sizeof cpus_, &cpus_) != 0) CPU_ZERO(&cpus_);
}

/// Forbids the workers to run on the CPU of the caller that is about to wake them. By default, a system often wakes a thread on the CPU of
/// its waker, because idle virtual CPUs look busy. The woken thread would then wait some milliseconds until the scheduler moves it to
/// another CPU; most loops are shorter. In a forked child this does nothing: there are no workers, and the C library would take their
/// handles for the calling thread.
void ThreadPool::keep_workers_off(int cpu) noexcept {
  if (cpu == avoided_ || CPU_COUNT(&cpus_) < 2 || process_ != getpid()) return;
  cpu_set_t others = cpus_;
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_CLR(static_cast<size_t>(cpu), &others);
  for (size_t i = 0; i < started_; ++i) pthread_setaffinity_np(workers_[i].thread, sizeof others, &others);
  avoided_ = cpu;
}

void ThreadPool::run(size_t n, size_t grain, harp_range_body body, void* arg) noexcept {
  if (n == 0) return;
  // A chunk has at least `grain` iterations. If there are more chunks than workers, all workers get equally many.
  const bool is_long = grain <= 1 || n / grain > kWakeGrains;
  size_t chunks = std::min(n / std::max<size_t>(grain, 1), (is_long ? kChunksPerWorker : kChunksOfShort) * width());
  if (chunks > width()) chunks -= chunks % width();
  if (chunks < 2 || taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire)) return body(arg, 0, n, 0);
  if (process_ == 0) start();
  loop_.chunk = n / chunks;
  loop_.rest = n % chunks;
  loop_.chunks = chunks;
  loop_.body = body;
  loop_.arg = arg;
  loop_.taken.store(0, std::memory_order_relaxed);
  open(std::min(loop_.chunks - 1, started_), is_long);
  work_off(0);
  join();
  taken_.store(false, std::memory_order_release);
}

/// Starts a loop, while no worker executes one. A short loop ends before a sleeping worker wakes up, so in general it wakes none. But if
/// loops follow each other closely, it wakes the workers for the next loops. No worker misses a long loop: either the caller sees here that
/// the worker sleeps, or the worker sees, before it sleeps, that the gate is open.
void ThreadPool::open(size_t seats, bool is_long) noexcept {
  loop_.gate.store((loop_number(loop_.gate.load(std::memory_order_relaxed)) + 1) * kLoop + seats * kSeat);
  const uint32_t sleepers = sleepers_.load();
  if (sleepers == 0 || seats == 0) return;
  const auto now = std::chrono::steady_clock::now();
  const bool is_close = now - std::exchange(found_sleepers_, now) < kWake;
  if (!is_long && !is_close) return;
  keep_workers_off(sched_getcpu());
  bell_.fetch_add(1);
  if (seats >= sleepers) return bell_.notify_all();
  for (size_t i = 0; i < seats; ++i) bell_.notify_one();
}

/// Executes chunks until none is left. The caller takes chunks from the front, and the workers take them from the back. Therefore a single
/// worker processes about the same part of an array in each loop, and its caches (or at least its TLB) still contain that memory.
void ThreadPool::work_off(size_t worker) noexcept {
  const uint64_t one = worker == 0 ? 1 : kFromBack;
  for (;;) {
    const uint64_t taken = loop_.taken.fetch_add(one, std::memory_order_relaxed);
    const size_t front = taken % kFromBack, back = taken / kFromBack;
    if (front + back >= loop_.chunks) return;
    const size_t chunk = worker == 0 ? front : loop_.chunks - 1 - back;
    loop_.body(loop_.arg, loop_.begin(chunk), loop_.begin(chunk + 1), worker);
  }
}

void ThreadPool::join() noexcept {
  const auto nobody_inside = [](uint64_t gate) { return (gate & kInsideMask) == 0; };
  if (nobody_inside(loop_.gate.fetch_and(~kSeatMask, std::memory_order_acq_rel))) return;
  if (spin([&] { return nobody_inside(loop_.gate.load(std::memory_order_acquire)); })) return;
  done_.store(0, std::memory_order_relaxed);
  if (nobody_inside(loop_.gate.fetch_or(kCallerSleeps, std::memory_order_acq_rel))) return;
  while (done_.load(std::memory_order_acquire) == 0) done_.wait(0, std::memory_order_acquire);
}

void ThreadPool::leave() noexcept {
  const uint64_t gate = loop_.gate.fetch_sub(kInside, std::memory_order_acq_rel) - kInside;
  if ((gate & kInsideMask) != 0 || (gate & kCallerSleeps) == 0) return;
  done_.store(1, std::memory_order_release);
  done_.notify_one();
}

// --- workers -----------------------------------------------------------------------------------------------------------------------------

void* ThreadPool::worker_main(void* worker) noexcept {
  leave_signals_to_the_host();
  pthread_setname_np(pthread_self(), "harp-worker");
  const Worker& self = *static_cast<Worker*>(worker);
  self.pool->serve(self.number);
  return nullptr;
}

void ThreadPool::serve(size_t worker) noexcept {
  uint64_t last_loop = 0;
  for (;;) {
    if (spin([&] { return take_seat(last_loop); })) {
      work_off(worker);
      leave();
    } else if (!sleep_through(last_loop)) {
      return;
    }
  }
}

/// Lets this worker join the loop (take a seat), unless the loop has no free seat or the worker has joined it before. Returns whether the
/// worker joined.
bool ThreadPool::take_seat(uint64_t& last_loop) noexcept {
  uint64_t gate = loop_.gate.load(std::memory_order_acquire);
  while ((gate & kSeatMask) != 0 && loop_number(gate) != last_loop) {
    if (!loop_.gate.compare_exchange_weak(gate, gate - kSeat + kInside, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    last_loop = loop_number(gate);
    return true;
  }
  return false;
}

/// Sleeps until bell_ changes, unless there is a loop that this worker can join. Returns false if the pool is being destroyed.
bool ThreadPool::sleep_through(uint64_t last_loop) noexcept {
  const uint32_t bell = bell_.load();
  sleepers_.fetch_add(1);
  const uint64_t gate = loop_.gate.load();
  const bool is_open = (gate & kSeatMask) != 0 && loop_number(gate) != last_loop;
  if (!is_open && (gate & kEnd) == 0) bell_.wait(bell);
  sleepers_.fetch_sub(1);
  return (loop_.gate.load() & kEnd) == 0;
}

}  // namespace harp
