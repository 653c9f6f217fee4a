/* harp · graph "generations" · target x86-64-v4 · stable, law 9 · 3 kernels, 3 generations
   x: f64[n, 8], w: f64[8] -> y: f64[n, 8], z: f64[8]
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
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int64_t i64x8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline f64x8 abs_f64x8(f64x8 a) {
  f64x8 r = {0};
  for (int lane = 0; lane < 8; ++lane) r[lane] = __builtin_fabs(a[lane]);
  return r;
}

/* a where the lane's bit is set, else b. */
static inline f64x8 blend_f64x8(uint8_t m, f64x8 a, f64x8 b) {
#if defined(__clang__)
  return __builtin_ia32_selectpd_512(m, a, b);
#else
  return __builtin_ia32_blendmpd_512_mask(b, a, m);
#endif
}

static inline uint8_t lt_f64x8(f64x8 a, f64x8 b) { return __builtin_ia32_cmppd512_mask(a, b, 1, 0xff, 4); }

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f64x8 lesser_f64x8(f64x8 x, f64x8 y) {
#if defined(__clang__)
  return blend_f64x8(lt_f64x8(x, y), x, y);
#else
  return __builtin_ia32_minpd512_mask(x, y, x, 0xff, 4);
#endif
}

static inline f64x8 splat_f64x8(double x) { return (f64x8){x, x, x, x, x, x, x, x}; }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f64x8 fma_f64x8(f64x8 a, f64x8 b, f64x8 c) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_vfmaddpd512_mask)
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
#else
  f64x8 r = {0};
  for (int lane = 0; lane < 8; ++lane) r[lane] = __builtin_fma(a[lane], b[lane], c[lane]);
  return r;
#endif
}

/* Flips the sign bit. gcc would compute -(a * b + c) as -(a * b) - c, which has another sign if the result is 0. */
static inline f64x8 neg_f64x8(f64x8 x) {
  return (f64x8)((i64x8)x ^ (int64_t)0x8000000000000000);
}

static inline f64x8 copy_sign_f64x8(f64x8 x, f64x8 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_pternlogq512_mask)
  typedef long long bits __attribute__((vector_size(64)));
  /* the sign bit of y and all other bits of x */
  return (f64x8)__builtin_ia32_pternlogq512_mask((bits)x, (bits)y, (bits){0} + (-0x7fffffffffffffffll - 1), 0xd8, 0xff);
#else
  const i64x8 alu0 = ((i64x8)x & 9223372036854775807l) | ((i64x8)y & (-9223372036854775807l - 1));
  return (f64x8)alu0;
#endif
}

