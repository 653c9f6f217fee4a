/* harp · graph "reshaped" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   x: f32[n, 6] -> y: f32[3, n, 2]
   Kernels of one generation do not depend on each other. The comment of a kernel gives its generation, the extents of its loops, and how
   they are scheduled. */
/* gcc 12 miscompiles permuted masked loads (bug 114375), and wrongly vectorises straight-line code and remainders of loops with gaps. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14 && !defined(HARP_GCC_BUGS_AVOIDED)
#pragma GCC optimize("no-tree-loop-if-convert", "no-tree-slp-vectorize", "vect-cost-model=very-cheap")
#endif
typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

typedef void (*harp_range_body)(void* arg, size_t begin, size_t end, size_t worker);
typedef struct harp_fault { size_t struct_size; int64_t site, element, index, size; } harp_fault;
typedef struct harp_runtime {
  size_t struct_size;
  void* self;
  size_t width;
  void (*parallel_for)(void* self, size_t n, size_t grain, harp_range_body body, void* arg);
  void* (*alloc)(void* self, size_t size);
  void (*free)(void* self, void* memory);
  void* workspace;
  size_t workspace_size;
  void* const* natives;
  void* step_cursor;
  harp_fault* fault;
  const volatile int32_t* cancel;
} harp_runtime;

/* The cancel flag. The host may set it at any time, from any thread, to end the run early. If the host has none: a flag that is always 0. */
static inline const volatile int32_t* harp_flag(const harp_runtime* rt) {
  static const int32_t never = 0;
  return rt && rt->struct_size > __builtin_offsetof(harp_runtime, cancel) && rt->cancel ? rt->cancel : &never;
}
static inline int harp_is_set(const volatile int32_t* flag) {
#if defined(__GNUC__)
  return __atomic_load_n(flag, __ATOMIC_RELAXED);
#else
  return *flag;
#endif
}

/* Vectors are passed only between functions of this file, so the ABI that this warning is about does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

#pragma GCC diagnostic ignored "-Wunused-function" /* a scalar definition is unused where an instruction replaces it */
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));

/* a where the lane's bit is set, else b. */
static inline f32x16 blend_f32x16(uint16_t m, f32x16 a, f32x16 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_512(m, a, b);
#else
  return __builtin_ia32_blendmps_512_mask(b, a, m);
#endif
}

static inline uint16_t lt_f32x16(f32x16 a, f32x16 b) { return __builtin_ia32_cmpps512_mask(a, b, 1, 0xffff, 4); }

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 lesser_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(x, y), x, y);
#else
  return __builtin_ia32_minps512_mask(x, y, x, 0xffff, 4);
#endif
}

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* A constant in a register. Without this, gcc loads it from memory at each use. */
static inline __attribute__((always_inline)) f32x16 held_f32x16(float x) {
  f32x16 c = splat_f32x16(x);
#if !defined(__clang__)
  __asm__("" : "+v"(c));
#endif
  return c;
}

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 greater_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(y, x), x, y);
#else
  return __builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4);
#endif
}

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f32x16 fma_f32x16(f32x16 a, f32x16 b, f32x16 c) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_vfmaddps512_mask)
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
#else
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) r[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  return r;
#endif
}

static inline __attribute__((always_inline)) f32x16 scale_f32x16(f32x16 x, f32x16 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_scalefps512_mask)
  return __builtin_ia32_scalefps512_mask(x, y - 12582912.0f, x, 0xffff, 4);
#else
  const i32x16 alu0 = (i32x16)y - 1262485504;
  const i32x16 alu1 = alu0 >> 1;
  const f32x16 alu2 = (f32x16)((alu0 - alu1 + 127) << 23);
  return x * (f32x16)((alu1 + 127) << 23) * alu2;
#endif
}

