/* harp · graph "sums" · target x86-64-v4 · stable, law 9 · 5 kernels, 1 generation
   x: f32[n, 300] -> last: f32[n], first: f32[300], all: f32[], deviation: f32[n]
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

typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* Two folds at once, one in each half of a vector. The first elements of the halves are the results. */
static inline f32x16 fold_two_add_4_f32x16(const f32x16* s, const f32x16* t) {
  const f32x16 sa0 = s[0] + s[2];
  const f32x16 sa1 = s[1] + s[3];
  const f32x16 sb0 = sa0 + sa1;
  const f32x16 ta0 = t[0] + t[2];
  const f32x16 ta1 = t[1] + t[3];
  const f32x16 tb0 = ta0 + ta1;
  f32x16 m = __builtin_shufflevector(sb0, tb0, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) + __builtin_shufflevector(sb0, tb0, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  m = m + __builtin_shufflevector(m, m, 4, 5, 6, 7, 4, 5, 6, 7, 12, 13, 14, 15, 12, 13, 14, 15);
  m = m + __builtin_shufflevector(m, m, 2, 3, 2, 3, 2, 3, 2, 3, 10, 11, 10, 11, 10, 11, 10, 11);
  m = m + __builtin_shufflevector(m, m, 1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9);
  return m;
}

static inline f32x16 load_masked_f32x16(const float* p, uint16_t m) {
  if (m == 0) return (f32x16){0}; /* no load: the address may be invalid */
  return (f32x16)__builtin_ia32_loadups512_mask((const void*)p, (f32x16){0}, m);
}

/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */
static inline uint16_t first_lanes_x16(int64_t n) { return n <= 0 ? 0 : n >= 16 ? 0xffff : (uint16_t)((1u << n) - 1); }

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_add_4_f32x16(const f32x16* s) {
  const f32x16 a0 = s[0] + s[2];
  const f32x16 a1 = s[1] + s[3];
  const f32x16 b0 = a0 + a1;
  const f32x8 c0 = __builtin_shufflevector(b0, b0, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(b0, b0, 8, 9, 10, 11, 12, 13, 14, 15);
  const f32x4 d0 = __builtin_shufflevector(c0, c0, 0, 1, 2, 3) + __builtin_shufflevector(c0, c0, 4, 5, 6, 7);
  return (d0[0] + d0[2]) + (d0[1] + d0[3]);
}

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_add_64_f32(const float* s) {
  const f32x16 a0 = *(const f32x16*)s + *(const f32x16*)(s + 32);
  const f32x16 a1 = *(const f32x16*)(s + 16) + *(const f32x16*)(s + 48);
  const f32x16 b0 = a0 + a1;
  const f32x8 c0 = __builtin_shufflevector(b0, b0, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(b0, b0, 8, 9, 10, 11, 12, 13, 14, 15);
  const f32x4 d0 = __builtin_shufflevector(c0, c0, 0, 1, 2, 3) + __builtin_shufflevector(c0, c0, 4, 5, 6, 7);
  return (d0[0] + d0[2]) + (d0[1] + d0[3]);
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

/* a where the lane's bit is set, else b. */
static inline f32x16 blend_f32x16(uint16_t m, f32x16 a, f32x16 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_512(m, a, b);
#else
  return __builtin_ia32_blendmps_512_mask(b, a, m);
#endif
}

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline float sqrt_f32(float a) { return __builtin_sqrtf(a); }

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

struct kernel_0_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · variant 1 of 3 by size · reduce over [300] · sum of [n, 300] axes [0] chain · reduce [thread tile=1024 unroll=4 simd=16, reduce] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  float acc0[304] __attribute__((aligned(64)));
  for (int i = 0; i < 304; ++i) acc0[i] = 0.0f;
  for (int64_t ridx0 = 0, ridx0_end = shape0 > 1024 ? 1024 : shape0;;) {
    for (; ridx0 < ridx0_end; ++ridx0) {
      const float* input0_row = input0 + ridx0 * 300;
      for (int64_t ridx1 = 0; ridx1 < 256; ridx1 += 64) {
        *(f32x16*)(acc0 + ridx1) += *(const f32x16*)(input0_row + ridx1);
        *(f32x16*)(acc0 + ridx1 + 16) += *(const f32x16*)(input0_row + ridx1 + 16);
        *(f32x16*)(acc0 + ridx1 + 32) += *(const f32x16*)(input0_row + ridx1 + 32);
        *(f32x16*)(acc0 + ridx1 + 48) += *(const f32x16*)(input0_row + ridx1 + 48);
      }
      for (int64_t ridx2 = 256; ridx2 < 288; ridx2 += 16) {
        *(f32x16*)(acc0 + ridx2) += *(const f32x16*)(input0_row + ridx2);
      }
      for (int64_t ridx3 = 288; ridx3 < 296; ridx3 += 8) {
        *(f32x8*)(acc0 + ridx3) += *(const f32x8*)(input0_row + ridx3);
      }
      for (int64_t ridx4 = 296; ridx4 < 300; ridx4 += 4) {
        *(f32x4*)(acc0 + ridx4) += *(const f32x4*)(input0_row + ridx4);
      }
    }
    if (ridx0 >= shape0) break;
    if (harp_is_set(cancel)) return;
    ridx0_end = shape0 - ridx0 > 1024 ? ridx0 + 1024 : shape0;
  }
  for (int64_t ridx5 = 0; ridx5 < 288; ridx5 += 16) {
    *(f32x16*)(output0 + ridx5) = *(f32x16*)(acc0 + ridx5);
  }
  for (int64_t ridx6 = 288; ridx6 < 296; ridx6 += 8) {
    *(f32x8*)(output0 + ridx6) = *(f32x8*)(acc0 + ridx6);
  }
  for (int64_t ridx7 = 296; ridx7 < 300; ridx7 += 4) {
    *(f32x4*)(output0 + ridx7) = *(f32x4*)(acc0 + ridx7);
  }
}

struct kernel_1_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · variant 2 of 3 by size · reduce over [300] · sum of [n, 300] axes [0] chain · reduce [thread tile=1024 unroll=4 simd=16, reduce] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  float acc1[304] __attribute__((aligned(64)));
  for (int i = 0; i < 304; ++i) acc1[i] = 0.0f;
  const int64_t oidx0 = (shape0 + 255) / 256;
  for (int64_t ridx0 = 0; ridx0 < oidx0; ++ridx0) {
    if (harp_is_set(cancel)) return;
    float acc0[304] __attribute__((aligned(64)));
    for (int i = 0; i < 304; ++i) acc0[i] = 0.0f;
    const int64_t oidx1 = min_i64(shape0, ridx0 * 256 + 256);
    for (int64_t ridx1 = ridx0 * 256; ridx1 < oidx1; ++ridx1) {
      const float* input0_row = input0 + ridx1 * 300;
      for (int64_t ridx2 = 0; ridx2 < 256; ridx2 += 64) {
        *(f32x16*)(acc0 + ridx2) += *(const f32x16*)(input0_row + ridx2);
        *(f32x16*)(acc0 + ridx2 + 16) += *(const f32x16*)(input0_row + ridx2 + 16);
        *(f32x16*)(acc0 + ridx2 + 32) += *(const f32x16*)(input0_row + ridx2 + 32);
        *(f32x16*)(acc0 + ridx2 + 48) += *(const f32x16*)(input0_row + ridx2 + 48);
      }
      for (int64_t ridx3 = 256; ridx3 < 288; ridx3 += 16) {
        *(f32x16*)(acc0 + ridx3) += *(const f32x16*)(input0_row + ridx3);
      }
      for (int64_t ridx4 = 288; ridx4 < 296; ridx4 += 8) {
        *(f32x8*)(acc0 + ridx4) += *(const f32x8*)(input0_row + ridx4);
      }
      for (int64_t ridx5 = 296; ridx5 < 300; ridx5 += 4) {
        *(f32x4*)(acc0 + ridx5) += *(const f32x4*)(input0_row + ridx5);
      }
    }
    for (int64_t ridx6 = 0; ridx6 < 288; ridx6 += 16) {
      *(f32x16*)(acc1 + ridx6) += *(f32x16*)(acc0 + ridx6);
    }
    for (int64_t ridx7 = 288; ridx7 < 296; ridx7 += 8) {
      *(f32x8*)(acc1 + ridx7) += *(f32x8*)(acc0 + ridx7);
    }
    for (int64_t ridx8 = 296; ridx8 < 300; ridx8 += 4) {
      *(f32x4*)(acc1 + ridx8) += *(f32x4*)(acc0 + ridx8);
    }
  }
  for (int64_t ridx9 = 0; ridx9 < 288; ridx9 += 16) {
    *(f32x16*)(output0 + ridx9) = *(f32x16*)(acc1 + ridx9);
  }
  for (int64_t ridx10 = 288; ridx10 < 296; ridx10 += 8) {
    *(f32x8*)(output0 + ridx10) = *(f32x8*)(acc1 + ridx10);
  }
  for (int64_t ridx11 = 296; ridx11 < 300; ridx11 += 4) {
    *(f32x4*)(output0 + ridx11) = *(f32x4*)(acc1 + ridx11);
  }
}

struct kernel_2_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · variant 3 of 3 by size · reduce over [300] · sum of [n, 300] axes [0] chain · reduce [thread tile=1024 unroll=2 simd=16, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  float acc3[304] __attribute__((aligned(64)));
  for (int i = 0; i < 304; ++i) acc3[i] = 0.0f;
  const int64_t oidx0 = (shape0 + 255) / 256;
  const int64_t oidx1 = (oidx0 + 255) / 256;
  const int64_t oidx2 = (oidx1 + 255) / 256;
  for (int64_t ridx0 = 0; ridx0 < oidx2; ++ridx0) {
    float acc2[304] __attribute__((aligned(64)));
    for (int i = 0; i < 304; ++i) acc2[i] = 0.0f;
    const int64_t oidx3 = min_i64(oidx1, ridx0 * 256 + 256);
    for (int64_t ridx1 = ridx0 * 256; ridx1 < oidx3; ++ridx1) {
      if (harp_is_set(cancel)) return;
      float acc1[304] __attribute__((aligned(64)));
      for (int i = 0; i < 304; ++i) acc1[i] = 0.0f;
      const int64_t oidx4 = min_i64(oidx0, ridx1 * 256 + 256);
      for (int64_t ridx2 = ridx1 * 256; ridx2 < oidx4; ++ridx2) {
        float acc0[304] __attribute__((aligned(64)));
        for (int i = 0; i < 304; ++i) acc0[i] = 0.0f;
        const int64_t oidx5 = min_i64(shape0, ridx2 * 256 + 256);
        const int64_t oidx6 = oidx5 / 8;
        for (int64_t ridx3 = ridx2 * 256; ridx3 < oidx6 * 8; ridx3 += 8) {
          const float* input0_row = input0 + ridx3 * 300;
          for (int64_t ridx4 = 0; ridx4 < 288; ridx4 += 32) {
            const f32x16 alu0 = *(f32x16*)(acc0 + ridx4) + *(const f32x16*)(input0_row + ridx4) + *(const f32x16*)(input0_row + ridx4 + 300) + *(const f32x16*)(input0_row + ridx4 + 600);
            const f32x16 alu1 = alu0 + *(const f32x16*)(input0_row + ridx4 + 900) + *(const f32x16*)(input0_row + ridx4 + 1200) + *(const f32x16*)(input0_row + ridx4 + 1500);
            *(f32x16*)(acc0 + ridx4) = alu1 + *(const f32x16*)(input0_row + ridx4 + 1800) + *(const f32x16*)(input0_row + ridx4 + 2100);
            const f32x16 alu2 = *(f32x16*)(acc0 + ridx4 + 16) + *(const f32x16*)(input0_row + ridx4 + 16) + *(const f32x16*)(input0_row + ridx4 + 316) + *(const f32x16*)(input0_row + ridx4 + 616);
            const f32x16 alu3 = alu2 + *(const f32x16*)(input0_row + ridx4 + 916) + *(const f32x16*)(input0_row + ridx4 + 1216) + *(const f32x16*)(input0_row + ridx4 + 1516);
            *(f32x16*)(acc0 + ridx4 + 16) = alu3 + *(const f32x16*)(input0_row + ridx4 + 1816) + *(const f32x16*)(input0_row + ridx4 + 2116);
          }
          for (int64_t ridx5 = 288; ridx5 < 296; ridx5 += 8) {
            const f32x8 alu4 = *(f32x8*)(acc0 + ridx5) + *(const f32x8*)(input0_row + ridx5) + *(const f32x8*)(input0_row + ridx5 + 300) + *(const f32x8*)(input0_row + ridx5 + 600);
            const f32x8 alu5 = alu4 + *(const f32x8*)(input0_row + ridx5 + 900) + *(const f32x8*)(input0_row + ridx5 + 1200) + *(const f32x8*)(input0_row + ridx5 + 1500);
            *(f32x8*)(acc0 + ridx5) = alu5 + *(const f32x8*)(input0_row + ridx5 + 1800) + *(const f32x8*)(input0_row + ridx5 + 2100);
          }
          for (int64_t ridx6 = 296; ridx6 < 300; ridx6 += 4) {
            const f32x4 alu6 = *(f32x4*)(acc0 + ridx6) + *(const f32x4*)(input0_row + ridx6) + *(const f32x4*)(input0_row + ridx6 + 300) + *(const f32x4*)(input0_row + ridx6 + 600);
            const f32x4 alu7 = alu6 + *(const f32x4*)(input0_row + ridx6 + 900) + *(const f32x4*)(input0_row + ridx6 + 1200) + *(const f32x4*)(input0_row + ridx6 + 1500);
            *(f32x4*)(acc0 + ridx6) = alu7 + *(const f32x4*)(input0_row + ridx6 + 1800) + *(const f32x4*)(input0_row + ridx6 + 2100);
          }
        }
        for (int64_t ridx7 = oidx6 * 8; ridx7 < oidx5; ++ridx7) {
          const float* input0_row1 = input0 + ridx7 * 300;
          for (int64_t ridx8 = 0; ridx8 < 288; ridx8 += 32) {
            *(f32x16*)(acc0 + ridx8) += *(const f32x16*)(input0_row1 + ridx8);
            *(f32x16*)(acc0 + ridx8 + 16) += *(const f32x16*)(input0_row1 + ridx8 + 16);
          }
          for (int64_t ridx9 = 288; ridx9 < 296; ridx9 += 8) {
            *(f32x8*)(acc0 + ridx9) += *(const f32x8*)(input0_row1 + ridx9);
          }
          for (int64_t ridx10 = 296; ridx10 < 300; ridx10 += 4) {
            *(f32x4*)(acc0 + ridx10) += *(const f32x4*)(input0_row1 + ridx10);
          }
        }
        for (int64_t ridx11 = 0; ridx11 < 288; ridx11 += 16) {
          *(f32x16*)(acc1 + ridx11) += *(f32x16*)(acc0 + ridx11);
        }
        for (int64_t ridx12 = 288; ridx12 < 296; ridx12 += 8) {
          *(f32x8*)(acc1 + ridx12) += *(f32x8*)(acc0 + ridx12);
        }
        for (int64_t ridx13 = 296; ridx13 < 300; ridx13 += 4) {
          *(f32x4*)(acc1 + ridx13) += *(f32x4*)(acc0 + ridx13);
        }
      }
      for (int64_t ridx14 = 0; ridx14 < 288; ridx14 += 16) {
        *(f32x16*)(acc2 + ridx14) += *(f32x16*)(acc1 + ridx14);
      }
      for (int64_t ridx15 = 288; ridx15 < 296; ridx15 += 8) {
        *(f32x8*)(acc2 + ridx15) += *(f32x8*)(acc1 + ridx15);
      }
      for (int64_t ridx16 = 296; ridx16 < 300; ridx16 += 4) {
        *(f32x4*)(acc2 + ridx16) += *(f32x4*)(acc1 + ridx16);
      }
    }
    for (int64_t ridx17 = 0; ridx17 < 288; ridx17 += 16) {
      *(f32x16*)(acc3 + ridx17) += *(f32x16*)(acc2 + ridx17);
    }
    for (int64_t ridx18 = 288; ridx18 < 296; ridx18 += 8) {
      *(f32x8*)(acc3 + ridx18) += *(f32x8*)(acc2 + ridx18);
    }
    for (int64_t ridx19 = 296; ridx19 < 300; ridx19 += 4) {
      *(f32x4*)(acc3 + ridx19) += *(f32x4*)(acc2 + ridx19);
    }
  }
  for (int64_t ridx20 = 0; ridx20 < 288; ridx20 += 16) {
    *(f32x16*)(output0 + ridx20) = *(f32x16*)(acc3 + ridx20);
  }
  for (int64_t ridx21 = 288; ridx21 < 296; ridx21 += 8) {
    *(f32x8*)(output0 + ridx21) = *(f32x8*)(acc3 + ridx21);
  }
  for (int64_t ridx22 = 296; ridx22 < 300; ridx22 += 4) {
    *(f32x4*)(output0 + ridx22) = *(f32x4*)(acc3 + ridx22);
  }
}

struct kernel_3_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · reduce over [] · sum of [n, 300] axes [0, 1] lanes · reduce [reduce unroll=2 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_3(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_3_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  float acc3[64] __attribute__((aligned(64)));
  for (int i = 0; i < 64; ++i) acc3[i] = 0.0f;
  const int64_t oidx0 = (shape0 * 75 + 1023) / 1024;
  const int64_t oidx1 = (oidx0 + 4095) / 4096;
  const int64_t oidx2 = (oidx1 + 4095) / 4096;
  const int64_t oidx4 = shape0 * 75 / 1024;
  for (int64_t ridx0 = 0; ridx0 < oidx2; ++ridx0) {
    float acc2[64] __attribute__((aligned(64)));
    for (int i = 0; i < 64; ++i) acc2[i] = 0.0f;
    const int64_t oidx3 = min_i64(oidx1, ridx0 * 4096 + 4096);
    for (int64_t ridx1 = ridx0 * 4096; ridx1 < oidx3; ++ridx1) {
      float acc1[64] __attribute__((aligned(64)));
      for (int i = 0; i < 64; ++i) acc1[i] = 0.0f;
      const int64_t oidx5 = min_i64(oidx0, ridx1 * 4096 + 4096);
      const int64_t oidx6 = min_i64(oidx4, oidx5);
      const int64_t oidx7 = oidx6 / 128;
      const int64_t oidx8 = max_i64(oidx7 - ridx1 * 32, 0);
      for (int64_t ridx2 = ridx1 * 4096; ridx2 < ridx1 * 4096 + oidx8 * 128; ridx2 += 128) {
        if (harp_is_set(cancel)) return;
        for (int64_t ridx3 = 0; ridx3 < 64; ++ridx3) {
          f32x16 acc4[4] __attribute__((aligned(64)));
          for (int i = 0; i < 4; ++i) acc4[i] = (f32x16){0};
          f32x16 acc5[4] __attribute__((aligned(64)));
          for (int i = 0; i < 4; ++i) acc5[i] = (f32x16){0};
          const float* input0_row = input0 + ridx2 * 4096 + ridx3 * 4096;
          for (int64_t ridx4 = 0; ridx4 < 4096; ridx4 += 128) {
            acc4[0] += *(const f32x16*)(input0_row + ridx4);
            acc5[0] += *(const f32x16*)(input0_row + ridx4 + 262144);
            acc4[1] += *(const f32x16*)(input0_row + ridx4 + 16);
            acc5[1] += *(const f32x16*)(input0_row + ridx4 + 262160);
            acc4[2] += *(const f32x16*)(input0_row + ridx4 + 32);
            acc5[2] += *(const f32x16*)(input0_row + ridx4 + 262176);
            acc4[3] += *(const f32x16*)(input0_row + ridx4 + 48);
            acc5[3] += *(const f32x16*)(input0_row + ridx4 + 262192);
            acc4[0] += *(const f32x16*)(input0_row + ridx4 + 64);
            acc5[0] += *(const f32x16*)(input0_row + ridx4 + 262208);
            acc4[1] += *(const f32x16*)(input0_row + ridx4 + 80);
            acc5[1] += *(const f32x16*)(input0_row + ridx4 + 262224);
            acc4[2] += *(const f32x16*)(input0_row + ridx4 + 96);
            acc5[2] += *(const f32x16*)(input0_row + ridx4 + 262240);
            acc4[3] += *(const f32x16*)(input0_row + ridx4 + 112);
            acc5[3] += *(const f32x16*)(input0_row + ridx4 + 262256);
          }
          const f32x16 acc4_5_folded = fold_two_add_4_f32x16(acc4, acc5);
          const float acc4_folded = acc4_5_folded[0], acc5_folded = acc4_5_folded[8];
          acc1[ridx3] += acc4_folded;
          acc1[ridx3] += acc5_folded;
        }
      }
      for (int64_t ridx5 = ridx1 * 4096 + oidx8 * 128; ridx5 < oidx5; ++ridx5) {
        if (harp_is_set(cancel)) return;
        f32x16 acc0[4] __attribute__((aligned(64)));
        for (int i = 0; i < 4; ++i) acc0[i] = (f32x16){0};
        const int64_t oidx9 = min_i64(shape0 * 300, ridx5 * 4096 + 4096);
        const int64_t oidx10 = oidx9 / 64;
        for (int64_t ridx6 = ridx5 * 4096; ridx6 < oidx10 * 64; ridx6 += 64) {
          acc0[0] += *(const f32x16*)(input0 + ridx6);
          acc0[1] += *(const f32x16*)(input0 + ridx6 + 16);
          acc0[2] += *(const f32x16*)(input0 + ridx6 + 32);
          acc0[3] += *(const f32x16*)(input0 + ridx6 + 48);
        }
        acc0[0] += load_masked_f32x16(input0 + oidx10 * 64, first_lanes_x16(oidx9 - oidx10 * 64));
        acc0[1] += load_masked_f32x16(input0 + oidx10 * 64 + 16, first_lanes_x16(oidx9 - oidx10 * 64 - 16));
        acc0[2] += load_masked_f32x16(input0 + oidx10 * 64 + 32, first_lanes_x16(oidx9 - oidx10 * 64 - 32));
        acc0[3] += load_masked_f32x16(input0 + oidx10 * 64 + 48, first_lanes_x16(oidx9 - oidx10 * 64 - 48));
        const float acc0_folded = fold_add_4_f32x16(acc0);
        const int64_t oidx11 = ridx5 & 63;
        acc1[oidx11] += acc0_folded;
      }
      const float acc1_folded = oidx5 <= ridx1 * 4096 + 1 ? acc1[0] : fold_add_64_f32(acc1);
      const int64_t oidx12 = ridx1 & 63;
      acc2[oidx12] += acc1_folded;
    }
    const float acc2_folded = oidx3 <= ridx0 * 4096 + 1 ? acc2[0] : fold_add_64_f32(acc2);
    acc3[ridx0] += acc2_folded;
  }
  const float acc3_folded = oidx2 <= 1 ? acc3[0] : fold_add_64_f32(acc3);
  output0[0] = acc3_folded;
}

struct kernel_4_args { const float* input0; float* output0; float* output1; };

/* generation 0 · rowwise over [n] · sum of [n, 300] axes [1] lanes · sum of [n, 300] axes [1] lanes product · rowwise [thread, reduce simd=16] partition overlap */
static __attribute__((noinline)) void kernel_4(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_4_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  float* output1 = a->output1;
  (void)worker;
  const uint16_t alu2 = 4095;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    f32x16 acc0[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc0[i] = (f32x16){0};
    const float* input0_row = input0 + ridx0 * 300;
    for (int64_t ridx1 = 0; ridx1 < 256; ridx1 += 64) {
      acc0[0] += *(const f32x16*)(input0_row + ridx1);
      acc0[1] += *(const f32x16*)(input0_row + ridx1 + 16);
      acc0[2] += *(const f32x16*)(input0_row + ridx1 + 32);
      acc0[3] += *(const f32x16*)(input0_row + ridx1 + 48);
    }
    const f32x16 alu0 = *(const f32x16*)(input0 + ridx0 * 300 + 256);
    acc0[0] += alu0;
    const f32x16 alu1 = *(const f32x16*)(input0 + ridx0 * 300 + 272);
    acc0[1] += alu1;
    const f32x16 alu3 = load_masked_f32x16(input0 + ridx0 * 300 + 288, alu2);
    acc0[2] += alu3;
    const float acc0_folded = fold_add_4_f32x16(acc0);
    output0[ridx0] = acc0_folded;
    f32x16 acc1[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc1[i] = (f32x16){0};
    const float alu4 = -(acc0_folded / 300.0f);
    for (int64_t ridx2 = 0; ridx2 < 256; ridx2 += 64) {
      const f32x16 alu5 = *(const f32x16*)(input0_row + ridx2) + alu4;
      acc1[0] = fma_f32x16(alu5, alu5, acc1[0]);
      const f32x16 alu6 = *(const f32x16*)(input0_row + ridx2 + 16) + alu4;
      acc1[1] = fma_f32x16(alu6, alu6, acc1[1]);
      const f32x16 alu7 = *(const f32x16*)(input0_row + ridx2 + 32) + alu4;
      acc1[2] = fma_f32x16(alu7, alu7, acc1[2]);
      const f32x16 alu8 = *(const f32x16*)(input0_row + ridx2 + 48) + alu4;
      acc1[3] = fma_f32x16(alu8, alu8, acc1[3]);
    }
    const f32x16 alu9 = alu0 + alu4;
    acc1[0] = fma_f32x16(alu9, alu9, acc1[0]);
    const f32x16 alu10 = alu1 + alu4;
    acc1[1] = fma_f32x16(alu10, alu10, acc1[1]);
    const f32x16 alu11 = blend_f32x16(alu2, alu3 + alu4, splat_f32x16(0.0f));
    acc1[2] = fma_f32x16(alu11, alu11, acc1[2]);
    const float acc1_folded = fold_add_4_f32x16(acc1);
    output1[ridx0] = sqrt_f32((acc1_folded + 0.0f) / 300.0f);
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

static void kernel_main(const float* input0, float* output0, float* output1, float* output2, float* output3, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  { /* generation 0 */
    struct kernel_0_args args0 = {input0, output1, shape0, cancel};
    struct kernel_1_args args1 = {input0, output1, shape0, cancel};
    struct kernel_2_args args2 = {input0, output1, shape0, cancel};
    struct kernel_3_args args3 = {input0, output2, shape0, cancel};
    struct kernel_4_args args4 = {input0, output0, output3};
    struct harp_task tasks[] = {
      {kernel_0, &args0, shape0 * 300 <= 256000 && shape0 <= 256 ? 1 : 0, 1, shape0 * 21900, 0, 0},
      {kernel_1, &args1, shape0 * 300 <= 256000 && (shape0 * 300 >= 256001 || shape0 >= 257) ? 1 : 0, 1, shape0 * 21900, 0, 0},
      {kernel_2, &args2, shape0 * 300 >= 256001 ? 1 : 0, 1, shape0 * 21900, 0, 0},
      {kernel_3, &args3, 1, 1, shape0 * 21900, 0, 0},
      {kernel_4, &args4, shape0, 1, shape0 * 29400, 0, 0},
    };
    harp_run_together(rt, cancel, 5, tasks);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], outputs[1], outputs[2], outputs[3], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