static inline f64x8 tanh_f64x8(f64x8 x) {
  const f64x8 alu0 = abs_f64x8(x);
  const f64x8 alu1 = lesser_f64x8(splat_f64x8(20.0), alu0);
  const f64x8 alu2 = alu1 + alu1;
  const f64x8 alu3 = fma_f64x8(alu2, splat_f64x8(1.4426950408889634), splat_f64x8(6755399441055744.0));
  const i64x8 alu4 = ((i64x8)alu3 - 4843621399236968448l - 1l + 1023l) << 52l;
  const f64x8 alu5 = (f64x8)alu4;
  const f64x8 alu6 = alu3 - 6755399441055744.0;
  const f64x8 alu7 = fma_f64x8(alu6, splat_f64x8(-0.6931471805599453), alu2);
  const f64x8 alu8 = alu5 - 0.5;
  const f64x8 alu9 = fma_f64x8(alu5, alu7, alu8);
  const f64x8 alu10 = neg_f64x8(alu9);
  const f64x8 alu11 = alu6 * -2.3190468138462996e-17;
  const f64x8 alu12 = alu7 + alu11;
  const f64x8 alu13 = fma_f64x8(fma_f64x8(fma_f64x8(splat_f64x8(1.664012668869289e-10), alu12, splat_f64x8(2.092344608646773e-09)), alu12, splat_f64x8(2.504989464289795e-08)), alu12, splat_f64x8(2.755724606171109e-07));
  const f64x8 alu14 = fma_f64x8(fma_f64x8(fma_f64x8(alu13, alu12, splat_f64x8(2.755732251971936e-06)), alu12, splat_f64x8(2.4801587356340883e-05)), alu12, splat_f64x8(0.00019841269838937153));
  const f64x8 alu15 = fma_f64x8(fma_f64x8(fma_f64x8(alu14, alu12, splat_f64x8(0.0013888888888869534)), alu12, splat_f64x8(0.008333333333334103)), alu12, splat_f64x8(0.04166666666666669));
  const f64x8 alu16 = fma_f64x8(alu12 * alu12, fma_f64x8(fma_f64x8(alu15, alu12, splat_f64x8(0.16666666666666666)), alu12, splat_f64x8(0.5)), alu11);
  const f64x8 alu17 = fma_f64x8(alu5, alu16, alu5 - alu8 - 0.5);
  const f64x8 alu18 = fma_f64x8(alu5, alu7, alu8 + alu10) + alu17;
  const f64x8 alu19 = alu9 + alu18;
  const f64x8 alu20 = 1.0 + alu19;
  const f64x8 alu21 = 1.0 / alu20;
  const f64x8 alu22 = alu19 * alu21;
  const f64x8 alu23 = -alu22;
  const f64x8 alu24 = -(alu20 - 1.0);
  const f64x8 alu25 = 1.0 - (alu20 + alu24) + (alu19 + alu24);
  const f64x8 alu26 = alu18 - (alu19 + alu10);
  const f64x8 alu27 = fma_f64x8(alu23, alu20, alu19) + fma_f64x8(alu23, alu25 + alu26, alu26);
  return blend_f64x8(lt_f64x8(alu0, splat_f64x8(3.725290298461914e-09)), x, copy_sign_f64x8(alu22 + alu27 * alu21, x));
}

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f64x8 greater_f64x8(f64x8 x, f64x8 y) {
#if defined(__clang__)
  return blend_f64x8(lt_f64x8(y, x), x, y);
#else
  return __builtin_ia32_maxpd512_mask(x, y, x, 0xff, 4);
#endif
}

