#include "tune/measure_loops.h"

#include "base/text.h"

namespace harp::tune {
namespace {

// The vectors are separate variables, not elements of an array, because gcc would store an array in memory. The compiler must neither
// remove nor reorder the measured operations. It cannot reorder additions of floats, because they are not associative. The macro
// MEMORY_CHANGES makes the compiler assume that memory changes, the macro CYCLE makes it assume that x changes, and loads are volatile. (An
// operation that uses the loaded values would also keep the compiler from removing the loads. But it would occupy arithmetic units, and
// some CPUs have fewer of these than load units.)
constexpr const char* kLoops = R"(
typedef __SIZE_TYPE__ size_t;
typedef float vec __attribute__((vector_size(VECTOR_BYTES), may_alias));
#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define TWELVE(DO) EIGHT(DO) DO(8) DO(9) DO(10) DO(11)
#define MEMORY_CHANGES __asm__ volatile("" ::: "memory")

#define CYCLE(k) x += step; __asm__ volatile("" : "+r"(x));
static void cycles(size_t x, size_t step, size_t repeats, size_t* result) {
  for (size_t r = 0; r < repeats; ++r) { EIGHT(CYCLE) }
  *result = x;
}

#define LOAD(k) (void)from[i + k];
static void loads(const volatile vec* from, size_t bytes, size_t repeats) {
  for (size_t r = 0; r < repeats; ++r)
    for (size_t i = 0; i < bytes / sizeof(vec); i += 8) { EIGHT(LOAD) }
}

static inline vec multiply_add(vec a, vec b, vec c) {
#if HAS_FMA
  vec r = {0};
  for (int lane = 0; lane < VECTOR_BYTES / 4; ++lane) r[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  return r;
#else
  return a * b + c;
#endif
}

#define START(k) vec a##k = x + (float)k;
#define MULTIPLY_ADD(k) a##k = multiply_add(a##k, x, x);
#define ADD(k) a##k += x;
#define SUM(k) sum += a##k;
static void multiply_adds(vec x, size_t repeats, vec* result) {
  TWELVE(START)
  for (size_t r = 0; r < repeats; ++r) { TWELVE(MULTIPLY_ADD) }
  vec sum = {0};
  TWELVE(SUM)
  *result = sum;
}
static void additions(vec x, size_t repeats, vec* result) {
  TWELVE(START)
  for (size_t r = 0; r < repeats; ++r) { TWELVE(ADD) }
  vec sum = {0};
  TWELVE(SUM)
  *result = sum;
}
#define ADD_NEXT(k) a += x;
static void chained_additions(vec x, size_t repeats, vec* result) {
  vec a = x;
  for (size_t r = 0; r < repeats; ++r) { EIGHT(ADD_NEXT) }
  *result = a;
}

static inline void stream(vec* to, vec x) {
#if !HAS_STREAM
  *to = x;
#elif defined(__clang__)
  __builtin_nontemporal_store(x, to);
#elif VECTOR_BYTES == 16
  __builtin_ia32_movntps((float*)to, x);
#elif VECTOR_BYTES == 32
  __builtin_ia32_movntps256((float*)to, x);
#else
  __builtin_ia32_movntps512((float*)to, x);
#endif
}
static void stores(vec* to, size_t bytes, size_t repeats, vec x) {
  for (size_t r = 0; r < repeats; ++r) {
    for (size_t i = 0; i < bytes / sizeof(vec); ++i) to[i] = x;
    MEMORY_CHANGES;
  }
}
static void streams(vec* to, size_t bytes, size_t repeats, vec x) {
  for (size_t r = 0; r < repeats; ++r) {
    for (size_t i = 0; i < bytes / sizeof(vec); ++i) stream(to + i, x);
    MEMORY_CHANGES;
  }
}

#define FOLLOW(k) at = *(void**)at;
static void chase(void* at, size_t repeats, void** result) {
  for (size_t r = 0; r < repeats; ++r) { EIGHT(FOLLOW) }
  *result = at;
}

void entry_point(void** inputs, void** outputs, size_t* sizes) {
  const size_t bytes = sizes[1], repeats = sizes[2];
  vec x = {0};
  x += (float)repeats;
  switch (sizes[0]) {
    case 0: cycles(repeats, bytes, repeats, outputs[0]); break;
    case 1: loads(inputs[0], bytes, repeats); break;
    case 2: multiply_adds(x, repeats, outputs[0]); break;
    case 3: additions(x, repeats, outputs[0]); break;
    case 4: chained_additions(x, repeats, outputs[0]); break;
    case 5: stores(inputs[0], bytes, repeats, x); break;
    case 6: streams(inputs[0], bytes, repeats, x); break;
    default: chase(inputs[0], repeats, outputs[0]);
  }
}
int entry_point_ex(void** inputs, void** outputs, size_t* sizes, const void* runtime) {
  (void)runtime;
  entry_point(inputs, outputs, sizes);
  return 0;
}
)";

}  // namespace

std::string measured_loops(const Cpu& cpu) {
  return cat("#define VECTOR_BYTES ", cpu.vector_bytes, "\n#define HAS_FMA ", cpu.fma ? 1 : 0, "\n#define HAS_STREAM ",
             cpu.non_temporal_stores ? 1 : 0, kLoops);
}

}  // namespace harp::tune
