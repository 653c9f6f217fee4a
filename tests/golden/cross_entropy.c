/* harp · graph "cross_entropy" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   x: f32[64, 1000], classes: i64[64] -> loss: f32[64]
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

static inline f32x16 load_masked_f32x16(const float* p, uint16_t m) {
  if (m == 0) return (f32x16){0}; /* no load: the address may be invalid */
  return (f32x16)__builtin_ia32_loadups512_mask((const void*)p, (f32x16){0}, m);
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

static __attribute__((noinline, cold)) int64_t clamp_any_index_i64(int64_t x, int64_t y) {
  const int64_t alu0 = x < 0l ? x + y : x;
  const int64_t alu1 = alu0 < 0l ? 0l : alu0;
  return alu1 < y ? alu1 : y - 1l;
}
static inline int64_t clamp_index_i64(int64_t x, int64_t y) {
  return __builtin_expect((uint64_t)x < (uint64_t)y, 1) ? x : clamp_any_index_i64(x, y);
}

static inline int32_t bits_i32_f32(float x) {
  union { float from; int32_t to; } u;
  u.from = x;
  return u.to;
}

static inline float minus_exponent_near_one_f32(float x) {
  const _Bool alu0 = x < 1.1754944e-38f;
  const int32_t alu1 = bits_i32_f32(alu0 ? x * 8388608.0f : x) - 1061158912;
  const int32_t alu2 = -(alu1 >> 23);
  return (float)(alu0 ? alu2 + 23 : alu2);
}

static inline float bits_f32_i32(int32_t x) {
  union { int32_t from; float to; } u;
  u.from = x;
  return u.to;
}

static inline float mantissa_near_one_f32(float x) {
  const int32_t alu0 = bits_i32_f32(x < 1.1754944e-38f ? x * 8388608.0f : x);
  const int32_t alu1 = alu0 - (((alu0 - 1061158912) >> 23) << 23);
  return bits_f32_i32(alu1);
}

static inline float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

static const float log_centres[16] = {
    0.0f, 0.08882904f, 0.13381958f, 0.19664764f, 0.23866272f, 0.29049683f, 0.34126282f, 0.37704468f, -0.2588501f, -0.21957397f, -0.19059753f, -0.14916229f, -0.11103821f, -0.08054352f, -0.044944763f, 0.0f};

static const float log_inverses[16] = {
    1.0f, 0.915002f, 0.8747479f, 0.82148004f, 0.7876805f, 0.7478919f, 0.71087205f, 0.6858854f, 1.2954396f, 1.245546f, 1.2099724f, 1.1608614f, 1.1174376f, 1.083876f, 1.0459701f, 1.0f};

static inline float log_at_limits_f32(float x, float y) {
  const float alu0 = x < 0.0f ? __builtin_nanf("") : (x < __builtin_inff() ? y : x);
  return (x == 0.0f) ? -__builtin_inff() : alu0;
}