static inline f64x8 maximum_f64x8(f64x8 x, f64x8 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxpd512_mask) && __has_builtin(__builtin_ia32_pternlogd512_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i64x8 a = (i64x8)__builtin_ia32_maxpd512_mask(x, y, x, 0xff, 4), b = (i64x8)__builtin_ia32_maxpd512_mask(y, x, x, 0xff, 4);
  return (f64x8)__builtin_ia32_pternlogd512_mask((i32x16)b, (i32x16)a, (i32x16)((i64x8){0} + 0x7fffffffffffffffll), 0xe8, 0xffff);
#else
  const i64x8 alu0 = (i64x8)greater_f64x8(x, y);
  const i64x8 alu1 = (i64x8)greater_f64x8(y, x);
  return (f64x8)((alu0 & alu1) | ((alu0 | alu1) & 9223372036854775807l));
#endif
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

struct kernel_0_args { const double* input0; const double* input1; double* output0; };

/* generation 0 · elementwise over [n, 8] · elementwise [thread, sequential simd=8] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const double* input0 = a->input0;
  const double* input1 = a->input1;
  double* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const double* input0_row = input0 + ridx0 * 8;
    double* output0_row = output0 + ridx0 * 8;
    for (int64_t ridx1 = 0; ridx1 < 8; ridx1 += 8) {
      *(f64x8*)(output0_row + ridx1) = tanh_f64x8(*(const f64x8*)(input0_row + ridx1) * *(const f64x8*)(input1 + ridx1));
    }
  }
}

/* generation 1 · reduce over [8] · sum of [n, 8] axes [0] chain · max of [n, 8] axes [0] chain · reduce [thread simd=8, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_1(const double* input0, double* output0, double* output1, int64_t shape0, const volatile int32_t* cancel) {
  double acc6[8] __attribute__((aligned(64)));
  for (int i = 0; i < 8; ++i) acc6[i] = 0.0;
  double acc7[8] __attribute__((aligned(64)));
  for (int i = 0; i < 8; ++i) acc7[i] = -__builtin_inf();
  const int64_t oidx0 = (shape0 + 255) / 256;
  const int64_t oidx1 = (oidx0 + 255) / 256;
  const int64_t oidx2 = (oidx1 + 255) / 256;
  for (int64_t ridx0 = 0; ridx0 < oidx2; ++ridx0) {
    f64x8 acc4 = (f64x8){0};
    f64x8 acc5 = splat_f64x8(-__builtin_inf());
    const int64_t oidx3 = min_i64(oidx1, ridx0 * 256 + 256);
    for (int64_t ridx1 = ridx0 * 256; ridx1 < oidx3; ++ridx1) {
      if (harp_is_set(cancel)) return;
      f64x8 acc2 = (f64x8){0};
      f64x8 acc3 = splat_f64x8(-__builtin_inf());
      const int64_t oidx4 = min_i64(oidx0, ridx1 * 256 + 256);
      for (int64_t ridx2 = ridx1 * 256; ridx2 < oidx4; ++ridx2) {
        f64x8 acc0 = (f64x8){0};
        f64x8 acc1 = splat_f64x8(-__builtin_inf());
        const int64_t oidx5 = min_i64(shape0, ridx2 * 256 + 256);
        for (int64_t ridx3 = ridx2 * 256; ridx3 < oidx5; ++ridx3) {
          const f64x8 alu0 = *(const f64x8*)(input0 + ridx3 * 8);
          acc0 += alu0;
          acc1 = maximum_f64x8(acc1, alu0);
        }
        acc2 += acc0;
        acc3 = maximum_f64x8(acc3, acc1);
      }
      acc4 += acc2;
      acc5 = maximum_f64x8(acc5, acc3);
    }
    *(f64x8*)acc6 += acc4;
    *(f64x8*)acc7 = maximum_f64x8(*(f64x8*)acc7, acc5);
  }
  for (int64_t ridx4 = 0; ridx4 < 8; ridx4 += 8) {
    *(f64x8*)(output0 + ridx4) = *(f64x8*)(acc7 + ridx4) - *(f64x8*)(acc6 + ridx4);
    *(f64x8*)(output1 + ridx4) = *(f64x8*)(acc6 + ridx4);
  }
}

struct kernel_2_args { const double* input0; const double* input1; double* output0; };

/* generation 2 · elementwise over [n, 8] · elementwise [thread, sequential simd=8] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const double* input0 = a->input0;
  const double* input1 = a->input1;
  double* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const double* input0_row = input0 + ridx0 * 8;
    double* output0_row = output0 + ridx0 * 8;
    for (int64_t ridx1 = 0; ridx1 < 8; ridx1 += 8) {
      *(f64x8*)(output0_row + ridx1) = *(const f64x8*)(input0_row + ridx1) * *(const f64x8*)(input1 + ridx1);
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

void* malloc(size_t size);
void free(void* memory);
/* Returns the workspace, or 0 if there is no memory or size is 0. `*own` is what harp_release must free. */
static char* harp_allocate(const harp_runtime* rt, size_t size, void** own) {
  *own = 0;
  if (!size) return 0;
  if (rt && rt->workspace && rt->workspace_size >= size) return rt->workspace;
  if (rt && rt->alloc) return *own = rt->alloc(rt->self, size);
  if (size > (size_t)-64) return 0;
  *own = malloc(size + 63);
  return *own ? (char*)(((size_t)*own + 63) / 64 * 64) : 0;
}
static void harp_release(const harp_runtime* rt, void* own) {
  if (!own) return;
  if (rt && rt->alloc) rt->free(rt->self, own);
  else free(own);
}

static void kernel_main(const double* input0, const double* input1, double* output0, double* output1, int64_t shape0, char* workspace, const harp_runtime* rt, const volatile int32_t* cancel) {
  double* const tmp0 = (double*)(workspace + 0);
  double* const tmp1 = (double*)(workspace + shape0 * 64);
  { /* generation 0 */
    struct kernel_0_args args0 = {input0, input1, tmp0};
    harp_for(rt, cancel, shape0, shape0 * 8536, kernel_0, &args0);
  }
  /* generation 1 */
  if (harp_is_set(cancel)) return;
  kernel_1(tmp0, output1, tmp1, shape0, cancel);
  { /* generation 2 */
    struct kernel_2_args args0 = {tmp0, tmp1, output0};
    harp_for(rt, cancel, shape0, shape0 * 2136, kernel_2, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const int64_t shape0 = (int64_t)shape_vars[0];
  const size_t bytes = (size_t)(shape0 * 64 + 64);
  void* own;
  char* workspace = harp_allocate(rt, bytes, &own);
  if (!workspace && bytes) return 11; /* out of memory */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], outputs[1], (int64_t)shape_vars[0], workspace, rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  harp_release(rt, own);
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
