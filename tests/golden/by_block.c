/* harp · graph "by_block" · target x86-64-v4 · stable, law 9 · 2 kernels, 1 generation
   x: f32[8, 256, 512] -> y: f32[8, 256, 512]
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
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), aligned(4), may_alias));

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f32x16 in_register_f32x16(f32x16 x) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_rangeps512_mask)
  __asm__("" : "+v"(x)); /* without this, gcc loads it again at each use */
  return x;
#else
  return x;
#endif
}

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

static inline uint16_t ne_f32x16(f32x16 a, f32x16 b) { return __builtin_ia32_cmpps512_mask(a, b, 4, 0xffff, 4); }

static inline f32x16 greater_number_f32x16(f32x16 x, f32x16 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_rangeps512_mask)
  return __builtin_ia32_rangeps512_mask(x, y, 5, x, 0xffff, 4); /* the greater, +0 > -0 */
#else
  const i32x16 alu0 = (i32x16)greater_f32x16(x, y);
  const i32x16 alu1 = (i32x16)greater_f32x16(y, x);
  const f32x16 alu2 = (f32x16)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
  return blend_f32x16(ne_f32x16(y, y), x, alu2);
#endif
}

static inline f32x16 found_nan_f32x16(f32x16 x, f32x16 y, f32x16 z) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_blendmps_512_mask)
  return __builtin_ia32_blendmps_512_mask(x, (f32x16){0} + __builtin_nanf(""), __builtin_ia32_cmpps512_mask(y, z, 3, 0xffff, 4)); /* unordered */
#else
  return blend_f32x16(ne_f32x16(y, y) | ne_f32x16(z, z), splat_f32x16(__builtin_nanf("")), x);
#endif
}

static inline f32x16 maximum_f32x16(f32x16 x, f32x16 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps512_mask) && __has_builtin(__builtin_ia32_pternlogd512_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i32x16 a = (i32x16)__builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4), b = (i32x16)__builtin_ia32_maxps512_mask(y, x, x, 0xffff, 4);
  return (f32x16)__builtin_ia32_pternlogd512_mask(b, a, ((i32x16){0} + 0x7fffffff), 0xe8, 0xffff);
#else
  const i32x16 alu0 = (i32x16)greater_f32x16(x, y);
  const i32x16 alu1 = (i32x16)greater_f32x16(y, x);
  return (f32x16)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

/* a where the lane's bit is set, else b. */
static inline f32x8 blend_f32x8(uint8_t m, f32x8 a, f32x8 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_256(m, a, b);
#else
  return __builtin_ia32_blendmps_256_mask(b, a, m);
#endif
}

static inline uint8_t lt_f32x8(f32x8 a, f32x8 b) { return __builtin_ia32_cmpps256_mask(a, b, 1, 0xff); }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x8 greater_f32x8(f32x8 x, f32x8 y) {
#if defined(__clang__)
  return blend_f32x8(lt_f32x8(y, x), x, y);
#else
  return __builtin_ia32_maxps256(x, y);
#endif
}

