// TEST ONLY. A GPU in a header: with `g++ -x c++ -include runtime.h` the CUDA C++ text that harp generates compiles for the CPU and runs
// there, thread by thread. It implements only the parts of the language that this text uses.
//
// Each thread of a block is a fiber. A fiber runs until its thread waits: at __syncthreads for the other threads of its block, or at a
// shuffle for the lanes that the mask names. The emulator then runs another fiber. Blocks run one after the other. It detects:
//   - a barrier that some threads of the block do not reach, or that threads reach at different lines
//   - a shuffle whose mask lacks the calling lane, names a lane that has ended, or differs between its lanes; a shuffle from a lane that
//     is not in the mask
//   - with several orders of threads: results that depend on the order
//   - a read of shared memory that no thread has written: it is filled with 0xff for each block (as a float: NaN)
//   - a read of the destination of an asynchronous copy before the thread that copies has waited and the block has passed a barrier: the
//     destination is filled with 0xff when the copy starts, and gets its content only when that thread waits
//   - an asynchronous copy whose addresses are not aligned, or for which its thread does not wait
//   - with -fsanitize=thread: two accesses by different threads, at least one of them a write, that no barrier orders
//   - with -fsanitize=address,undefined (and -fsanitize-sections=harp_shared): accesses outside of arrays, including shared ones, and
//     undefined arithmetic
//   - with HARP_EMULATOR_WATCHED: the mistakes that tests/torture/cuda/accesses.h lists; it also counts accesses
// It does not measure speed, and does not emulate the order in which a real memory system makes writes visible.
//
// The functions that schedule threads take longer to compile than a small kernel. So this header can be compiled once by itself, with
// HARP_EMULATOR_RUNTIME_ONLY, into an object (emulator_runtime.o in the build folder). Kernels that are compiled with
// HARP_EMULATOR_KERNELS_ONLY are linked with the object. Without either macro the header is everything that kernels need.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels.h"

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

// --- The language

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// The section with a program's static shared memory. emulated_source() (merged_source.h) gives each program a section of its own.
#define HARP_EMULATOR_SHARED "harp_shared"
#define __shared__ static __attribute__((section(HARP_EMULATOR_SHARED)))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};

// The emulator's variables. Each library of kernels has its own.
#if defined(HARP_EMULATOR_KERNELS_ONLY)
#define HARP_EMULATOR_STATE extern __attribute__((visibility("hidden")))
#elif defined(HARP_EMULATOR_RUNTIME_ONLY)
#define HARP_EMULATOR_STATE __attribute__((visibility("hidden")))
#else
#define HARP_EMULATOR_STATE static
#endif

HARP_EMULATOR_STATE uint3 threadIdx, blockIdx;
HARP_EMULATOR_STATE dim3 blockDim, gridDim;

extern "C" {
float fabsf(float), sqrtf(float), floorf(float), ceilf(float), truncf(float), rintf(float);
double fabs(double), sqrt(double), floor(double), ceil(double), trunc(double), rint(double);
}
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

namespace harp_emulator {
template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace harp_emulator
static inline int __float_as_int(float x) { return harp_emulator::bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return harp_emulator::bits<unsigned>(x); }
static inline float __int_as_float(int x) { return harp_emulator::bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return harp_emulator::bits<float>(x); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
static inline long long __double_as_longlong(double x) { return harp_emulator::bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return harp_emulator::bits<double>(x); }

/// An atomic operation as a compare-and-exchange loop. No other thread can interfere here, but ThreadSanitizer must see an atomic access.
namespace harp_emulator {
template <class T, class Change>
inline T atomically(T* at, Change change) {
  T found = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &found, change(found), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return found;
}
}  // namespace harp_emulator
#define HARP_EMULATOR_EXTREMES(type)                                                                 \
  static inline type atomicMin(type* at, type value) {                                               \
    return harp_emulator::atomically(at, [=](type found) { return value < found ? value : found; }); \
  }                                                                                                  \
  static inline type atomicMax(type* at, type value) {                                               \
    return harp_emulator::atomically(at, [=](type found) { return found < value ? value : found; }); \
  }
HARP_EMULATOR_EXTREMES(int)
HARP_EMULATOR_EXTREMES(unsigned)
HARP_EMULATOR_EXTREMES(long long)
HARP_EMULATOR_EXTREMES(unsigned long long)
#undef HARP_EMULATOR_EXTREMES
static inline int atomicAdd(int* at, int value) {
  return harp_emulator::atomically(at, [=](int found) { return (int)((unsigned)found + (unsigned)value); });
}
static inline unsigned atomicAdd(unsigned* at, unsigned value) {
  return harp_emulator::atomically(at, [=](unsigned found) { return found + value; });
}
static inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  return harp_emulator::atomically(at, [=](unsigned long long found) { return found + value; });
}

// --- Fibers

#if defined(__SANITIZE_THREAD__)
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* token);
void __tsan_release(void* token);
}
#define HARP_EMULATOR_PLAIN __attribute__((no_sanitize("thread"), noinline))
#elif defined(HARP_EMULATOR_WATCHED)
#include "torture/cuda/accesses.h"
#define HARP_EMULATOR_PLAIN __attribute__((no_sanitize("thread"), noinline))
#elif defined(HARP_EMULATOR_RUNTIME_ONLY)
#define HARP_EMULATOR_PLAIN __attribute__((noinline, used, visibility("hidden")))
#else
#define HARP_EMULATOR_PLAIN __attribute__((noinline))
#endif
#if defined(__SANITIZE_ADDRESS__)
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, size_t* size);
void __asan_poison_memory_region(const volatile void* begin, size_t size);
void __asan_unpoison_memory_region(const volatile void* begin, size_t size);
}
#endif

