/* harp · graph "running" · target x86-64-v4 · stable, law 9 · 3 kernels, 1 generation
   x: f32[n, 300], w: f32[n, 300] -> rows: f32[n, 300], columns: f32[n, 300]
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

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* Scans each quad (four elements, in the same lane of four vectors) and stores its total in t. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_quads(f32x16* s, f32x16* t) {
  const f32x16 r0 = __builtin_shufflevector(s[0], s[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const f32x16 r1 = __builtin_shufflevector(s[0], s[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const f32x16 r2 = __builtin_shufflevector(s[2], s[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const f32x16 r3 = __builtin_shufflevector(s[2], s[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const f32x16 r4 = __builtin_shufflevector(r0, r2, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  const f32x16 r5 = __builtin_shufflevector(r0, r2, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  const f32x16 r6 = __builtin_shufflevector(r1, r3, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  const f32x16 r7 = __builtin_shufflevector(r1, r3, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  const f32x16 r8 = r4 + r5;
  const f32x16 r9 = r5 + r6;
  const f32x16 r10 = r6 + r7;
  s[0] = r4;
  s[1] = r8;
  s[2] = r4 + r9;
  s[3] = r8 + r10;
  t[0] = s[3];
}

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f32x16 scan_add_64_f32x16_earlier_1(f32x16 x, f32x16 none) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_permvarsf512_mask)
  typedef int numbers __attribute__((vector_size(64)));
  return __builtin_ia32_permvarsf512_mask(x, (numbers){0, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, none, 65534);
#else
  return __builtin_shufflevector(x, none, 16, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
#endif
}

/* Combines each total with the one 1 quad before it. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_totals_1(f32x16* t) {
  const f32x16 none = splat_f32x16(0.0f);
  t[0] = scan_add_64_f32x16_earlier_1(t[0], none) + t[0];
}

static inline f32x16 scan_add_64_f32x16_earlier_2(f32x16 x, f32x16 none) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_permvarsf512_mask)
  typedef int numbers __attribute__((vector_size(64)));
  return __builtin_ia32_permvarsf512_mask(x, (numbers){0, 8, 9, 10, 0, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7}, none, 65518);
#else
  return __builtin_shufflevector(x, none, 16, 8, 9, 10, 20, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* Combines each total with the one 2 quads before it. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_totals_2(f32x16* t) {
  const f32x16 none = splat_f32x16(0.0f);
  t[0] = scan_add_64_f32x16_earlier_2(t[0], none) + t[0];
}

static inline f32x16 scan_add_64_f32x16_earlier_4(f32x16 x, f32x16 none) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_vpermilps512_mask)
  return __builtin_ia32_vpermilps512_mask(x, 144, none, 61166);
#else
  return __builtin_shufflevector(x, none, 16, 0, 1, 2, 20, 4, 5, 6, 24, 8, 9, 10, 28, 12, 13, 14);
#endif
}

/* Combines each total with the one 4 quads before it. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_totals_4(f32x16* t) {
  const f32x16 none = splat_f32x16(0.0f);
  t[0] = scan_add_64_f32x16_earlier_4(t[0], none) + t[0];
}

/* Combines each total with the one 8 quads before it. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_totals_8(f32x16* t) {
  const f32x16 none = splat_f32x16(0.0f);
  t[0] = __builtin_shufflevector(none, t[0], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29) + t[0];
}

/* Replaces each total by the total of all elements before the quad. Returns the total of the group. */
static inline __attribute__((always_inline)) f32x16 scan_add_64_f32x16_before(f32x16* t, f32x16 carry) {
  const f32x16 none = splat_f32x16(0.0f);
  const f32x16 all0 = __builtin_shufflevector(t[0], t[0], 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
  t[0] = carry + scan_add_64_f32x16_earlier_1(t[0], none);
  return all0;
}

/* Combines each element with the total before its quad. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_added(f32x16* s, const f32x16* t) {
  s[0] = s[0] + t[0];
  s[1] = s[1] + t[0];
  s[2] = s[2] + t[0];
  s[3] = s[3] + t[0];
}

/* Restores the order of the elements. */
static inline __attribute__((always_inline)) void scan_add_64_f32x16_values(f32x16* s) {
  const f32x16 r0 = __builtin_shufflevector(s[0], s[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const f32x16 r1 = __builtin_shufflevector(s[0], s[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const f32x16 r2 = __builtin_shufflevector(s[2], s[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const f32x16 r3 = __builtin_shufflevector(s[2], s[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const f32x16 r4 = __builtin_shufflevector(r0, r2, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  const f32x16 r5 = __builtin_shufflevector(r0, r2, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  const f32x16 r6 = __builtin_shufflevector(r1, r3, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  const f32x16 r7 = __builtin_shufflevector(r1, r3, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  s[0] = r4;
  s[1] = r5;
  s[2] = r6;
  s[3] = r7;
}

static inline f32x16 load_masked_f32x16(const float* p, uint16_t m) {
  if (m == 0) return (f32x16){0}; /* no load: the address may be invalid */
  return (f32x16)__builtin_ia32_loadups512_mask((const void*)p, (f32x16){0}, m);
}

/* a where the lane's bit is set, else b. */
static inline f32x16 blend_f32x16(uint16_t m, f32x16 a, f32x16 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_512(m, a, b);
#else
  return __builtin_ia32_blendmps_512_mask(b, a, m);
#endif
}

/* Replaces the elements of a group by their running values, starting from `carry`. Returns the total of the group. */
static inline __attribute__((always_inline)) float scan_add_64_f32x16(f32x16* s, float carry) {
  f32x16 t[1];
  scan_add_64_f32x16_quads(s, t);
  scan_add_64_f32x16_totals_1(t);
  scan_add_64_f32x16_totals_2(t);
  scan_add_64_f32x16_totals_4(t);
  scan_add_64_f32x16_totals_8(t);
  const f32x16 total = scan_add_64_f32x16_before(t, splat_f32x16(carry));
  scan_add_64_f32x16_added(s, t);
  scan_add_64_f32x16_values(s);
  return total[0];
}

static inline void store_masked_f32x16(float* p, f32x16 x, uint16_t m) {
  if (m != 0) __builtin_ia32_storeups512_mask((void*)p, (f32x16)x, m);
}

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

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

/* generation 0 · scan over [n, 300] · cumsum of [n, 300] axis 1 tree · scan [thread, scan unroll=16 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  (void)worker;
  const uint16_t alu9 = 4095;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    float acc0 = 0.0f;
    f32x16 row4[16] __attribute__((aligned(64)));
    f32x16 row5[4] __attribute__((aligned(64)));
    f32x16 acc7 = (f32x16){0};
    float acc1 = 0.0f;
    f32x16 acc6 = splat_f32x16(acc0);
    for (int64_t ridx1 = 0; ridx1 < 256; ridx1 += 256) {
      const float* input0_row = input0 + ridx0 * 300 + ridx1;
      const float* input1_row = input1 + ridx0 * 300 + ridx1;
      float* output0_row = output0 + ridx0 * 300 + ridx1;
      #pragma GCC unroll 12
      for (int64_t ridx2 = 0; ridx2 < 12; ++ridx2) {
        if (ridx2 <= 3) {
          const f32x16 alu0 = *(const f32x16*)(input0_row + ridx2 * 64);
          row4[ridx2 * 4] = alu0 * alu0;
          const f32x16 alu1 = *(const f32x16*)(input0_row + ridx2 * 64 + 16);
          row4[ridx2 * 4 + 1] = alu1 * alu1;
          const f32x16 alu2 = *(const f32x16*)(input0_row + ridx2 * 64 + 32);
          row4[ridx2 * 4 + 2] = alu2 * alu2;
          const f32x16 alu3 = *(const f32x16*)(input0_row + ridx2 * 64 + 48);
          row4[ridx2 * 4 + 3] = alu3 * alu3;
          scan_add_64_f32x16_quads(row4 + ridx2 * 4, row5 + ridx2);
        }
        if (ridx2 >= 2) {
          if (ridx2 <= 5) {
            scan_add_64_f32x16_totals_1(row5 + ridx2 - 2);
          }
        }
        if (ridx2 >= 3) {
          if (ridx2 <= 6) {
            scan_add_64_f32x16_totals_2(row5 + ridx2 - 3);
          }
        }
        if (ridx2 >= 4) {
          if (ridx2 <= 7) {
            scan_add_64_f32x16_totals_4(row5 + ridx2 - 4);
          }
        }
        if (ridx2 >= 5) {
          if (ridx2 <= 8) {
            scan_add_64_f32x16_totals_8(row5 + ridx2 - 5);
          }
        }
        if (ridx2 >= 6) {
          if (ridx2 <= 9) {
            acc7 = scan_add_64_f32x16_before(row5 + ridx2 - 6, acc6);
            acc6 += acc7;
          }
        }
        if (ridx2 >= 7) {
          if (ridx2 <= 10) {
            scan_add_64_f32x16_added(row4 + ridx2 * 4 - 28, row5 + ridx2 - 7);
          }
        }
        if (ridx2 >= 8) {
          scan_add_64_f32x16_values(row4 + ridx2 * 4 - 32);
          const f32x16 alu4 = *(const f32x16*)(input1_row + ridx2 * 64 - 496);
          const f32x16 alu5 = *(const f32x16*)(input1_row + ridx2 * 64 - 480);
          const f32x16 alu6 = *(const f32x16*)(input1_row + ridx2 * 64 - 464);
          *(f32x16*)(output0_row + ridx2 * 64 - 512) = row4[ridx2 * 4 - 32] * *(const f32x16*)(input1_row + ridx2 * 64 - 512);
          *(f32x16*)(output0_row + ridx2 * 64 - 496) = row4[ridx2 * 4 - 31] * alu4;
          *(f32x16*)(output0_row + ridx2 * 64 - 480) = row4[ridx2 * 4 - 30] * alu5;
          *(f32x16*)(output0_row + ridx2 * 64 - 464) = row4[ridx2 * 4 - 29] * alu6;
        }
      }
    }
    acc0 = acc6[0];
    f32x16 acc3[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc3[i] = (f32x16){0};
    const f32x16 alu7 = *(const f32x16*)(input0 + ridx0 * 300 + 256);
    acc3[0] = alu7 * alu7;
    const f32x16 alu8 = *(const f32x16*)(input0 + ridx0 * 300 + 272);
    acc3[1] = alu8 * alu8;
    const f32x16 alu10 = load_masked_f32x16(input0 + ridx0 * 300 + 288, alu9);
    acc3[2] = blend_f32x16(alu9, alu10 * alu10, splat_f32x16(0.0f));
    acc1 = scan_add_64_f32x16(acc3, acc0);
    acc0 += acc1;
    const f32x16 alu11 = *(const f32x16*)(input1 + ridx0 * 300 + 272);
    const f32x16 alu12 = load_masked_f32x16(input1 + ridx0 * 300 + 288, alu9);
    *(f32x16*)(output0 + ridx0 * 300 + 256) = acc3[0] * *(const f32x16*)(input1 + ridx0 * 300 + 256);
    *(f32x16*)(output0 + ridx0 * 300 + 272) = acc3[1] * alu11;
    store_masked_f32x16(output0 + ridx0 * 300 + 288, acc3[2] * alu12, alu9);
  }
}

struct kernel_1_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · variant 1 of 2 by size · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [scan, thread tile=300 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  const float* input0_row = input0 + shape0 * 300;
  float* output0_row = output0 + shape0 * 300;
  if (shape0 > 0) {
    for (int64_t ridx0 = 0; ridx0 < 288; ridx0 += 16) {
      *(f32x16*)(output0_row + ridx0 - 300) = 0.0f + *(const f32x16*)(input0_row + ridx0 - 300);
    }
    for (int64_t ridx1 = 288; ridx1 < 296; ridx1 += 8) {
      *(f32x8*)(output0_row + ridx1 - 300) = 0.0f + *(const f32x8*)(input0_row + ridx1 - 300);
    }
    for (int64_t ridx2 = 296; ridx2 < 300; ridx2 += 4) {
      *(f32x4*)(output0_row + ridx2 - 300) = 0.0f + *(const f32x4*)(input0_row + ridx2 - 300);
    }
  }
  for (int64_t ridx3 = 1, ridx3_end = shape0 - ridx3 > 1024 ? ridx3 + 1024 : shape0;;) {
    for (; ridx3 < ridx3_end; ++ridx3) {
      float* output0_row1 = output0 + shape0 * 300 - ridx3 * 300;
      const float* input0_row1 = input0 + shape0 * 300 - ridx3 * 300;
      for (int64_t ridx4 = 0; ridx4 < 288; ridx4 += 16) {
        *(f32x16*)(output0_row1 + ridx4 - 300) = *(const f32x16*)(output0_row1 + ridx4) + *(const f32x16*)(input0_row1 + ridx4 - 300);
      }
      for (int64_t ridx5 = 288; ridx5 < 296; ridx5 += 8) {
        *(f32x8*)(output0_row1 + ridx5 - 300) = *(const f32x8*)(output0_row1 + ridx5) + *(const f32x8*)(input0_row1 + ridx5 - 300);
      }
      for (int64_t ridx6 = 296; ridx6 < 300; ridx6 += 4) {
        *(f32x4*)(output0_row1 + ridx6 - 300) = *(const f32x4*)(output0_row1 + ridx6) + *(const f32x4*)(input0_row1 + ridx6 - 300);
      }
    }
    if (ridx3 >= shape0) break;
    if (harp_is_set(cancel)) return;
    ridx3_end = shape0 - ridx3 > 1024 ? ridx3 + 1024 : shape0;
  }
}

struct kernel_2_args { const float* input0; float* output0; int64_t shape0; const volatile int32_t* cancel; };

/* generation 0 · variant 2 of 2 by size · scan over [n, 300] · cumsum of [n, 300] axis 0 chain reverse · scan [scan, thread tile=1024 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const volatile int32_t* const cancel = a->cancel;
  (void)begin0, (void)end0, (void)worker;
  float acc0[304] __attribute__((aligned(64)));
  for (int i = 0; i < 304; ++i) acc0[i] = 0.0f;
  float acc2[304] __attribute__((aligned(64)));
  for (int i = 0; i < 304; ++i) acc2[i] = 0.0f;
  const int64_t oidx0 = (shape0 + 4095) / 4096;
  for (int64_t ridx0 = 0; ridx0 < oidx0; ++ridx0) {
    if (harp_is_set(cancel)) return;
    for (int64_t ridx1 = 0; ridx1 < 288; ridx1 += 16) {
      *(f32x16*)(acc0 + ridx1) = *(f32x16*)(acc2 + ridx1);
    }
    for (int64_t ridx2 = 288; ridx2 < 296; ridx2 += 8) {
      *(f32x8*)(acc0 + ridx2) = *(f32x8*)(acc2 + ridx2);
    }
    for (int64_t ridx3 = 296; ridx3 < 300; ridx3 += 4) {
      *(f32x4*)(acc0 + ridx3) = *(f32x4*)(acc2 + ridx3);
    }
    const int64_t oidx1 = min_i64(shape0, ridx0 * 4096 + 4096);
    if (ridx0 + 2 <= oidx0 && ridx0 > 0) {
      float acc1[304] __attribute__((aligned(64)));
      for (int i = 0; i < 304; ++i) acc1[i] = 0.0f;
      for (int64_t ridx4 = ridx0 * 4096; ridx4 < oidx1; ++ridx4) {
        const float* input0_row = input0 + shape0 * 300 - ridx4 * 300;
        float* output0_row = output0 + shape0 * 300 - ridx4 * 300;
        for (int64_t ridx5 = 0; ridx5 < 288; ridx5 += 16) {
          const f32x16 alu0 = *(const f32x16*)(input0_row + ridx5 - 300);
          *(f32x16*)(acc0 + ridx5) += alu0;
          *(f32x16*)(acc1 + ridx5) += alu0;
          *(f32x16*)(output0_row + ridx5 - 300) = *(f32x16*)(acc0 + ridx5);
        }
        for (int64_t ridx6 = 288; ridx6 < 296; ridx6 += 8) {
          const f32x8 alu1 = *(const f32x8*)(input0_row + ridx6 - 300);
          *(f32x8*)(acc0 + ridx6) += alu1;
          *(f32x8*)(acc1 + ridx6) += alu1;
          *(f32x8*)(output0_row + ridx6 - 300) = *(f32x8*)(acc0 + ridx6);
        }
        for (int64_t ridx7 = 296; ridx7 < 300; ridx7 += 4) {
          const f32x4 alu2 = *(const f32x4*)(input0_row + ridx7 - 300);
          *(f32x4*)(acc0 + ridx7) += alu2;
          *(f32x4*)(acc1 + ridx7) += alu2;
          *(f32x4*)(output0_row + ridx7 - 300) = *(f32x4*)(acc0 + ridx7);
        }
      }
      for (int64_t ridx8 = 0; ridx8 < 288; ridx8 += 16) {
        *(f32x16*)(acc2 + ridx8) += *(f32x16*)(acc1 + ridx8);
      }
      for (int64_t ridx9 = 288; ridx9 < 296; ridx9 += 8) {
        *(f32x8*)(acc2 + ridx9) += *(f32x8*)(acc1 + ridx9);
      }
      for (int64_t ridx10 = 296; ridx10 < 300; ridx10 += 4) {
        *(f32x4*)(acc2 + ridx10) += *(f32x4*)(acc1 + ridx10);
      }
    } else {
      for (int64_t ridx11 = ridx0 * 4096; ridx11 < oidx1; ++ridx11) {
        const float* input0_row1 = input0 + shape0 * 300 - ridx11 * 300;
        float* output0_row1 = output0 + shape0 * 300 - ridx11 * 300;
        for (int64_t ridx12 = 0; ridx12 < 288; ridx12 += 16) {
          *(f32x16*)(acc0 + ridx12) += *(const f32x16*)(input0_row1 + ridx12 - 300);
          *(f32x16*)(output0_row1 + ridx12 - 300) = *(f32x16*)(acc0 + ridx12);
        }
        for (int64_t ridx13 = 288; ridx13 < 296; ridx13 += 8) {
          *(f32x8*)(acc0 + ridx13) += *(const f32x8*)(input0_row1 + ridx13 - 300);
          *(f32x8*)(output0_row1 + ridx13 - 300) = *(f32x8*)(acc0 + ridx13);
        }
        for (int64_t ridx14 = 296; ridx14 < 300; ridx14 += 4) {
          *(f32x4*)(acc0 + ridx14) += *(const f32x4*)(input0_row1 + ridx14 - 300);
          *(f32x4*)(output0_row1 + ridx14 - 300) = *(f32x4*)(acc0 + ridx14);
        }
      }
      for (int64_t ridx15 = 0; ridx15 < 288; ridx15 += 16) {
        *(f32x16*)(acc2 + ridx15) += *(f32x16*)(acc0 + ridx15);
      }
      for (int64_t ridx16 = 288; ridx16 < 296; ridx16 += 8) {
        *(f32x8*)(acc2 + ridx16) += *(f32x8*)(acc0 + ridx16);
      }
      for (int64_t ridx17 = 296; ridx17 < 300; ridx17 += 4) {
        *(f32x4*)(acc2 + ridx17) += *(f32x4*)(acc0 + ridx17);
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

static void kernel_main(const float* input0, const float* input1, float* output0, float* output1, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  { /* generation 0 */
    struct kernel_0_args args0 = {input0, input1, output0};
    struct kernel_1_args args1 = {input0, output1, shape0, cancel};
    struct kernel_2_args args2 = {input0, output1, shape0, cancel};
    struct harp_task tasks[] = {
      {kernel_0, &args0, shape0, 1, shape0 * 65700, 0, 0},
      {kernel_1, &args1, shape0 * 300 <= 131072 ? 1 : 0, 1, shape0 * 40200, 0, 0},
      {kernel_2, &args2, shape0 * 300 >= 131073 ? 1 : 0, 1, shape0 * 40200, 0, 0},
    };
    harp_run_together(rt, cancel, 3, tasks);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], outputs[1], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
