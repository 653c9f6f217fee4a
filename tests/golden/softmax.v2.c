/* harp · graph "softmax" · target x86-64-v2 · stable, law 9 · 1 kernel, 1 generation
   x: f32[n, 1024] -> y: f32[n, 1024]
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

typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t i32x4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline f32x4 splat_f32x4(float x) { return (f32x4){x, x, x, x}; }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f32x4 select_f32x4(i32x4 m, f32x4 a, f32x4 b) { return (f32x4)((m & (i32x4)a) | (~m & (i32x4)b)); }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x4 greater_f32x4(f32x4 x, f32x4 y) {
#if defined(__clang__)
  return select_f32x4(y < x, x, y);
#else
  return __builtin_ia32_maxps(x, y);
#endif
}

static inline f32x4 maximum_f32x4(f32x4 x, f32x4 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+x"(y)); /* loaded once */
  const i32x4 a = (i32x4)__builtin_ia32_maxps(x, y), b = (i32x4)__builtin_ia32_maxps(y, x);
  return (f32x4)((a & b) | ((a | b) & 0x7fffffff));
#else
  const i32x4 alu0 = (i32x4)greater_f32x4(x, y);
  const i32x4 alu1 = (i32x4)greater_f32x4(y, x);
  return (f32x4)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_maximum_16_f32x4(const f32x4* s) {
  const f32x4 a0 = maximum_f32x4(s[0], s[8]);
  const f32x4 a1 = maximum_f32x4(s[1], s[9]);
  const f32x4 a2 = maximum_f32x4(s[2], s[10]);
  const f32x4 a3 = maximum_f32x4(s[3], s[11]);
  const f32x4 a4 = maximum_f32x4(s[4], s[12]);
  const f32x4 a5 = maximum_f32x4(s[5], s[13]);
  const f32x4 a6 = maximum_f32x4(s[6], s[14]);
  const f32x4 a7 = maximum_f32x4(s[7], s[15]);
  const f32x4 b0 = maximum_f32x4(a0, a4);
  const f32x4 b1 = maximum_f32x4(a1, a5);
  const f32x4 b2 = maximum_f32x4(a2, a6);
  const f32x4 b3 = maximum_f32x4(a3, a7);
  const f32x4 c0 = maximum_f32x4(b0, b2);
  const f32x4 c1 = maximum_f32x4(b1, b3);
  const f32x4 d0 = maximum_f32x4(c0, c1);
  const f32x4 e0 = maximum_f32x4(d0, __builtin_shufflevector(d0, d0, 2, 3, 2, 3));
  const f32x4 f0 = maximum_f32x4(e0, __builtin_shufflevector(e0, e0, 1, 1, 1, 1));
  return f0[0];
}

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x4 lesser_f32x4(f32x4 x, f32x4 y) {
#if defined(__clang__)
  return select_f32x4(x < y, x, y);
#else
  return __builtin_ia32_minps(x, y);
#endif
}

/* The product of two floats is exact in double. Rounding the sum to odd there makes the conversion to float the only rounding. */
static inline float fma_f32(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  union { double value; uint64_t bits; } odd;
  odd.value = sum;
  if ((error > 0.0 || error < 0.0) && (odd.bits & 1) == 0) odd.bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)-1;
  return (float)odd.value;
}

static inline f32x4 fma_f32x4(f32x4 a, f32x4 b, f32x4 c) {
  f32x4 r = {0};
  for (int lane = 0; lane < 4; ++lane) r[lane] = fma_f32(a[lane], b[lane], c[lane]);
  return r;
}

static inline f32x4 scale_f32x4(f32x4 x, f32x4 y) {
  const i32x4 alu0 = (i32x4)y - 1262485504;
  const i32x4 alu1 = alu0 >> 1;
  const f32x4 alu2 = (f32x4)((alu0 - alu1 + 127) << 23);
  return x * (f32x4)((alu1 + 127) << 23) * alu2;
}