static inline f32x8 maximum_f32x8(f32x8 x, f32x8 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps256) && __has_builtin(__builtin_ia32_pternlogd256_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i32x8 a = (i32x8)__builtin_ia32_maxps256(x, y), b = (i32x8)__builtin_ia32_maxps256(y, x);
  return (f32x8)__builtin_ia32_pternlogd256_mask(b, a, ((i32x8){0} + 0x7fffffff), 0xe8, 0xff);
#else
  const i32x8 alu0 = (i32x8)greater_f32x8(x, y);
  const i32x8 alu1 = (i32x8)greater_f32x8(y, x);
  return (f32x8)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

/* a where the lane's bit is set, else b. */
static inline f32x4 blend_f32x4(uint8_t m, f32x4 a, f32x4 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_128(m, a, b);
#else
  return __builtin_ia32_blendmps_128_mask(b, a, m);
#endif
}

static inline uint8_t lt_f32x4(f32x4 a, f32x4 b) { return __builtin_ia32_cmpps128_mask(a, b, 1, 0xff); }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x4 greater_f32x4(f32x4 x, f32x4 y) {
#if defined(__clang__)
  return blend_f32x4(lt_f32x4(y, x), x, y);
#else
  return __builtin_ia32_maxps(x, y);
#endif
}

static inline f32x4 maximum_f32x4(f32x4 x, f32x4 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps) && __has_builtin(__builtin_ia32_pternlogd128_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i32x4 a = (i32x4)__builtin_ia32_maxps(x, y), b = (i32x4)__builtin_ia32_maxps(y, x);
  return (f32x4)__builtin_ia32_pternlogd128_mask(b, a, ((i32x4){0} + 0x7fffffff), 0xe8, 0xff);
#else
  const i32x4 alu0 = (i32x4)greater_f32x4(x, y);
  const i32x4 alu1 = (i32x4)greater_f32x4(y, x);
  return (f32x4)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_maximum_4_f32x16(const f32x16* s) {
  const f32x16 a0 = maximum_f32x16(s[0], s[2]);
  const f32x16 a1 = maximum_f32x16(s[1], s[3]);
  const f32x16 b0 = maximum_f32x16(a0, a1);
  const f32x8 c0 = maximum_f32x8(__builtin_shufflevector(b0, b0, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(b0, b0, 8, 9, 10, 11, 12, 13, 14, 15));
  const f32x4 d0 = maximum_f32x4(__builtin_shufflevector(c0, c0, 0, 1, 2, 3), __builtin_shufflevector(c0, c0, 4, 5, 6, 7));
  const f32x4 e0 = maximum_f32x4(d0, __builtin_shufflevector(d0, d0, 2, 3, 2, 3));
  const f32x4 f0 = maximum_f32x4(e0, __builtin_shufflevector(e0, e0, 1, 1, 1, 1));
  return f0[0];
}

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 lesser_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(x, y), x, y);
#else
  return __builtin_ia32_minps512_mask(x, y, x, 0xffff, 4);
#endif
}

/* A constant in a register. Without this, gcc loads it from memory at each use. */
static inline __attribute__((always_inline)) f32x16 held_f32x16(float x) {
  f32x16 c = splat_f32x16(x);
#if !defined(__clang__)
  __asm__("" : "+v"(c));
#endif
  return c;
}

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

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_add_4_f32x16(const f32x16* s) {
  const f32x16 a0 = s[0] + s[2];
  const f32x16 a1 = s[1] + s[3];
  const f32x16 b0 = a0 + a1;
  const f32x8 c0 = __builtin_shufflevector(b0, b0, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(b0, b0, 8, 9, 10, 11, 12, 13, 14, 15);
  const f32x4 d0 = __builtin_shufflevector(c0, c0, 0, 1, 2, 3) + __builtin_shufflevector(c0, c0, 4, 5, 6, 7);
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

struct kernel_0_args { const float* input0; char* scratch; };

/* generation 0 · rowwise over [8, 256] · max of [8, 256, 512] axes [2] lanes · sum of [8, 256, 512] axes [2] lanes · rowwise [thread, sequential, reduce simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  char* scratch = a->scratch + worker * 786432;
  (void)worker;
  float* output0 = (float*)(scratch + 262144);
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    for (int64_t ridx1 = 0; ridx1 < 256; ++ridx1) {
      float row0[512] __attribute__((aligned(64)));
      f32x16 acc1[4] __attribute__((aligned(64)));
      for (int i = 0; i < 4; ++i) acc1[i] = splat_f32x16(-__builtin_inff());
      f32x16 acc2[2] __attribute__((aligned(64)));
      for (int i = 0; i < 2; ++i) acc2[i] = splat_f32x16(-__builtin_inff());
      const float* input0_row = input0 + ridx0 * 131072 + ridx1 * 512;
      for (int64_t ridx2 = 0; ridx2 < 512; ridx2 += 64) {
        const f32x16 alu0 = in_register_f32x16(*(const f32x16*)(input0_row + ridx2));
        acc1[0] = greater_number_f32x16(acc1[0], alu0);
        const f32x16 alu1 = in_register_f32x16(*(const f32x16*)(input0_row + ridx2 + 16));
        acc1[1] = greater_number_f32x16(acc1[1], alu1);
        const f32x16 alu2 = *(const f32x16*)(input0_row + ridx2 + 32);
        acc1[2] = greater_number_f32x16(acc1[2], alu2);
        const f32x16 alu3 = *(const f32x16*)(input0_row + ridx2 + 48);
        acc1[3] = greater_number_f32x16(acc1[3], alu3);
        acc2[0] = found_nan_f32x16(acc2[0], alu0, alu2);
        acc2[1] = found_nan_f32x16(acc2[1], alu1, alu3);
      }
      acc1[0] = maximum_f32x16(acc1[0], acc2[0]);
      acc1[1] = maximum_f32x16(acc1[1], acc2[1]);
      const float acc1_folded = fold_maximum_4_f32x16(acc1);
      f32x16 acc3[4] __attribute__((aligned(64)));
      for (int i = 0; i < 4; ++i) acc3[i] = (f32x16){0};
      float* output0_row = output0 + ridx1 * 512;
      const float alu4 = -acc1_folded;
      for (int64_t ridx3 = 0; ridx3 < 512; ridx3 += 64) {
        __builtin_prefetch(input0_row + ridx3 + 2048, 0, 3);
        __builtin_prefetch(input0_row + ridx3 + 2064, 0, 3);
        __builtin_prefetch(input0_row + ridx3 + 2080, 0, 3);
        __builtin_prefetch(input0_row + ridx3 + 2096, 0, 3);
        __builtin_prefetch(output0_row + ridx3, 1, 2);
        __builtin_prefetch(output0_row + ridx3 + 16, 1, 2);
        __builtin_prefetch(output0_row + ridx3 + 32, 1, 2);
        __builtin_prefetch(output0_row + ridx3 + 48, 1, 2);
        const f32x16 alu5 = exp_f32x16(*(const f32x16*)(input0_row + ridx3) + alu4);
        *(f32x16*)(row0 + ridx3) = alu5;
        acc3[0] += alu5;
        const f32x16 alu6 = exp_f32x16(*(const f32x16*)(input0_row + ridx3 + 16) + alu4);
        *(f32x16*)(row0 + ridx3 + 16) = alu6;
        acc3[1] += alu6;
        const f32x16 alu7 = exp_f32x16(*(const f32x16*)(input0_row + ridx3 + 32) + alu4);
        *(f32x16*)(row0 + ridx3 + 32) = alu7;
        acc3[2] += alu7;
        const f32x16 alu8 = exp_f32x16(*(const f32x16*)(input0_row + ridx3 + 48) + alu4);
        *(f32x16*)(row0 + ridx3 + 48) = alu8;
        acc3[3] += alu8;
      }
      const float acc3_folded = fold_add_4_f32x16(acc3);
      const float alu9 = 1.0f / acc3_folded;
      for (int64_t ridx4 = 0; ridx4 < 512; ridx4 += 16) {
        *(f32x16*)(output0_row + ridx4) = *(f32x16*)(row0 + ridx4) * alu9;
      }
    }
  }
}

struct kernel_1_args { float* output0; char* scratch; };

/* generation 0 · rowwise over [8, 512] · max of [8, 256, 512] axes [1] chain · sum of [8, 256, 512] axes [1] chain · rowwise [thread, sequential tile=256 simd=16, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  float* output0 = a->output0;
  char* scratch = a->scratch + worker * 786432;
  (void)worker;
  const float* input0 = (const float*)(scratch + 262144);
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    for (int64_t ridx1 = 0; ridx1 < 2; ++ridx1) {
      float* const row0 = (float*)scratch;
      float acc1[256] __attribute__((aligned(64)));
      for (int i = 0; i < 256; ++i) acc1[i] = -__builtin_inff();
      for (int64_t ridx2 = 0; ridx2 < 256; ridx2 += 8) {
        const float* input0_row = input0 + ridx1 * 256 + ridx2 * 512;
        for (int64_t ridx3 = 0; ridx3 < 256; ridx3 += 16) {
          const f32x16 alu0 = maximum_f32x16(maximum_f32x16(*(f32x16*)(acc1 + ridx3), *(const f32x16*)(input0_row + ridx3)), *(const f32x16*)(input0_row + ridx3 + 512));
          const f32x16 alu1 = maximum_f32x16(maximum_f32x16(alu0, *(const f32x16*)(input0_row + ridx3 + 1024)), *(const f32x16*)(input0_row + ridx3 + 1536));
          const f32x16 alu2 = maximum_f32x16(maximum_f32x16(alu1, *(const f32x16*)(input0_row + ridx3 + 2048)), *(const f32x16*)(input0_row + ridx3 + 2560));
          *(f32x16*)(acc1 + ridx3) = maximum_f32x16(maximum_f32x16(alu2, *(const f32x16*)(input0_row + ridx3 + 3072)), *(const f32x16*)(input0_row + ridx3 + 3584));
        }
      }
      float acc2[256] __attribute__((aligned(64)));
      for (int i = 0; i < 256; ++i) acc2[i] = 0.0f;
      for (int64_t ridx4 = 0; ridx4 < 256; ridx4 += 8) {
        const float* input0_row1 = input0 + ridx1 * 256 + ridx4 * 512;
        for (int64_t ridx5 = 0; ridx5 < 256; ridx5 += 16) {
          const f32x16 alu3 = -*(f32x16*)(acc1 + ridx5);
          const f32x16 alu4 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5) + alu3);
          float* row0_at = row0 + ridx4 * 256 + ridx5;
          *(f32x16*)row0_at = alu4;
          const f32x16 alu5 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 512) + alu3);
          *(f32x16*)(row0_at + 256) = alu5;
          const f32x16 alu6 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 1024) + alu3);
          *(f32x16*)(row0_at + 512) = alu6;
          const f32x16 alu7 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 1536) + alu3);
          *(f32x16*)(row0_at + 768) = alu7;
          const f32x16 alu8 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 2048) + alu3);
          *(f32x16*)(row0_at + 1024) = alu8;
          const f32x16 alu9 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 2560) + alu3);
          *(f32x16*)(row0_at + 1280) = alu9;
          const f32x16 alu10 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 3072) + alu3);
          *(f32x16*)(row0_at + 1536) = alu10;
          const f32x16 alu11 = exp_f32x16(*(const f32x16*)(input0_row1 + ridx5 + 3584) + alu3);
          *(f32x16*)(row0_at + 1792) = alu11;
          const f32x16 alu12 = *(f32x16*)(acc2 + ridx5) + alu4 + alu5 + alu6 + alu7 + alu8;
          *(f32x16*)(acc2 + ridx5) = alu12 + alu9 + alu10 + alu11;
        }
      }
      float row3[256] __attribute__((aligned(64)));
      for (int64_t ridx6 = 0; ridx6 < 256; ridx6 += 16) {
        *(f32x16*)(row3 + ridx6) = 1.0f / *(f32x16*)(acc2 + ridx6);
      }
      for (int64_t ridx7 = 0; ridx7 < 256; ++ridx7) {
        float* output0_row = output0 + ridx0 * 131072 + ridx1 * 256 + ridx7 * 512;
        for (int64_t ridx8 = 0; ridx8 < 256; ridx8 += 16) {
          *(f32x16*)(output0_row + ridx8) = *(f32x16*)(row0 + ridx7 * 256 + ridx8) * *(f32x16*)(row3 + ridx8);
        }
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

struct harp_call { harp_range_body kernel; void* arg; };
struct harp_chain { const struct harp_call* calls; size_t count; };
/* Runs all kernels of a chain on one block, then on the next block. A kernel thus finds in the cache what the kernel before it stored. */
static void harp_run_chain(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_chain* chain = arg;
  for (size_t block = begin; block < end; ++block)
    for (const struct harp_call* call = chain->calls; call < chain->calls + chain->count; ++call)
      if (call->kernel) call->kernel(call->arg, block, block + 1, worker);
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

static void kernel_main(const float* input0, float* output0, char* workspace, const harp_runtime* rt, const volatile int32_t* cancel) {
  { /* generation 0: all kernels on the first of 8 blocks, then all on the next */
    struct kernel_0_args args0 = {input0, workspace};
    struct kernel_1_args args1 = {output0, workspace};
    const struct harp_call calls[] = {{kernel_0, &args0}, {kernel_1, &args1}};
    struct harp_chain chain = {calls, 2};
    harp_for(rt, cancel, 8, 1041032192, harp_run_chain, &chain);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  (void)shape_vars;
  const size_t bytes = (size_t)((rt && rt->width > 1 ? (int64_t)rt->width : 1) * 786432);
  void* own;
  char* workspace = harp_allocate(rt, bytes, &own);
  if (!workspace && bytes) return 11; /* out of memory */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], workspace, rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  harp_release(rt, own);
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