// The beginning and the end of the section harp_shared, which contains static shared memory. The dynamic shared memory is the array
// dynamic_shared.
extern "C" {
extern char __start_harp_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_harp_shared[] __attribute__((weak, visibility("hidden")));
}

namespace harp_emulator {

using harp::cuda_test::EmulatedKernel;
using harp::cuda_test::ThreadOrder;

constexpr unsigned kWarp = 32, kMaxThreads = 1024;
#if defined(__SANITIZE_THREAD__)
constexpr unsigned kSanitizedThreads = 250;
#endif
constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kMaxShared = 227 << 10;  // bytes of shared memory that a block can have on sm_90
constexpr unsigned char kPoison = 0xff;
constexpr uint64_t kPoisonedWord = ~uint64_t{0};  // of such bytes

alignas(128) HARP_EMULATOR_STATE unsigned char dynamic_shared[kMaxShared];

enum class State : uint8_t { kNew, kReady, kAtBarrier, kInWarp, kDone };

struct Fiber {
  char* stack = nullptr;
#if defined(__x86_64__)
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
  void* fake_stack = nullptr;  // AddressSanitizer's
  Fiber* next_idle = nullptr;
  Fiber* next_made = nullptr;  // the fiber that was made before this one
};

/// A thread's part in an exchange of values between the lanes of a warp: each lane of the mask provides `value` and receives the value of
/// lane `source`.
struct Exchange {
  uint32_t mask = 0;
  unsigned source = 0;
  uint64_t value = 0;
};

struct Thread {
  State state = State::kNew;
  uint3 index{};
  unsigned number = 0;  // the flattened index of the thread in its block
  Fiber* fiber = nullptr;
  int line = 0;  // the line where the thread waits
  Exchange exchange;
  unsigned products = 0;  // number of matrix products by tensor cores in which the thread has taken part
  // open_copies: number of asynchronous copies of this thread that are not complete; they are in copies[number][0 ... open_copies - 1].
  // batches: number of batches of copies that the thread has ended.
  unsigned open_copies = 0, batches = 0;
  void* tsan = nullptr;
};

struct Machine {
  Thread threads[kMaxThreads];
  Thread* current = nullptr;
  Fiber scheduler;
  Fiber *idle = nullptr, *made = nullptr;  // idle: the first idle fiber; made: the fiber that was made last
  void (*body)(void** parameters) = nullptr;
  void** parameters = nullptr;
  const char* kernel = "";
  unsigned count = 0;  // number of threads of the block
  // The elements that the lanes provide for the last two matrix products by tensor cores. There are two sets, because a lane may begin the
  // next product while other lanes still read the elements of the previous one.
  double elements[2][2][kMaxThreads];
  uint32_t random = 1;
  char error[512] = "";
  // Addresses that stand for fibers and synchronisation objects in calls of ThreadSanitizer.
  void* main_fiber = nullptr;
  char begun = 0, ended = 0, barrier = 0, warps[kMaxThreads / kWarp] = {};
};
HARP_EMULATOR_STATE Machine machine;

/// The static shared memory of a program: two null pointers if there is none.
struct SharedArrays {
  char *begin = nullptr, *end = nullptr;
};

template <class... Values>
inline bool fail(const char* format, Values... values) {
  if (machine.error[0] != 0) return false;  // only the first message is kept
  const int used =
      snprintf(machine.error, sizeof machine.error, "%s, block (%u, %u, %u): ", machine.kernel, blockIdx.x, blockIdx.y, blockIdx.z);
  snprintf(machine.error + used, sizeof machine.error - static_cast<size_t>(used), format, values...);
  return false;
}

#if defined(HARP_EMULATOR_KERNELS_ONLY)

#define HARP_EMULATOR_DECLARED __attribute__((visibility("hidden")))
HARP_EMULATOR_DECLARED uint64_t exchange(uint32_t mask, unsigned source, uint64_t value, int line);
HARP_EMULATOR_DECLARED void barrier(int line);
HARP_EMULATOR_DECLARED void copy_async(void* to, const void* from, unsigned bytes, int exist, int line);
HARP_EMULATOR_DECLARED void end_batch();
HARP_EMULATOR_DECLARED void complete_copies(unsigned pending);
HARP_EMULATOR_DECLARED const char* launch(const EmulatedKernel& kernel, SharedArrays arrays, void (*body)(void**), const uint32_t grid[3],
                                          const uint32_t block[3], size_t shared, void** parameters, ThreadOrder order);

#else

HARP_EMULATOR_PLAIN inline void acquire([[maybe_unused]] char& token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&token);
#endif
}
HARP_EMULATOR_PLAIN inline void release([[maybe_unused]] char& token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&token);
#endif
}