static inline __attribute__((always_inline)) f32x16 exp_f32x16(f32x16 x) {
  const f32x16 alu0 = lesser_f32x16(held_f32x16(89.0f), x);
  const f32x16 alu1 = greater_f32x16(held_f32x16(-104.0f), alu0);
  const f32x16 alu2 = fma_f32x16(alu1, held_f32x16(1.442695f), held_f32x16(12582912.0f));
  const f32x16 alu3 = alu2 - 12582912.0f;
  const f32x16 alu4 = fma_f32x16(alu3, held_f32x16(-0.69314575f), alu1);
  const f32x16 alu5 = alu3 * held_f32x16(-1.4286068e-06f);
  const f32x16 alu6 = alu4 + alu5;
  const f32x16 alu7 = fma_f32x16(fma_f32x16(fma_f32x16(held_f32x16(0.001391077f), alu6, held_f32x16(0.008363099f)), alu6, held_f32x16(0.04166671f)), alu6, held_f32x16(0.16666578f));
  const f32x16 alu8 = fma_f32x16(alu6 * alu6, fma_f32x16(alu7, alu6, held_f32x16(0.5f)), alu5);
  return scale_f32x16(held_f32x16(1.0f) + (alu4 + alu8), alu2);
}

static inline f32x16 load_every_third_f32x16(const float* p) {
  return __builtin_shufflevector(__builtin_shufflevector(*(const f32x16*)p, *(const f32x16*)(p + 15), 0, 3, 6, 9, 12, 15, 19, 22, 25, 28, 31, 31, 31, 31, 31, 31), *(const f32x16*)(p + 30), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 22, 25, 28, 31);
}

static inline float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

static inline int32_t bits_i32_f32(float x) {
  union { float from; int32_t to; } u;
  u.from = x;
  return u.to;
}

static inline float bits_f32_i32(int32_t x) {
  union { int32_t from; float to; } u;
  u.from = x;
  return u.to;
}

static inline float scale_f32(float x, float y) {
  const int32_t alu0 = bits_i32_f32(y) - 1262485504;
  const int32_t alu1 = alu0 >> 1;
  const float alu2 = bits_f32_i32((alu0 - alu1 + 127) << 23);
  return x * bits_f32_i32((alu1 + 127) << 23) * alu2;
}

static inline float exp_f32(float x) {
  const float alu0 = 89.0f < x ? 89.0f : x;
  const float alu1 = alu0 < -104.0f ? -104.0f : alu0;
  const float alu2 = fma_f32(alu1, 1.442695f, 12582912.0f);
  const float alu3 = alu2 - 12582912.0f;
  const float alu4 = fma_f32(alu3, -0.69314575f, alu1);
  const float alu5 = alu3 * -1.4286068e-06f;
  const float alu6 = alu4 + alu5;
  const float alu7 = fma_f32(fma_f32(fma_f32(0.001391077f, alu6, 0.008363099f), alu6, 0.04166671f), alu6, 0.16666578f);
  const float alu8 = fma_f32(alu6 * alu6, fma_f32(alu7, alu6, 0.5f), alu5);
  return scale_f32(1.0f + (alu4 + alu8), alu2);
}

/* Kernels need the default floating-point environment: round to nearest, no flush to zero. harp_enter sets it and returns what it has to
   restore; harp_leave restores that. */
#if defined(__x86_64__)
typedef uint32_t harp_environment;
static inline harp_environment harp_enter(void) {
  static const uint32_t usual = 0x1f80;
  uint32_t found;
  __asm__ volatile("stmxcsr %0; movl %0, %%eax; andl $0xffc0, %%eax; cmpl %1, %%eax; je 1f; ldmxcsr %1; 1:"
                   : "=m"(found) : "m"(usual) : "eax", "cc", "memory");
  return found;
}
static inline void harp_leave(harp_environment found) {
  __asm__ volatile("movl %0, %%eax; andl $0xffc1, %%eax; cmpl $0x1f80, %%eax; je 1f; ldmxcsr %0; 1:"
                   : : "m"(found) : "eax", "cc", "memory");
}
#elif defined(__aarch64__)
typedef uint64_t harp_environment;
static inline harp_environment harp_enter(void) {
  uint64_t found;
  __asm__ volatile("mrs %0, fpcr" : "=r"(found));
  if (found & 0x7c00000) __asm__ volatile("msr fpcr, %0" : : "r"(found & ~0x7c00000ull));
  return found;
}
static inline void harp_leave(harp_environment found) {
  if (found & 0x7c00000) __asm__ volatile("msr fpcr, %0" : : "r"(found));
}
#else
typedef int harp_environment;
static inline harp_environment harp_enter(void) { return 0; }
static inline void harp_leave(harp_environment found) { (void)found; }
#endif