static inline float log_f32(float x) {
  const float alu0 = minus_exponent_near_one_f32(x);
  const float alu1 = mantissa_near_one_f32(x);
  const int32_t alu2 = bits_i32_f32(alu1) >> 19;
  const float alu3 = fma_f32(alu0, -0.69314575f, log_centres[alu2 & 15]);
  const float alu4 = fma_f32(alu1, log_inverses[alu2 & 15], -1.0f);
  const float alu5 = alu3 + alu4;
  const float alu6 = fma_f32(fma_f32(fma_f32(0.18869194f, alu4, -0.25007552f), alu4, 0.33334434f), alu4, -0.5f);
  const float alu7 = alu4 - (alu5 - alu3) + fma_f32(alu4 * alu4, alu6, alu0 * -1.4286068e-06f);
  return log_at_limits_f32(x, alu5 + alu7);
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

struct kernel_0_args { const float* input0; const int64_t* input1; float* output0; };

/* generation 0 · rowwise over [64] · max of [64, 1000] axes [1] lanes · sum of [64, 1000] axes [1] lanes · rowwise [thread, reduce simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const int64_t* input1 = a->input1;
  float* output0 = a->output0;
  (void)worker;
  const uint16_t alu9 = 255;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    f32x16 acc0[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc0[i] = splat_f32x16(-__builtin_inff());
    f32x16 acc1[2] __attribute__((aligned(64)));
    for (int i = 0; i < 2; ++i) acc1[i] = splat_f32x16(-__builtin_inff());
    const float* input0_row = input0 + ridx0 * 1000;
    for (int64_t ridx1 = 0; ridx1 < 960; ridx1 += 64) {
      const f32x16 alu0 = in_register_f32x16(*(const f32x16*)(input0_row + ridx1));
      acc0[0] = greater_number_f32x16(acc0[0], alu0);
      const f32x16 alu1 = in_register_f32x16(*(const f32x16*)(input0_row + ridx1 + 16));
      acc0[1] = greater_number_f32x16(acc0[1], alu1);
      const f32x16 alu2 = *(const f32x16*)(input0_row + ridx1 + 32);
      acc0[2] = greater_number_f32x16(acc0[2], alu2);
      const f32x16 alu3 = *(const f32x16*)(input0_row + ridx1 + 48);
      acc0[3] = greater_number_f32x16(acc0[3], alu3);
      acc1[0] = found_nan_f32x16(acc1[0], alu0, alu2);
      acc1[1] = found_nan_f32x16(acc1[1], alu1, alu3);
    }
    const f32x16 alu4 = in_register_f32x16(*(const f32x16*)(input0 + ridx0 * 1000 + 936));
    acc0[0] = greater_number_f32x16(acc0[0], alu4);
    const f32x16 alu5 = in_register_f32x16(*(const f32x16*)(input0 + ridx0 * 1000 + 952));
    acc0[1] = greater_number_f32x16(acc0[1], alu5);
    const f32x16 alu6 = *(const f32x16*)(input0 + ridx0 * 1000 + 968);
    acc0[2] = greater_number_f32x16(acc0[2], alu6);
    const f32x16 alu7 = *(const f32x16*)(input0 + ridx0 * 1000 + 984);
    acc0[3] = greater_number_f32x16(acc0[3], alu7);
    acc1[0] = found_nan_f32x16(acc1[0], alu4, alu6);
    acc1[1] = found_nan_f32x16(acc1[1], alu5, alu7);
    acc0[0] = maximum_f32x16(acc0[0], acc1[0]);
    acc0[1] = maximum_f32x16(acc0[1], acc1[1]);
    const float acc0_folded = fold_maximum_4_f32x16(acc0);
    f32x16 acc2[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc2[i] = (f32x16){0};
    const float alu8 = -acc0_folded;
    for (int64_t ridx2 = 0; ridx2 < 960; ridx2 += 64) {
      __builtin_prefetch(input0_row + ridx2 + 3000, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 3016, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 3032, 0, 3);
      __builtin_prefetch(input0_row + ridx2 + 3048, 0, 3);
      acc2[0] += exp_f32x16(*(const f32x16*)(input0_row + ridx2) + alu8);
      acc2[1] += exp_f32x16(*(const f32x16*)(input0_row + ridx2 + 16) + alu8);
      acc2[2] += exp_f32x16(*(const f32x16*)(input0_row + ridx2 + 32) + alu8);
      acc2[3] += exp_f32x16(*(const f32x16*)(input0_row + ridx2 + 48) + alu8);
    }
    acc2[0] += exp_f32x16(*(const f32x16*)(input0 + ridx0 * 1000 + 960) + alu8);
    acc2[1] += exp_f32x16(*(const f32x16*)(input0 + ridx0 * 1000 + 976) + alu8);
    acc2[2] += blend_f32x16(alu9, exp_f32x16(load_masked_f32x16(input0 + ridx0 * 1000 + 992, alu9) + alu8), splat_f32x16(0.0f));
    const float acc2_folded = fold_add_4_f32x16(acc2);
    const int64_t alu10 = input1[ridx0];
    const int64_t alu11 = (int64_t)(int32_t)alu10;
    const float alu12 = input0[clamp_index_i64(alu11, 1000l) + ridx0 * 1000] + alu8;
    const float alu13 = (0l <= alu11 && alu11 < 1000l) ? alu12 + 0.0f : 0.0f;
    output0[ridx0] = (0l <= alu10 && alu10 < 1000l) ? log_f32(acc2_folded) - alu13 : __builtin_nanf("");
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

static void kernel_main(const float* input0, const int64_t* input1, float* output0, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, input1, output0};
    harp_for(rt, cancel, 64, 27120416, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  (void)shape_vars;
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