#if defined(__x86_64__)
extern "C" void harp_emulator_switch(void** save, void* load);
asm(R"(
.text
.weak harp_emulator_switch
.hidden harp_emulator_switch
.type harp_emulator_switch,@function
harp_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size harp_emulator_switch, .-harp_emulator_switch
)");
#endif

/// Suspends `from`, and continues `to` at the point where it was suspended.
HARP_EMULATOR_PLAIN inline void switch_stack(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  static const void* scheduler_bottom = nullptr;
  static size_t scheduler_size = 0;
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack != nullptr ? to.stack : scheduler_bottom,
                                 to.stack != nullptr ? kStackBytes : scheduler_size);
#endif
#if defined(__x86_64__)
  harp_emulator_switch(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.context, &to.context);
#endif
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(from.fake_stack, &bottom, &size);
  // Only the scheduler resumes a fiber, so the bounds of the stack from which `from` was resumed are those of the scheduler's stack.
  if (from.stack != nullptr) scheduler_bottom = bottom, scheduler_size = size;
#endif
}

/// Returns to the scheduler.
HARP_EMULATOR_PLAIN inline void yield() {
  Fiber& own = *machine.current->fiber;
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(machine.main_fiber, 1);
#endif
  switch_stack(own, machine.scheduler);
}

/// The function of a fiber: it runs the current thread's body; when that has ended, the fiber is idle and can be used for another thread.
HARP_EMULATOR_PLAIN inline void fiber_main() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  for (;;) {
    acquire(machine.begun);
    machine.body(machine.parameters);
    if (machine.current->open_copies > 0)
      fail("thread %u ends without a wait for %u asynchronous copies", machine.current->number, machine.current->open_copies);
    release(machine.ended);
    machine.current->state = State::kDone;
    yield();
  }
}