struct kernel_0_args { const float* input0; float* output0; int64_t shape0; };

/* generation 0 · elementwise over [3, n, 2] · elementwise [thread, sequential, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + ridx0;
    float* output0_row = output0 + shape0 * ridx0 * 2;
    if (shape0 * 2 >= 16) {
      for (int64_t ridx1 = 0; ridx1 < shape0 * 2; ridx1 = ridx1 < shape0 * 2 ? shape0 * 2 - 16 : shape0 * 2) { /* the last step overlaps the one before it */
        for (; ridx1 <= shape0 * 2 - 16; ridx1 += 16) {
          *(f32x16*)(output0_row + ridx1) = exp_f32x16(-load_every_third_f32x16(input0_row + ridx1 * 3));
        }
      }
    } else {
      for (int64_t ridx2 = 0; ridx2 < shape0 * 2; ++ridx2) {
        output0_row[ridx2] = exp_f32(-input0_row[ridx2 * 3]);
      }
    }
  }
}

static int harp_has_workers(const harp_runtime* rt) { return rt && rt->parallel_for && rt->width > 1; }
static const int64_t harp_share = 2500000; /* the least work that pays for another worker, in picoseconds */
struct harp_pieces { harp_range_body kernel; void* arg; const volatile int32_t* cancel; size_t piece; };
/* Runs iterations [begin, end) of a kernel in pieces. Between two pieces it stops if the run is cancelled. */
static void harp_run_pieces(const struct harp_pieces* all, size_t begin, size_t end, size_t worker) {
  while (begin < end && !harp_is_set(all->cancel)) {
    const size_t next = end - begin > all->piece ? begin + all->piece : end;
    all->kernel(all->arg, begin, next, worker);
    begin = next;
  }
}
/* Returns the number of iterations that take at most about a millisecond, if all n take about `work` picoseconds. Iterations that wait for
   memory take several times as long. The number is at least 4 * least: the fixed cost of a call pays off from `least` iterations on. */
static size_t harp_piece(int64_t n, int64_t work, int64_t least) {
  static const int64_t most = 200000000;
  if (work > 0 && work <= most) return (size_t)n;
  const int64_t piece = 1 + most / (1 + work / n);
  return (size_t)(piece > 4 * least ? piece : 4 * least);
}
static void harp_worker(void* arg, size_t begin, size_t end, size_t worker) {
  const harp_environment found = harp_enter();
  harp_run_pieces(arg, begin, end, worker);
  harp_leave(found);
}
/* Runs iterations [0, n) of a kernel, on several workers if they are worth it. All take about `work` picoseconds; if that exceeds 64 bits,
   one worker runs them. */
static void harp_for(const harp_runtime* rt, const volatile int32_t* cancel, int64_t n, int64_t work, harp_range_body kernel, void* arg) {
  if (n <= 0 || harp_is_set(cancel)) return;
  if (work > 0 && work < 2 * harp_share) {
    kernel(arg, 0, (size_t)n, 0);
    return;
  }
  struct harp_pieces all = {kernel, arg, cancel, harp_piece(n, work, 0)};
  if (n > 1 && work >= 2 * harp_share && harp_has_workers(rt))
    rt->parallel_for(rt->self, (size_t)n, 1 + (size_t)(harp_share / (1 + work / n)), harp_worker, &all);
  else
    harp_run_pieces(&all, 0, (size_t)n, 0);
}

static void kernel_main(const float* input0, float* output0, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, output0, shape0};
    harp_for(rt, cancel, 3, shape0 * 5004, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
