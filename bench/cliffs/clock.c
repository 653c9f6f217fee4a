// Loops of calls and computations that are timed without Python in between: runs of a program of libharp, runs of a C function with which
// harp is compared, and loops that measure the machine's limits.
#define _GNU_SOURCE
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

// Returns the time in seconds: CPU time of this thread if threads is 1, otherwise wall-clock time.
static double now(int threads) {
  struct timespec t;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef int32_t (*harp_call)(void*, size_t, const void*, size_t, const void*, const void*, void**);

// Returns the seconds of `repeats` runs of a program. *status receives the status of the first run that failed, or 0.
double time_program(int64_t repeats, int threads, harp_call call, void* program, size_t n_inputs, const void* inputs, size_t n_outputs,
                    const void* outputs, const void* options, int32_t* status) {
  *status = 0;
  const double begin = now(threads);
  for (int64_t i = 0; i < repeats && *status == 0; ++i) *status = call(program, n_inputs, inputs, n_outputs, outputs, options, NULL);
  return now(threads) - begin;
}

double time_loop(int64_t repeats, int threads, void (*loop)(void**, void**), void** inputs, void** outputs) {
  const double begin = now(threads);
  for (int64_t i = 0; i < repeats; ++i) loop(inputs, outputs);
  return now(threads) - begin;
}

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

// time_read adds up the elements of memory, and time_copy copies memory; with several threads, each thread has its own part of `bytes`. The
// sums use 16 accumulators, so that only the loads limit their speed.
typedef float vector __attribute__((vector_size(WIDTH)));

static float read_part(const vector* data, size_t count) {
  vector s[16];
  memset(s, 0, sizeof s);
  for (size_t i = 0; i + 16 <= count; i += 16)
    for (int k = 0; k < 16; ++k) s[k] += data[i + k];
  for (int k = 1; k < 16; ++k) s[0] += s[k];
  return s[0][0] + s[0][3];
}

volatile float kept;

double time_read(int64_t repeats, int threads, const char* memory, size_t bytes) {
  const size_t part = bytes / (size_t)threads / 1024 * 1024;
  const double begin = now(threads);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int t = 0; t < threads; ++t)
    for (int64_t i = 0; i < repeats; ++i) {
      kept = read_part((const vector*)(memory + (size_t)t * part), part / sizeof(vector));
      __asm__ volatile("" : : : "memory");
    }
  return now(threads) - begin;
}

double time_copy(int64_t repeats, int threads, char* memory, size_t bytes) {  // copies one half of the bytes to the other half
  const size_t part = bytes / 2 / (size_t)threads / 64 * 64;
  const double begin = now(threads);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (int t = 0; t < threads; ++t)
    for (int64_t i = 0; i < repeats; ++i) {
      memcpy(memory + bytes / 2 / 64 * 64 + (size_t)t * part, memory + (size_t)t * part, part);
      __asm__ volatile("" : : : "memory");
    }
  return now(threads) - begin;
}

// Each function computes multiplications and additions in registers: in each thread, `repeats` times 1,024 steps on 16 vectors. A step is
// two operations for each lane.
#define PEAK(name, type)                                                                   \
  double name(int64_t repeats, int threads) {                                              \
    const double begin = now(threads);                                                     \
    _Pragma("omp parallel for num_threads(threads) if (threads > 1)")                      \
    for (int t = 0; t < threads; ++t) {                                                    \
      typedef type lane __attribute__((vector_size(WIDTH)));                               \
      lane s[16], x, y;                                                                    \
      for (size_t k = 0; k < WIDTH / sizeof(type); ++k) x[k] = (type)(1 + t), y[k] = (type)2;                \
      for (int k = 0; k < 16; ++k) s[k] = x;                                               \
      for (int64_t i = 0; i < repeats * 1024; ++i)                                         \
        for (int k = 0; k < 16; ++k) s[k] = s[k] * x + y;                                  \
      for (int k = 1; k < 16; ++k) s[0] += s[k];                                           \
      kept = (float)s[0][0];                                                               \
    }                                                                                      \
    return now(threads) - begin;                                                           \
  }
PEAK(time_f32, float)
PEAK(time_f64, double)
PEAK(time_i32, uint32_t)

int vector_bytes(void) { return WIDTH; }