HARP_EMULATOR_PLAIN inline Fiber* new_fiber() {
  // Zeros are the initial values. `new` would need the C++ library, with which kernels are not linked (library.cpp).
  Fiber* fiber = static_cast<Fiber*>(calloc(1, sizeof(Fiber)));
  // The page below the stack is not accessible, so that a stack overflow is a fault.
  char* room =
      static_cast<char*>(mmap(nullptr, kStackBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (room == MAP_FAILED) {
    fputs("the emulator gets no memory for the stack of a thread\n", stderr);
    abort();
  }
  mprotect(room, 4096, PROT_NONE);
  fiber->stack = room + 4096;
#if defined(__x86_64__)
  void** top = reinterpret_cast<void**>(fiber->stack + kStackBytes);
  *--top = nullptr;  // a dummy return address, with which the stack is aligned as after a call
  *--top = reinterpret_cast<void*>(&fiber_main);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  fiber->stack_pointer = top;
#else
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = kStackBytes;
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, fiber_main, 0);
#endif
  fiber->next_made = machine.made;
  machine.made = fiber;
  return fiber;
}

/// Frees all fibers when the library is unloaded. A long test loads hundreds of libraries. Each stack is two mappings, and Linux permits a
/// process about 65,000 of them.
__attribute__((destructor)) HARP_EMULATOR_PLAIN static void free_fibers() {
  while (machine.made != nullptr) {
    Fiber* const fiber = machine.made;
    machine.made = fiber->next_made;
    munmap(fiber->stack - 4096, kStackBytes + 4096);
    free(fiber);
  }
}

HARP_EMULATOR_PLAIN inline void run(Thread& thread) {
  if (thread.state == State::kNew) {
    if (machine.idle == nullptr) machine.idle = new_fiber();
    thread.fiber = machine.idle;
    machine.idle = machine.idle->next_idle;
#if defined(__SANITIZE_THREAD__)
    thread.tsan = __tsan_create_fiber(0);
#endif
  }
  machine.current = &thread;
  threadIdx = thread.index;
#if defined(HARP_EMULATOR_WATCHED)
  harp_watch_thread(thread.number, thread.fiber->stack, kStackBytes);
#endif
  thread.state = State::kReady;
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(thread.tsan, 1);
#endif
  switch_stack(machine.scheduler, *thread.fiber);
  if (thread.state != State::kDone) return;
  thread.fiber->next_idle = machine.idle;
  machine.idle = thread.fiber;
}

// --- Functions that wait for other threads

HARP_EMULATOR_PLAIN inline void barrier(int line) {
  Thread& own = *machine.current;
  own.state = State::kAtBarrier;
  own.line = line;
  release(machine.barrier);
  yield();
  acquire(machine.barrier);
#if defined(HARP_EMULATOR_WATCHED)
  harp_watch_barrier(own.number);
#endif
}

/// Waits until all lanes of `mask` have called this function, then returns the value that lane `source` of the warp has given.
HARP_EMULATOR_PLAIN inline uint64_t exchange(uint32_t mask, unsigned source, uint64_t value, int line) {
  Thread& own = *machine.current;
  own.state = State::kInWarp;
  own.line = line;
  own.exchange = {mask, source, value};
  char& token = machine.warps[own.number / kWarp];
  release(token);
  yield();
  acquire(token);
#if defined(HARP_EMULATOR_WATCHED)
  harp_watch_exchange(own.number);
#endif
  return own.exchange.value;
}

#endif

/// A product of matrices by tensor cores: c += a * b, where a has 8 x 4 and b 4 x 8 elements. Terms are added one after the other by fused
/// multiply-add. All lanes of the warp take part. Lane l gives row l / 4, column l % 4 of a, and row l % 4, column l / 4 of b. It receives
/// row l / 4, columns 2 * (l % 4) and 2 * (l % 4) + 1 of c.
HARP_EMULATOR_PLAIN inline void mma_8x8x4(double* c, double a, double b, int line) {
  Thread& own = *machine.current;
  double(*const elements)[kMaxThreads] = machine.elements[own.products++ % 2];
  elements[0][own.number] = a;
  elements[1][own.number] = b;
  exchange(0xffffffffu, own.number % kWarp, 0, line);
  const double* const rows = elements[0] + own.number / 4 * 4;
  for (unsigned j = 0; j < 2; ++j) {
    const double* const column = elements[1] + own.number / kWarp * kWarp + 4 * (2 * (own.number % 4) + j);
    for (unsigned k = 0; k < 4; ++k) c[j] = __builtin_fma(rows[k], column[k], c[j]);
  }
}

template <class T>
inline T shuffle(uint32_t mask, T value, unsigned source, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  uint64_t word = 0;
  memcpy(&word, &value, sizeof value);
  word = exchange(mask, source, word, line);
  memcpy(&value, &word, sizeof value);
  return value;
}

inline unsigned lane() { return machine.current->number % kWarp; }
template <class T>
inline T shuffle_xor(uint32_t mask, T value, int distance, int width, int line) {
  const unsigned from = lane() ^ static_cast<unsigned>(distance), first = lane() / width * width;
  return shuffle(mask, value, from < first + width ? from : lane(), line);
}
template <class T>
inline T shuffle_down(uint32_t mask, T value, unsigned distance, int width, int line) {
  const unsigned from = lane() + distance, first = lane() / width * width;
  return shuffle(mask, value, from < first + width ? from : lane(), line);
}
template <class T>
inline T shuffle_up(uint32_t mask, T value, unsigned distance, int width, int line) {
  const unsigned first = lane() / width * width;
  return shuffle(mask, value, lane() >= first + distance ? lane() - distance : lane(), line);
}
template <class T>
inline T shuffle_from(uint32_t mask, T value, int source, int width, int line) {
  return shuffle(mask, value, lane() / width * width + static_cast<unsigned>(source) % width, line);
}

#if !defined(HARP_EMULATOR_KERNELS_ONLY)
// --- Running a block

/// Looks for shuffles for which all lanes of the mask are waiting, exchanges the values of these lanes, and lets the lanes continue.
/// Returns whether any lane can continue.
HARP_EMULATOR_PLAIN inline bool release_warp(Thread* warp, unsigned lanes) {
  bool any = false;
  for (unsigned l = 0; l < lanes; ++l) {
    if (warp[l].state != State::kInWarp) continue;
    const uint32_t all = lanes == kWarp ? 0xffffffffu : (1u << lanes) - 1, mask = warp[l].exchange.mask & all;
    if ((mask >> l & 1) == 0) return fail("line %d: the mask %08x lacks lane %u, which uses it", warp[l].line, mask, l);
    uint64_t values[kWarp];
    bool complete = true;
    for (unsigned other = 0; other < lanes && complete; ++other) {
      if ((mask >> other & 1) == 0) continue;
      const Thread& t = warp[other];
      if (t.state == State::kDone) return fail("line %d: the mask %08x names lane %u, which has ended", warp[l].line, mask, other);
      if (t.state != State::kInWarp)
        complete = false;
      else if ((t.exchange.mask & all) != mask || t.line != warp[l].line)
        return fail("lanes %u and %u wait for each other with masks %08x and %08x in lines %d and %d", l, other, mask,
                    t.exchange.mask & all, warp[l].line, t.line);
      values[other] = t.exchange.value;
    }
    if (!complete) continue;
    for (unsigned other = 0; other < lanes; ++other) {
      if ((mask >> other & 1) == 0) continue;
      Exchange& here = warp[other].exchange;
      if (here.source >= lanes || (mask >> here.source & 1) == 0)
        return fail("line %d: lane %u reads from lane %u, which is not in the mask %08x", warp[other].line, other, here.source, mask);
      here.value = values[here.source];
      warp[other].state = State::kReady;
    }
    any = true;
  }
  return any;
}

/// Lets all threads of the block continue if all of them wait at the same barrier. Returns whether they do.
HARP_EMULATOR_PLAIN inline bool release_block(unsigned waiting, unsigned done) {
  if (waiting == 0 || waiting + done < machine.count) return false;
  int line = 0;
  for (unsigned i = 0; i < machine.count; ++i) {
    const Thread& t = machine.threads[i];
    if (t.state != State::kAtBarrier) continue;
    if (done > 0) return fail("the barrier in line %d is met by %u of %u threads; the others have ended", t.line, waiting, machine.count);
    if (line != 0 && t.line != line) return fail("threads wait at barriers in lines %d and %d", line, t.line);
    line = t.line;
  }
  for (unsigned i = 0; i < machine.count; ++i) machine.threads[i].state = State::kReady;
  return true;
}

HARP_EMULATOR_PLAIN inline unsigned random_below(unsigned n) {
  machine.random = machine.random * 1664525u + 1013904223u;
  return static_cast<unsigned>((static_cast<uint64_t>(machine.random) * n) >> 32);
}

/// Fills `list` with the numbers below n, in the given order.
HARP_EMULATOR_PLAIN inline void put_in_order(unsigned* list, unsigned n, ThreadOrder order) {
  for (unsigned i = 0; i < n; ++i) list[i] = order == ThreadOrder::kDescending ? n - 1 - i : i;
  if (order != ThreadOrder::kShuffled) return;
  for (unsigned i = n; i > 1; --i) {
    const unsigned j = random_below(i), other = list[j];
    list[j] = list[i - 1];
    list[i - 1] = other;
  }
}

HARP_EMULATOR_PLAIN inline bool run_block(ThreadOrder order) {
  const unsigned n = machine.count;
  static unsigned turns[kMaxThreads];
  for (unsigned i = 0; i < n; ++i) {
    Thread& t = machine.threads[i];
    t = {};
    t.number = i;
    t.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
  }
  for (;;) {
    bool goes_on = false;
    put_in_order(turns, n, order);
    for (unsigned k = 0; k < n; ++k) {
      Thread& t = machine.threads[turns[k]];
      if (t.state != State::kNew && t.state != State::kReady) continue;
      run(t);
      goes_on = true;
    }
    unsigned waiting = 0, done = 0;
    for (unsigned first = 0; first < n; first += kWarp)
      goes_on |= release_warp(machine.threads + first, n - first < kWarp ? n - first : kWarp);
    for (unsigned i = 0; i < n; ++i) {
      waiting += machine.threads[i].state == State::kAtBarrier;
      done += machine.threads[i].state == State::kDone;
    }
    if (done == n) break;
    goes_on |= release_block(waiting, done);
    if (machine.error[0] == 0 && !goes_on)
      fail("the threads wait for each other: %u of %u at a barrier, %u have ended, the others at a shuffle", waiting, n, done);
    if (machine.error[0] != 0) return false;
  }
#if defined(__SANITIZE_THREAD__)
  for (unsigned i = 0; i < n; ++i) __tsan_destroy_fiber(machine.threads[i].tsan);
#endif
  return machine.error[0] == 0;
}

/// Fills the range with kPoison. Unlike memset, it may also write the red zones that AddressSanitizer puts between arrays.
__attribute__((no_sanitize("address", "thread", "undefined"), noinline)) inline void poison(void* begin, size_t size) {
  typedef uint64_t __attribute__((may_alias)) Word;
  volatile unsigned char* bytes = static_cast<volatile unsigned char*>(begin);
  volatile unsigned char* const end = bytes + size;
  for (; bytes != end && reinterpret_cast<uintptr_t>(bytes) % sizeof(Word) != 0; ++bytes) *bytes = kPoison;
  for (; static_cast<size_t>(end - bytes) >= sizeof(Word); bytes += sizeof(Word)) *reinterpret_cast<volatile Word*>(bytes) = kPoisonedWord;
  for (; bytes != end; ++bytes) *bytes = kPoison;
}

HARP_EMULATOR_PLAIN inline void poison_shared(size_t dynamic, SharedArrays arrays) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(dynamic_shared, kMaxShared);
  __asan_poison_memory_region(dynamic_shared + dynamic, kMaxShared - dynamic);
#endif
  poison(dynamic_shared, dynamic);
  if (arrays.begin != nullptr) poison(arrays.begin, static_cast<size_t>(arrays.end - arrays.begin));
}

