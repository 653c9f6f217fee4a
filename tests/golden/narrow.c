/* harp · graph "narrow" · target x86-64-v4 · stable, law 9 · 3 kernels, 1 generation
   a: i8[n], b: i8[n], h: f16[n], u: u64[n] -> sum: i8[n], e: f16[n], total: u64[]
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
typedef uint16_t f16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int16_t i16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int8_t i8x64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef long long longx8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint16_t u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint32_t u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint64_t u64x4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t u64x8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

/* a where the lane's bit is set, else b. */
static inline u32x16 blend_u32x16(uint16_t m, u32x16 a, u32x16 b) {
#if defined(__clang__)
  return (u32x16)__builtin_ia32_selectps_512(m, (f32x16)a, (f32x16)b);
#else
  return (u32x16)__builtin_ia32_blendmps_512_mask((f32x16)b, (f32x16)a, m);
#endif
}

static inline uint16_t lt_u32x16(u32x16 a, u32x16 b) { return __builtin_ia32_ucmpd512_mask((i32x16)a, (i32x16)b, 1, 0xffff); }

static inline u32x16 splat_u32x16(uint32_t x) { return (u32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* A constant in a register. Without this, gcc loads it from memory at each use. */
static inline __attribute__((always_inline)) f32x16 held_f32x16(float x) {
  f32x16 c = splat_f32x16(x);
#if !defined(__clang__)
  __asm__("" : "+v"(c));
#endif
  return c;
}

static inline __attribute__((always_inline)) f32x16 f32_of_f16x16(f16x16 x) {
#if defined(__AVX512F__) && __has_builtin(__builtin_ia32_vcvtph2ps512_mask)
  return __builtin_ia32_vcvtph2ps512_mask((i16x16)x, (f32x16){0}, 0xffff, 8);
#else
  const u32x16 alu0 = __builtin_convertvector((u16x16)x, u32x16);
  const u32x16 alu1 = (alu0 & 0x7fffu) << 13u;
  const u32x16 alu2 = blend_u32x16(lt_u32x16(alu1, splat_u32x16(0xf800000u)), (u32x16)((f32x16)alu1 * held_f32x16(5.192297e+33f)), alu1 | 0x7f800000u);
  return (f32x16)(alu2 | ((alu0 & 0x8000u) << 16u));
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

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 lesser_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(x, y), x, y);
#else
  return __builtin_ia32_minps512_mask(x, y, x, 0xffff, 4);
#endif
}

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 greater_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(y, x), x, y);
#else
  return __builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4);
#endif
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

static inline __attribute__((always_inline)) void exp_f32_of_two_x16(f32x16 x0, f32x16 x1, f32x16* r0, f32x16* r1) {
  const f32x16 alu0_0 = lesser_f32x16(held_f32x16(89.0f), x0);
  const f32x16 alu0_1 = lesser_f32x16(held_f32x16(89.0f), x1);
  const f32x16 alu1_0 = greater_f32x16(held_f32x16(-104.0f), alu0_0);
  const f32x16 alu1_1 = greater_f32x16(held_f32x16(-104.0f), alu0_1);
  const f32x16 alu2_0 = fma_f32x16(alu1_0, held_f32x16(1.442695f), held_f32x16(12582912.0f));
  const f32x16 alu2_1 = fma_f32x16(alu1_1, held_f32x16(1.442695f), held_f32x16(12582912.0f));
  const f32x16 alu3_0 = alu2_0 - 12582912.0f;
  const f32x16 alu3_1 = alu2_1 - 12582912.0f;
  const f32x16 alu4_0 = fma_f32x16(alu3_0, held_f32x16(-0.69314575f), alu1_0);
  const f32x16 alu4_1 = fma_f32x16(alu3_1, held_f32x16(-0.69314575f), alu1_1);
  const f32x16 alu5_0 = alu3_0 * held_f32x16(-1.4286068e-06f);
  const f32x16 alu5_1 = alu3_1 * held_f32x16(-1.4286068e-06f);
  const f32x16 alu6_0 = alu4_0 + alu5_0;
  const f32x16 alu6_1 = alu4_1 + alu5_1;
  const f32x16 alu7_0 = fma_f32x16(fma_f32x16(fma_f32x16(held_f32x16(0.001391077f), alu6_0, held_f32x16(0.008363099f)), alu6_0, held_f32x16(0.04166671f)), alu6_0, held_f32x16(0.16666578f));
  const f32x16 alu7_1 = fma_f32x16(fma_f32x16(fma_f32x16(held_f32x16(0.001391077f), alu6_1, held_f32x16(0.008363099f)), alu6_1, held_f32x16(0.04166671f)), alu6_1, held_f32x16(0.16666578f));
  const f32x16 alu8_0 = fma_f32x16(alu6_0 * alu6_0, fma_f32x16(alu7_0, alu6_0, held_f32x16(0.5f)), alu5_0);
  const f32x16 alu8_1 = fma_f32x16(alu6_1 * alu6_1, fma_f32x16(alu7_1, alu6_1, held_f32x16(0.5f)), alu5_1);
  *r0 = scale_f32x16(held_f32x16(1.0f) + (alu4_0 + alu8_0), alu2_0);
  *r1 = scale_f32x16(held_f32x16(1.0f) + (alu4_1 + alu8_1), alu2_1);
}