static inline f32x4 exp_f32x4(f32x4 x) {
  const f32x4 alu0 = lesser_f32x4(splat_f32x4(89.0f), x);
  const f32x4 alu1 = greater_f32x4(splat_f32x4(-104.0f), alu0);
  const f32x4 alu2 = fma_f32x4(alu1, splat_f32x4(1.442695f), splat_f32x4(12582912.0f));
  const f32x4 alu3 = alu2 - 12582912.0f;
  const f32x4 alu4 = fma_f32x4(alu3, splat_f32x4(-0.69314575f), alu1);
  const f32x4 alu5 = alu3 * -1.4286068e-06f;
  const f32x4 alu6 = alu4 + alu5;
  const f32x4 alu7 = fma_f32x4(fma_f32x4(fma_f32x4(splat_f32x4(0.001391077f), alu6, splat_f32x4(0.008363099f)), alu6, splat_f32x4(0.04166671f)), alu6, splat_f32x4(0.16666578f));
  const f32x4 alu8 = fma_f32x4(alu6 * alu6, fma_f32x4(alu7, alu6, splat_f32x4(0.5f)), alu5);
  return scale_f32x4(1.0f + (alu4 + alu8), alu2);
}

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_add_16_f32x4(const f32x4* s) {
  const f32x4 a0 = s[0] + s[8];
  const f32x4 a1 = s[1] + s[9];
  const f32x4 a2 = s[2] + s[10];
  const f32x4 a3 = s[3] + s[11];
  const f32x4 a4 = s[4] + s[12];
  const f32x4 a5 = s[5] + s[13];
  const f32x4 a6 = s[6] + s[14];
  const f32x4 a7 = s[7] + s[15];
  const f32x4 b0 = a0 + a4;
  const f32x4 b1 = a1 + a5;
  const f32x4 b2 = a2 + a6;
  const f32x4 b3 = a3 + a7;
  const f32x4 c0 = b0 + b2;
  const f32x4 c1 = b1 + b3;
  const f32x4 d0 = c0 + c1;
  return (d0[0] + d0[2]) + (d0[1] + d0[3]);
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

struct kernel_0_args { const float* input0; float* output0; };

/* generation 0 · rowwise over [n] · max of [n, 1024] axes [1] lanes · sum of [n, 1024] axes [1] lanes · rowwise [thread, reduce simd=4] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    float row0[1024] __attribute__((aligned(16)));
    f32x4 acc1[16] __attribute__((aligned(16)));
    for (int i = 0; i < 16; ++i) acc1[i] = splat_f32x4(-__builtin_inff());
    const float* input0_row = input0 + ridx0 * 1024;
    for (int64_t ridx1 = 0; ridx1 < 1024; ridx1 += 64) {
      acc1[0] = maximum_f32x4(acc1[0], *(const f32x4*)(input0_row + ridx1));
      acc1[1] = maximum_f32x4(acc1[1], *(const f32x4*)(input0_row + ridx1 + 4));
      acc1[2] = maximum_f32x4(acc1[2], *(const f32x4*)(input0_row + ridx1 + 8));
      acc1[3] = maximum_f32x4(acc1[3], *(const f32x4*)(input0_row + ridx1 + 12));
      acc1[4] = maximum_f32x4(acc1[4], *(const f32x4*)(input0_row + ridx1 + 16));
      acc1[5] = maximum_f32x4(acc1[5], *(const f32x4*)(input0_row + ridx1 + 20));
      acc1[6] = maximum_f32x4(acc1[6], *(const f32x4*)(input0_row + ridx1 + 24));
      acc1[7] = maximum_f32x4(acc1[7], *(const f32x4*)(input0_row + ridx1 + 28));
      acc1[8] = maximum_f32x4(acc1[8], *(const f32x4*)(input0_row + ridx1 + 32));
      acc1[9] = maximum_f32x4(acc1[9], *(const f32x4*)(input0_row + ridx1 + 36));
      acc1[10] = maximum_f32x4(acc1[10], *(const f32x4*)(input0_row + ridx1 + 40));
      acc1[11] = maximum_f32x4(acc1[11], *(const f32x4*)(input0_row + ridx1 + 44));
      acc1[12] = maximum_f32x4(acc1[12], *(const f32x4*)(input0_row + ridx1 + 48));
      acc1[13] = maximum_f32x4(acc1[13], *(const f32x4*)(input0_row + ridx1 + 52));
      acc1[14] = maximum_f32x4(acc1[14], *(const f32x4*)(input0_row + ridx1 + 56));
      acc1[15] = maximum_f32x4(acc1[15], *(const f32x4*)(input0_row + ridx1 + 60));
    }
    const float acc1_folded = fold_maximum_16_f32x4(acc1);
    f32x4 acc2[16] __attribute__((aligned(16)));
    for (int i = 0; i < 16; ++i) acc2[i] = (f32x4){0};
    float* output0_row = output0 + ridx0 * 1024;
    const float alu0 = -acc1_folded;
    for (int64_t ridx2 = 0; ridx2 < 1024; ridx2 += 64) {
      __builtin_prefetch(input0_row + ridx2 + 2048, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 2064, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 2080, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 2096, 0, 3);
      __builtin_prefetch(output0_row + ridx2, 1, 2);
      __builtin_prefetch(output0_row + ridx2 + 16, 1, 2);
      __builtin_prefetch(output0_row + ridx2 + 32, 1, 2);
      __builtin_prefetch(output0_row + ridx2 + 48, 1, 2);
      const f32x4 alu1 = exp_f32x4(*(const f32x4*)(input0_row + ridx2) + alu0);
      *(f32x4*)(row0 + ridx2) = alu1;
      acc2[0] += alu1;
      const f32x4 alu2 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 4) + alu0);
      *(f32x4*)(row0 + ridx2 + 4) = alu2;
      acc2[1] += alu2;
      const f32x4 alu3 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 8) + alu0);
      *(f32x4*)(row0 + ridx2 + 8) = alu3;
      acc2[2] += alu3;
      const f32x4 alu4 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 12) + alu0);
      *(f32x4*)(row0 + ridx2 + 12) = alu4;
      acc2[3] += alu4;
      const f32x4 alu5 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 16) + alu0);
      *(f32x4*)(row0 + ridx2 + 16) = alu5;
      acc2[4] += alu5;
      const f32x4 alu6 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 20) + alu0);
      *(f32x4*)(row0 + ridx2 + 20) = alu6;
      acc2[5] += alu6;
      const f32x4 alu7 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 24) + alu0);
      *(f32x4*)(row0 + ridx2 + 24) = alu7;
      acc2[6] += alu7;
      const f32x4 alu8 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 28) + alu0);
      *(f32x4*)(row0 + ridx2 + 28) = alu8;
      acc2[7] += alu8;
      const f32x4 alu9 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 32) + alu0);
      *(f32x4*)(row0 + ridx2 + 32) = alu9;
      acc2[8] += alu9;
      const f32x4 alu10 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 36) + alu0);
      *(f32x4*)(row0 + ridx2 + 36) = alu10;
      acc2[9] += alu10;
      const f32x4 alu11 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 40) + alu0);
      *(f32x4*)(row0 + ridx2 + 40) = alu11;
      acc2[10] += alu11;
      const f32x4 alu12 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 44) + alu0);
      *(f32x4*)(row0 + ridx2 + 44) = alu12;
      acc2[11] += alu12;
      const f32x4 alu13 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 48) + alu0);
      *(f32x4*)(row0 + ridx2 + 48) = alu13;
      acc2[12] += alu13;
      const f32x4 alu14 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 52) + alu0);
      *(f32x4*)(row0 + ridx2 + 52) = alu14;
      acc2[13] += alu14;
      const f32x4 alu15 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 56) + alu0);
      *(f32x4*)(row0 + ridx2 + 56) = alu15;
      acc2[14] += alu15;
      const f32x4 alu16 = exp_f32x4(*(const f32x4*)(input0_row + ridx2 + 60) + alu0);
      *(f32x4*)(row0 + ridx2 + 60) = alu16;
      acc2[15] += alu16;
    }
    const float acc2_folded = fold_add_16_f32x4(acc2);
    for (int64_t ridx3 = 0; ridx3 < 1024; ridx3 += 4) {
      *(f32x4*)(output0_row + ridx3) = *(f32x4*)(row0 + ridx3) / acc2_folded;
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
    struct kernel_0_args args0 = {input0, output0};
    harp_for(rt, cancel, shape0, shape0 * 2197504, kernel_0, &args0);
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