// --- Asynchronous copies to shared memory

// The memory accesses of asynchronous copies. Sanitizers and HARP_EMULATOR_WATCHED record the accesses of these functions as those of the
// thread that copies. They do not record accesses in the functions below.
typedef uint32_t __attribute__((may_alias)) Bytes4;
typedef uint64_t __attribute__((may_alias)) Bytes8;
typedef unsigned __int128 __attribute__((may_alias)) Bytes16;
__attribute__((noinline)) inline void set_4(void* to, uint32_t value) { *static_cast<Bytes4*>(to) = value; }
__attribute__((noinline)) inline void copy_4(void* to, const void* from) { *static_cast<Bytes4*>(to) = *static_cast<const Bytes4*>(from); }
__attribute__((noinline)) inline void copy_8(void* to, const void* from) { *static_cast<Bytes8*>(to) = *static_cast<const Bytes8*>(from); }
__attribute__((noinline)) inline void copy_16(void* to, const void* from) {
  *static_cast<Bytes16*>(to) = *static_cast<const Bytes16*>(from);
}

/// An asynchronous copy to shared memory that a thread has started, and that is not complete.
struct AsyncCopy {
  char* to = nullptr;
  const char* from = nullptr;
  unsigned bytes = 0, exist = 0;  // bytes: size of the destination; exist: how many are read, the others become 0
  unsigned batch = 0;             // index of the thread's batch to which the copy belongs
};
constexpr unsigned kMaxCopies = 256;  // maximum number of incomplete copies of a thread
static AsyncCopy copies[kMaxThreads][kMaxCopies];

