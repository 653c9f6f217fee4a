/* harp · graph "bias_gelu" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   x: f32[n, 1024], b: f32[1024] -> y: f32[n, 1024]
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

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 greater_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(y, x), x, y);
#else
  return __builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4);
#endif
}

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 lesser_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(x, y), x, y);
#else
  return __builtin_ia32_minps512_mask(x, y, x, 0xffff, 4);
#endif
}

static inline f32x16 abs_f32x16(f32x16 a) {
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) r[lane] = __builtin_fabsf(a[lane]);
  return r;
}

static const float tanh_centre[16] = {
    1.2382687f, 1.7375621f, 2.2381015f, 2.7396636f, 3.3798099f, 4.376624f, 5.4025474f, 6.408919f, 7.768365f, 9.0f, 9.0f, 9.0f, 0.0f, 0.36931723f, 0.61929864f, 0.8688089f};

static inline f32x16 lookup_tanh_centre_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_centre;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
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

static const float tanh_6[16] = {
    0.0151238255f, 0.002127647f, -0.0007165623f, -0.00054864225f, -0.0001584971f, -2.2739261e-05f, -3.1148668e-06f, -3.3397845e-07f, -2.3745569e-08f, 0.0f, 0.0f, 0.0f, -0.036977116f, -0.06945178f, -0.024266033f, 0.012919919f};

static inline f32x16 lookup_tanh_6_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_6;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_5[16] = {
    -0.020742806f, 0.0033263133f, 0.0040289024f, 0.0019489375f, 0.0006037943f, 8.500264e-05f, 1.1063725e-05f, 1.4866939e-06f, 1.0273405e-07f, 0.0f, 0.0f, 0.0f, 0.14308433f, 0.021164749f, -0.05374481f, -0.05932616f};

static inline f32x16 lookup_tanh_5_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_5;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_4[16] = {
    -0.0114028035f, -0.023739649f, -0.012561283f, -0.0051995222f, -0.0015253905f, -0.00021125036f, -2.7172997e-05f, -3.6813237e-06f, -2.4670305e-07f, 0.0f, 0.0f, 0.0f, -0.0011837389f, 0.16754924f, 0.13944194f, 0.06262375f};

static inline f32x16 lookup_tanh_4_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_4;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_3[16] = {
    0.10888816f, 0.06410388f, 0.02767986f, 0.010759157f, 0.003063665f, 0.00042063845f, 5.409679e-05f, 7.2296e-06f, 4.7540166e-07f, 0.0f, 0.0f, 0.0f, -0.3332702f, -0.18241197f, -0.020995283f, 0.08028277f};

static inline f32x16 lookup_tanh_3_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_3;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_2[16] = {
    -0.24169369f, -0.109509744f, -0.043487262f, -0.016412627f, -0.004616815f, -0.000631329f, -8.117167e-05f, -1.0840753e-05f, -7.1392384e-07f, 0.0f, 0.0f, 0.0f, -1.0973894e-06f, -0.30925983f, -0.38368344f, -0.35663763f};

static inline f32x16 lookup_tanh_2_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_2;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_1[16] = {
    0.28604063f, 0.11650663f, 0.044488113f, 0.01655016f, 0.0046279402f, 0.00063158997f, 8.118033e-05f, 1.0847794e-05f, 7.1548146e-07f, 0.0f, 0.0f, 0.0f, 1.0f, 0.8751124f, 0.6967961f, 0.50892353f};

static inline f32x16 lookup_tanh_1_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_1;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_0[16] = {
    0.8449611f, 0.93994325f, 0.9775029f, 0.9916904f, 0.99768335f, 0.99968415f, 0.9999594f, 0.9999946f, 0.99999964f, 1.0f, 1.0f, 1.0f, 0.0f, 0.35339436f, 0.5506395f, 0.7007685f};

static inline f32x16 lookup_tanh_0_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_0;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static inline f32x16 or_sign_f32x16(f32x16 x, f32x16 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_pternlogd512_mask)
  typedef int bits __attribute__((vector_size(64)));
  return (f32x16)__builtin_ia32_pternlogd512_mask((bits)x, (bits)y, (bits){0} + (-0x7fffffff - 1), 0xf8, 0xffff); /* x | y & sign */
#else
  return (f32x16)((i32x16)x | ((i32x16)y & (-2147483647 - 1)));
#endif
}

static inline f32x16 tanh_f32x16(f32x16 x) {
  const f32x16 alu0 = abs_f32x16(x);
  const f32x16 alu1 = lesser_f32x16(splat_f32x16(9.02f), alu0);
  const i32x16 alu2 = (i32x16)(1.0f + alu1) >> 21;
  const f32x16 alu3 = alu1 - lookup_tanh_centre_x16(alu2);
  const f32x16 alu4 = fma_f32x16(fma_f32x16(lookup_tanh_6_x16(alu2), alu3, lookup_tanh_5_x16(alu2)), alu3, lookup_tanh_4_x16(alu2));
  const f32x16 alu5 = fma_f32x16(fma_f32x16(alu4, alu3, lookup_tanh_3_x16(alu2)), alu3, lookup_tanh_2_x16(alu2));
  const f32x16 alu6 = fma_f32x16(fma_f32x16(alu5, alu3, lookup_tanh_1_x16(alu2)), alu3, lookup_tanh_0_x16(alu2));
  return or_sign_f32x16(alu6, x);
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

struct kernel_0_args { const float* input0; const float* input1; float* output0; };

/* generation 0 · elementwise over [n, 1024] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    __builtin_prefetch(input0 + ridx0 * 1024 + 4096, 0, 2);
    const float* input0_row = input0 + ridx0 * 1024;
    float* output0_row = output0 + ridx0 * 1024;
    for (int64_t ridx1 = 0; ridx1 < 1024; ridx1 += 16) {
      const f32x16 alu0 = *(const f32x16*)(input0_row + ridx1) + *(const f32x16*)(input1 + ridx1);
      const f32x16 alu1 = greater_f32x16(splat_f32x16(-16.0f), alu0);
      const f32x16 alu2 = lesser_f32x16(splat_f32x16(16.0f), alu1);
      const f32x16 alu3 = (alu2 + alu2 * alu2 * alu2 * 0.044715f) * 0.7978846f;
      *(f32x16*)(output0_row + ridx1) = alu0 * 0.5f * (tanh_f32x16(alu3) + 1.0f);
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

static void kernel_main(const float* input0, const float* input1, float* output0, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, input1, output0};
    harp_for(rt, cancel, shape0, shape0 * 700416, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