static inline f16x16 f16_of_f32x16(f32x16 x) {
#if defined(__AVX512F__) && __has_builtin(__builtin_ia32_vcvtps2ph512_mask)
  return (f16x16)__builtin_ia32_vcvtps2ph512_mask(x, 0, (i16x16){0}, 0xffff);
#else
  const u32x16 alu0 = (u32x16)x;
  const u32x16 alu1 = alu0 & 0x7fffffffu;
  const u32x16 alu2 = alu1 + 4095u + ((alu1 >> 13u) & 1u) - 0x38000000u;
  const u32x16 alu3 = blend_u32x16(lt_u32x16(alu1, splat_u32x16(0x38800000u)), (u32x16)((f32x16)alu1 + 0.5f) - 0x3f000000u, alu2 >> 13u);
  const u32x16 alu4 = blend_u32x16(lt_u32x16(splat_u32x16(0x7f800000u), alu1), splat_u32x16(0x7e00u), blend_u32x16(lt_u32x16(alu1, splat_u32x16(0x477ff000u)), alu3, splat_u32x16(0x7c00u)));
  return (f16x16)__builtin_convertvector(alu4 | ((alu0 >> 16u) & 0x8000u), u16x16);
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

/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */
static inline uint16_t first_lanes_x16(int64_t n) { return n <= 0 ? 0 : n >= 16 ? 0xffff : (uint16_t)((1u << n) - 1); }

static inline f16x16 load_masked_f16x16(const uint16_t* p, uint16_t m) {
  if (m == 0) return (f16x16){0}; /* no load: the address may be invalid */
  return (f16x16)__builtin_ia32_loaddquhi256_mask((const void*)p, (i16x16){0}, m);
}

static inline void store_masked_f16x16(uint16_t* p, f16x16 x, uint16_t m) {
  if (m != 0) __builtin_ia32_storedquhi256_mask((void*)p, (i16x16)x, m);
}

static inline u64x8 load_masked_u64x8(const uint64_t* p, uint8_t m) {
  if (m == 0) return (u64x8){0}; /* no load: the address may be invalid */
  return (u64x8)__builtin_ia32_loaddqudi512_mask((const void*)p, (longx8){0}, m);
}

/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */
static inline uint8_t first_lanes_x8(int64_t n) { return n <= 0 ? 0 : n >= 8 ? 0xff : (uint8_t)((1u << n) - 1); }

/* Combines element i with element i + half, then repeats this on the first half. */
static inline uint64_t fold_add_8_u64x8(const u64x8* s) {
  const u64x8 a0 = s[0] + s[4];
  const u64x8 a1 = s[1] + s[5];
  const u64x8 a2 = s[2] + s[6];
  const u64x8 a3 = s[3] + s[7];
  const u64x8 b0 = a0 + a2;
  const u64x8 b1 = a1 + a3;
  const u64x8 c0 = b0 + b1;
  const u64x4 d0 = __builtin_shufflevector(c0, c0, 0, 1, 2, 3) + __builtin_shufflevector(c0, c0, 4, 5, 6, 7);
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

struct kernel_0_args { const int8_t* input0; const int8_t* input1; int8_t* output0; int64_t shape0; };

/* generation 0 · elementwise over [n] · elementwise [thread simd=64] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const int8_t* input0 = a->input0;
  const int8_t* input1 = a->input1;
  int8_t* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0, ridx0 * 4096 + 4096);
    const int64_t oidx1 = oidx0 & 63;
    if (ridx0 * 4096 + 64 <= oidx0) {
      for (int64_t ridx1 = ridx0 * 4096; ridx1 < oidx0 - 127; ridx1 += 64) {
        *(i8x64*)(output0 + ridx1) = *(const i8x64*)(input0 + ridx1) + *(const i8x64*)(input1 + ridx1);
      }
      const i8x64 alu0 = *(const i8x64*)(input0 + oidx0 - 64);
      const i8x64 alu1 = *(const i8x64*)(input1 + oidx0 - 64);
      *(i8x64*)(output0 + oidx0 - oidx1 - 64) = *(const i8x64*)(input0 + oidx0 - oidx1 - 64) + *(const i8x64*)(input1 + oidx0 - oidx1 - 64);
      *(i8x64*)(output0 + oidx0 - 64) = alu0 + alu1;
    } else {
      for (int64_t ridx2 = ridx0 * 4096; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = (int8_t)(input0[ridx2] + input1[ridx2]);
      }
    }
  }
}

struct kernel_1_args { const uint16_t* input0; uint16_t* output0; int64_t shape0; };

/* generation 0 · elementwise over [n] · elementwise [thread unroll=2 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const uint16_t* input0 = a->input0;
  uint16_t* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0, ridx0 * 4096 + 4096);
    const int64_t oidx1 = oidx0 & 31;
    const int64_t oidx2 = oidx0 & 15;
    if (ridx0 * 4096 + 128 <= oidx0) {
      uint16_t kept0[16] __attribute__((aligned(32))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(f16x16*)kept0 = *(const f16x16*)(input0 + ridx0 * 4096);
      const uint16_t* kept0_source = input0; /* where a step reads: the last one in kept0 */
      uint16_t kept1[16] __attribute__((aligned(32))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(f16x16*)kept1 = *(const f16x16*)(input0 + ridx0 * 4096 + 16);
      const uint16_t* kept1_source = input0; /* where a step reads: the last one in kept1 */
      for (int64_t ridx1 = ridx0 * 4096 + oidx1, ridx1_last = oidx0 - 32; ridx1 <= ridx1_last; kept0_source = (const uint16_t*)((size_t)kept0 - (size_t)(ridx0 * 4096) * 2), kept1_source = (const uint16_t*)((size_t)kept1 - (size_t)(ridx0 * 4096 + 16) * 2), ridx1 = ridx1_last > ridx0 * 4096 && oidx1 > 0 ? ridx0 * 4096 : oidx0, ridx1_last = ridx0 * 4096) { /* the first step overlaps the second and is executed last */
        for (; ridx1 <= ridx1_last; ridx1 += 32) {
          const f16x16 alu0 = *(const f16x16*)(kept0_source + ridx1);
          const f16x16 alu1 = *(const f16x16*)(kept1_source + ridx1 + 16);
          const f32x16 alu2 = f32_of_f16x16(alu0);
          const f32x16 alu3 = f32_of_f16x16(alu1);
          f32x16 alu4, alu5;
          exp_f32_of_two_x16(alu2, alu3, &alu4, &alu5);
          const f16x16 alu6 = f16_of_f32x16(alu4);
          const f16x16 alu7 = f16_of_f32x16(alu5);
          *(f16x16*)(output0 + ridx1) = alu6;
          *(f16x16*)(output0 + ridx1 + 16) = alu7;
        }
      }
    } else {
      if (ridx0 * 4096 + 16 <= oidx0) {
        uint16_t kept2[16] __attribute__((aligned(32))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
        *(f16x16*)kept2 = *(const f16x16*)(input0 + ridx0 * 4096);
        const uint16_t* kept2_source = input0; /* where a step reads: the last one in kept2 */
        for (int64_t ridx2 = ridx0 * 4096 + oidx2, ridx2_last = oidx0 - 16; ridx2 <= ridx2_last; kept2_source = (const uint16_t*)((size_t)kept2 - (size_t)(ridx0 * 4096) * 2), ridx2 = ridx2_last > ridx0 * 4096 && oidx2 > 0 ? ridx0 * 4096 : oidx0, ridx2_last = ridx0 * 4096) { /* the first step overlaps the second and is executed last */
          for (; ridx2 <= ridx2_last; ridx2 += 16) {
            const f32x16 alu8 = exp_f32x16(f32_of_f16x16(*(const f16x16*)(kept2_source + ridx2)));
            *(f16x16*)(output0 + ridx2) = f16_of_f32x16(alu8);
          }
        }
      } else {
        const uint16_t alu9 = first_lanes_x16(oidx0 - ridx0 * 4096);
        const f32x16 alu10 = exp_f32x16(f32_of_f16x16(load_masked_f16x16(input0 + ridx0 * 4096, alu9)));
        store_masked_f16x16(output0 + ridx0 * 4096, f16_of_f32x16(alu10), alu9);
      }
    }
  }
}

struct kernel_2_args { const uint64_t* input0; uint64_t* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · reduce over [] · sum of [n] axes [0] lanes · reduce [reduce unroll=2 simd=8] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const uint64_t* input0 = a->input0;
  uint64_t* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  u64x8 acc0[8] __attribute__((aligned(64)));
  for (int i = 0; i < 8; ++i) acc0[i] = (u64x8){0};
  u64x8 acc1[8] __attribute__((aligned(64)));
  for (int i = 0; i < 8; ++i) acc1[i] = (u64x8){0};
  const int64_t oidx0 = shape0 / 128;
  const uint64_t* input0_row = input0 + oidx0 * 64;
  for (int64_t ridx0 = 0, ridx0_end = oidx0 * 64 > 65536 ? 65536 : oidx0 * 64;;) {
    for (; ridx0 < ridx0_end; ridx0 += 64) {
      acc0[0] += *(const u64x8*)(input0 + ridx0);
      acc1[0] += *(const u64x8*)(input0_row + ridx0);
      acc0[1] += *(const u64x8*)(input0 + ridx0 + 8);
      acc1[1] += *(const u64x8*)(input0_row + ridx0 + 8);
      acc0[2] += *(const u64x8*)(input0 + ridx0 + 16);
      acc1[2] += *(const u64x8*)(input0_row + ridx0 + 16);
      acc0[3] += *(const u64x8*)(input0 + ridx0 + 24);
      acc1[3] += *(const u64x8*)(input0_row + ridx0 + 24);
      acc0[4] += *(const u64x8*)(input0 + ridx0 + 32);
      acc1[4] += *(const u64x8*)(input0_row + ridx0 + 32);
      acc0[5] += *(const u64x8*)(input0 + ridx0 + 40);
      acc1[5] += *(const u64x8*)(input0_row + ridx0 + 40);
      acc0[6] += *(const u64x8*)(input0 + ridx0 + 48);
      acc1[6] += *(const u64x8*)(input0_row + ridx0 + 48);
      acc0[7] += *(const u64x8*)(input0 + ridx0 + 56);
      acc1[7] += *(const u64x8*)(input0_row + ridx0 + 56);
    }
    if (ridx0 >= oidx0 * 64) break;
    if (harp_is_set(cancel)) return;
    ridx0_end = oidx0 * 64 - ridx0 > 65536 ? ridx0 + 65536 : oidx0 * 64;
  }
  const int64_t oidx1 = shape0 / 64;
  for (int64_t ridx1 = oidx0 * 128; ridx1 < oidx1 * 64; ridx1 += 64) {
    acc0[0] += *(const u64x8*)(input0 + ridx1);
    acc0[1] += *(const u64x8*)(input0 + ridx1 + 8);
    acc0[2] += *(const u64x8*)(input0 + ridx1 + 16);
    acc0[3] += *(const u64x8*)(input0 + ridx1 + 24);
    acc0[4] += *(const u64x8*)(input0 + ridx1 + 32);
    acc0[5] += *(const u64x8*)(input0 + ridx1 + 40);
    acc0[6] += *(const u64x8*)(input0 + ridx1 + 48);
    acc0[7] += *(const u64x8*)(input0 + ridx1 + 56);
  }
  acc0[0] += load_masked_u64x8(input0 + oidx1 * 64, first_lanes_x8(shape0 - oidx1 * 64));
  acc0[1] += load_masked_u64x8(input0 + oidx1 * 64 + 8, first_lanes_x8(shape0 - oidx1 * 64 - 8));
  acc0[2] += load_masked_u64x8(input0 + oidx1 * 64 + 16, first_lanes_x8(shape0 - oidx1 * 64 - 16));
  acc0[3] += load_masked_u64x8(input0 + oidx1 * 64 + 24, first_lanes_x8(shape0 - oidx1 * 64 - 24));
  acc0[4] += load_masked_u64x8(input0 + oidx1 * 64 + 32, first_lanes_x8(shape0 - oidx1 * 64 - 32));
  acc0[5] += load_masked_u64x8(input0 + oidx1 * 64 + 40, first_lanes_x8(shape0 - oidx1 * 64 - 40));
  acc0[6] += load_masked_u64x8(input0 + oidx1 * 64 + 48, first_lanes_x8(shape0 - oidx1 * 64 - 48));
  acc0[7] += load_masked_u64x8(input0 + oidx1 * 64 + 56, first_lanes_x8(shape0 - oidx1 * 64 - 56));
  acc0[0] += acc1[0];
  acc0[1] += acc1[1];
  acc0[2] += acc1[2];
  acc0[3] += acc1[3];
  acc0[4] += acc1[4];
  acc0[5] += acc1[5];
  acc0[6] += acc1[6];
  acc0[7] += acc1[7];
  const uint64_t acc0_folded = fold_add_8_u64x8(acc0);
  output0[0] = acc0_folded;
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
struct harp_task { harp_range_body kernel; void* arg; int64_t n, least, work, portions, shares; };
struct harp_tasks { const struct harp_task* tasks; size_t count; const volatile int32_t* cancel; };
static void harp_run_task(const struct harp_tasks* all, const struct harp_task* task, int64_t first, int64_t last, size_t worker) {
  if (first >= last) return;
  const struct harp_pieces pieces = {task->kernel, task->arg, all->cancel, harp_piece(task->n, task->work, task->least)};
  harp_run_pieces(&pieces, (size_t)first, (size_t)last, worker);
}
/* Returns the first iteration of a share. A task with fewer portions of iterations than shares spreads them evenly over its shares. */
static __attribute__((noinline, cold)) int64_t harp_first(const struct harp_task* task, int64_t share) {
  if (share >= task->shares) return task->n;
  const int64_t each = task->portions / task->shares, more = task->portions % task->shares;
  const int64_t portion = share * each + (int64_t)((double)share * (double)more / (double)task->shares);
  const int64_t length = task->n / task->portions, longer = task->n % task->portions;
  return portion * length + (portion < longer ? portion : longer);
}
static __attribute__((noinline, cold)) void harp_run_shares(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_tasks* all = arg;
  const harp_environment found = harp_enter();
  int64_t from = (int64_t)begin, to = (int64_t)end; /* counted from the task's first share */
  for (size_t i = 0; i < all->count && to > 0; ++i) {
    const struct harp_task* task = all->tasks + i;
    if (from < task->shares) {
      const int64_t first = harp_first(task, from), last = harp_first(task, to < task->shares ? to : task->shares);
      harp_run_task(all, task, first, last, worker);
    }
    from = from > task->shares ? from - task->shares : 0;
    to -= task->shares;
  }
  harp_leave(found);
}
/* Cuts the iterations of all tasks into shares. Returns the number of shares, or 0 if several workers would not pay. Iterations are cut into
   portions of at least `least`; tasks that have fewer portions than shares move to the front. */
static __attribute__((noinline, cold)) size_t harp_cut(struct harp_task* tasks, size_t count) {
  double worth = 0.0; /* all work, in shares */
  int64_t shares = 0;
  for (size_t i = 0, front = 0; i < count; ++i) {
    struct harp_task task = tasks[i];
    const int64_t work = task.n > 0 && task.work > 0 ? task.work : 0;
    task.portions = task.n < task.least ? 1 : task.n / task.least;
    task.shares = task.n > 0 ? 1 + work / harp_share : 0;
    shares += task.shares;
    worth += (double)work / (double)harp_share;
    tasks[i] = tasks[front];
    tasks[task.portions < task.shares ? front++ : i] = task;
  }
  return worth >= 2.0 ? (size_t)shares : 0;
}
/* Runs kernels that do not depend on each other concurrently: one parallel loop over the shares of all of them. */
static __attribute__((noinline)) void harp_run_together(const harp_runtime* rt, const volatile int32_t* cancel, size_t count, struct harp_task* tasks) {
  struct harp_tasks all = {tasks, count, cancel};
  const size_t shares = harp_has_workers(rt) ? harp_cut(tasks, count) : 0;
  if (shares) {
    rt->parallel_for(rt->self, shares, 1, harp_run_shares, &all);
  } else {
    for (size_t i = 0; i < count; ++i) harp_run_task(&all, tasks + i, 0, tasks[i].n, 0);
  }
}

static void kernel_main(const int8_t* input0, const int8_t* input1, const uint16_t* input2, const uint64_t* input3, int8_t* output0, uint16_t* output1, uint64_t* output2, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  { /* generation 0 */
    struct kernel_0_args args0 = {input0, input1, output0, shape0};
    struct kernel_1_args args1 = {input2, output1, shape0};
    struct kernel_2_args args2 = {input3, output2, shape0, cancel};
    struct harp_task tasks[] = {
      {kernel_0, &args0, (shape0 + 4095) / 4096, 1, shape0 * 49, 0, 0},
      {kernel_1, &args1, (shape0 + 4095) / 4096, 1, shape0 * 373, 0, 0},
      {kernel_2, &args2, 1, 1, shape0 * 146, 0, 0},
    };
    harp_run_together(rt, cancel, 3, tasks);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], inputs[2], inputs[3], outputs[0], outputs[1], outputs[2], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