/// Starts an asynchronous copy. Its destination has no defined contents from now on until the thread waits for the copy.
HARP_EMULATOR_PLAIN inline void copy_async(void* to, const void* from, unsigned bytes, int exist, int line) {
  Thread& own = *machine.current;
  const uintptr_t addresses = reinterpret_cast<uintptr_t>(to) | (exist > 0 ? reinterpret_cast<uintptr_t>(from) : 0);
  if (addresses % bytes != 0) fail("line %d: the addresses of an asynchronous copy are not multiples of %u", line, bytes);
  if (exist < 0 || static_cast<unsigned>(exist) > bytes || exist % 4 != 0)
    fail("line %d: an asynchronous copy of %d of %u bytes", line, exist, bytes);
  if (own.open_copies == kMaxCopies) fail("line %d: more than %u asynchronous copies at a time", line, kMaxCopies);
  if (machine.error[0] != 0) return;
  char* const begin = static_cast<char*>(to);
#if defined(HARP_EMULATOR_WATCHED)
  poison(begin, bytes);  // unlike set_4(), poison() does not count as an access of the kernel
#else
  for (unsigned i = 0; i < bytes; i += 4) set_4(begin + i, static_cast<uint32_t>(kPoisonedWord));
#endif
  copies[own.number][own.open_copies++] = {begin, static_cast<const char*>(from), bytes, static_cast<unsigned>(exist), own.batches};
}

HARP_EMULATOR_PLAIN inline void end_batch() { ++machine.current->batches; }

/// Completes the thread's copies, except for those of the last `pending` batches and those that belong to no ended batch.
HARP_EMULATOR_PLAIN inline void complete_copies(unsigned pending) {
  Thread& own = *machine.current;
  unsigned left = 0;
  for (unsigned i = 0; i < own.open_copies; ++i) {
    const AsyncCopy copy = copies[own.number][i];
    if (copy.batch + pending >= own.batches) {
      copies[own.number][left++] = copy;
    } else if (copy.exist == 16) {
      copy_16(copy.to, copy.from);
    } else if (copy.exist == 8 && copy.bytes == 8) {
      copy_8(copy.to, copy.from);
    } else {
      for (unsigned at = 0; at < copy.bytes; at += 4) at < copy.exist ? copy_4(copy.to + at, copy.from + at) : set_4(copy.to + at, 0);
    }
  }
  own.open_copies = left;
}

HARP_EMULATOR_PLAIN inline const char* launch(const EmulatedKernel& kernel, SharedArrays arrays, void (*body)(void**),
                                              const uint32_t grid[3], const uint32_t block[3], size_t shared, void** parameters,
                                              ThreadOrder order) {
  machine.kernel = kernel.name;
  machine.error[0] = 0;
  machine.body = body;
  machine.parameters = parameters;
  machine.random = 1;
  blockIdx = {};
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2], blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  machine.count = static_cast<unsigned>(threads);
  if (threads < 1 || threads > kernel.most_threads) fail("a block of %lu threads; at most %u are allowed", threads, kernel.most_threads);
#if defined(__SANITIZE_THREAD__)
  // From gcc 13 on, ThreadSanitizer keeps track of at most 255 threads. With more threads it forgets earlier accesses.
  if (threads > kSanitizedThreads) fail("a block of %lu threads; ThreadSanitizer tells at most %u apart", threads, kSanitizedThreads);
#endif
  if (blocks < 1 || grid[1] > 65535 || grid[2] > 65535) fail("a grid of (%u, %u, %u) blocks", grid[0], grid[1], grid[2]);
  if (shared > kMaxShared) fail("%zu bytes of dynamic shared memory", shared);
  if (machine.error[0] != 0) return machine.error;
#if defined(__SANITIZE_THREAD__)
  machine.main_fiber = __tsan_get_current_fiber();
#endif
  const bool has_shared = shared > 0 || arrays.begin != nullptr;
  release(machine.begun);
  bool is_good = true;
  for (uint64_t i = 0; i < blocks && is_good; ++i) {
    // The blocks run in ascending or descending order. The shuffled order starts at block 13 and takes steps of 7919.
    const uint64_t b = order == ThreadOrder::kAscending ? i : order == ThreadOrder::kDescending ? blocks - 1 - i : (i * 7919 + 13) % blocks;
    const uint64_t at = blocks % 7919 == 0 ? i : b;  // steps of 7919 reach every block unless the number of blocks is a multiple of 7919
    blockIdx = {static_cast<unsigned>(at % grid[0]), static_cast<unsigned>(at / grid[0] % grid[1]),
                static_cast<unsigned>(at / grid[0] / grid[1])};
    poison_shared(shared, arrays);
#if defined(HARP_EMULATOR_WATCHED)
    harp_watch_block(machine.count, dynamic_shared, shared, arrays.begin, arrays.end);
#endif
    is_good = run_block(order);
#if defined(HARP_EMULATOR_WATCHED)
    harp_watch_block_end();
#endif
    // Tells ThreadSanitizer that all accesses of this block come before those of the next block, which uses the same shared memory.
    if (has_shared) acquire(machine.ended), release(machine.begun);
  }
  acquire(machine.ended);
  return is_good ? nullptr : machine.error;
}

#endif

// --- Kernels of the library

template <class... Parameters>
struct Signature {
  static constexpr uint32_t kCount = sizeof...(Parameters);
  static constexpr uint32_t kBytes[kCount + 1] = {static_cast<uint32_t>(sizeof(Parameters))..., 0};
  template <size_t... at>
  struct Positions {};
  template <class Function, size_t... at>
  static void call(Function* function, void** parameters, Positions<at...>) {
    function(*static_cast<Parameters*>(parameters[at])...);
  }
  template <size_t n, size_t... at>
  static auto positions() {
    if constexpr (n == 0)
      return Positions<at...>();
    else
      return positions<n - 1, n - 1, at...>();
  }
};
template <class... Parameters>
Signature<Parameters...> signature_of(void (*)(Parameters...));

/// The kernels of this library; each registers itself when the library is loaded.
constexpr size_t kMaxKernels = 4096;
static EmulatedKernel kernels[kMaxKernels];
static SharedArrays shared_arrays[kMaxKernels];  // of each kernel's program
static size_t kernel_count = 0;

template <auto* function, size_t number>
struct Registration {
  using Of = decltype(signature_of(function));
  static const char* launch(const uint32_t grid[3], const uint32_t block[3], size_t shared, void** parameters, ThreadOrder order) {
    return harp_emulator::launch(
        kernels[number], shared_arrays[number], [](void** values) { Of::call(function, values, Of::template positions<Of::kCount>()); },
        grid, block, shared, parameters, order);
  }
  Registration(const char* name, uint32_t most_threads, SharedArrays arrays) {
    kernels[number] = {name, most_threads, Of::kCount, Of::kBytes, &launch};
    shared_arrays[number] = arrays;
    if (kernel_count <= number) kernel_count = number + 1;
  }
};

}  // namespace harp_emulator

#define __syncthreads() harp_emulator::barrier(__LINE__)
#define __syncwarp(...) (void)harp_emulator::exchange(harp_emulator::mask_or_all(__VA_ARGS__), harp_emulator::lane(), 0, __LINE__)
namespace harp_emulator {
inline uint32_t mask_or_all(uint32_t mask = 0xffffffffu) { return mask; }
constexpr int width_or_all(int width = 32) { return width; }
}  // namespace harp_emulator
#define __shfl_sync(mask, value, source, ...) \
  harp_emulator::shuffle_from(mask, value, source, harp_emulator::width_or_all(__VA_ARGS__), __LINE__)
#define __shfl_up_sync(mask, value, distance, ...) \
  harp_emulator::shuffle_up(mask, value, distance, harp_emulator::width_or_all(__VA_ARGS__), __LINE__)
#define __shfl_down_sync(mask, value, distance, ...) \
  harp_emulator::shuffle_down(mask, value, distance, harp_emulator::width_or_all(__VA_ARGS__), __LINE__)
#define __shfl_xor_sync(mask, value, distance, ...) \
  harp_emulator::shuffle_xor(mask, value, distance, harp_emulator::width_or_all(__VA_ARGS__), __LINE__)

#if !defined(HARP_EMULATOR_RUNTIME_ONLY)
extern "C" __attribute__((visibility("default"))) const harp::cuda_test::EmulatedKernel* harp_emulated_kernels(size_t* count) {
  *count = harp_emulator::kernel_count;
  return harp_emulator::kernels;
}
#endif

/// emulated_source() adds a call of one of these macros for each kernel, which registers the kernel. `begin` and `end` are those of the
/// static shared memory of the kernel's program.
#define HARP_EMULATED_KERNEL_OF(number, kernel, threads, begin, end) \
  static const harp_emulator::Registration<&kernel, number> harp_registration_##number(#kernel, threads, {begin, end});
#define HARP_EMULATED_KERNEL(number, kernel, threads) \
  HARP_EMULATED_KERNEL_OF(number, kernel, threads, __start_harp_shared, __stop_harp_shared)
