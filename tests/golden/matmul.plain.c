/* harp · graph "matmul" · target any, plain text · stable, law 9 · 3 kernels, 1 generation
   a: f32[m, k], b: f32[k, n] -> c: f32[m, n]
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

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

/* The product of two floats is exact in double. Rounding the sum to odd there makes the conversion to float the only rounding. */
static inline float fma_f32(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  union { double value; uint64_t bits; } odd;
  odd.value = sum;
  if ((error > 0.0 || error < 0.0) && (odd.bits & 1) == 0) odd.bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)-1;
  return (float)odd.value;
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

struct kernel_0_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; char* scratch; const volatile int32_t* cancel; };

/* generation 0 · variant 1 of 3 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=32 unroll=8, sequential tile=128, reduce unroll=4] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  char* scratch = a->scratch + worker * 1376256;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 127) / 128;
  const int64_t oidx5 = (shape1 + 255) / 256;
  const int64_t oidx6 = (oidx5 + 255) / 256;
  const int64_t oidx7 = (oidx6 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx1 = min_i64(shape0 - ridx0 * 32, 32);
    const int64_t oidx2 = (oidx1 + 7) / 8;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float* const row1 = (float*)(scratch + 16384);
      float* const row2 = (float*)(scratch + 32768);
      float* const row3 = (float*)(scratch + 49152);
      float* const row0 = (float*)scratch;
      const int64_t oidx3 = min_i64(shape2 - ridx1 * 128, 128);
      const int64_t oidx4 = (oidx3 + 127) / 128;
      if (shape1 == 0) {
        for (int64_t ridx2 = 0; ridx2 < oidx2; ++ridx2) {
          for (int64_t ridx3 = 0; ridx3 < oidx4 * 1024; ++ridx3) {
            row1[ridx2 * 1024 + ridx3] = 0.0f;
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx4 = 0; ridx4 < oidx2; ++ridx4) {
          for (int64_t ridx5 = 0; ridx5 < oidx4 * 1024; ++ridx5) {
            row3[ridx4 * 1024 + ridx5] = 0.0f;
          }
        }
      }
      for (int64_t ridx6 = 0; ridx6 < oidx7; ++ridx6) {
        if (shape1 >= 65537) {
          for (int64_t ridx7 = 0; ridx7 < oidx2; ++ridx7) {
            for (int64_t ridx8 = 0; ridx8 < oidx4 * 1024; ++ridx8) {
              row2[ridx7 * 1024 + ridx8] = 0.0f;
            }
          }
        }
        const int64_t oidx8 = min_i64(oidx6, ridx6 * 256 + 256);
        for (int64_t ridx9 = 0; ridx9 < oidx8 - ridx6 * 256; ++ridx9) {
          for (int64_t ridx10 = 0; ridx10 < oidx2; ++ridx10) {
            for (int64_t ridx11 = 0; ridx11 < oidx4 * 1024; ++ridx11) {
              row1[ridx10 * 1024 + ridx11] = 0.0f;
            }
          }
          const int64_t oidx9 = min_i64(oidx5, ridx6 * 65536 + ridx9 * 256 + 256);
          for (int64_t ridx12 = 0; ridx12 < oidx9 - ridx6 * 65536 - ridx9 * 256; ++ridx12) {
            if (harp_is_set(cancel)) return;
            for (int64_t ridx13 = 0; ridx13 < oidx2; ++ridx13) {
              for (int64_t ridx14 = 0; ridx14 < oidx4 * 1024; ++ridx14) {
                row0[ridx13 * 1024 + ridx14] = 0.0f;
              }
            }
            const int64_t oidx10 = min_i64(shape1 - ridx6 * 16777216 - ridx9 * 65536 - ridx12 * 256, 256);
            const int64_t oidx11 = oidx10 / 4;
            for (int64_t ridx15 = 0; ridx15 < oidx11 * 4; ridx15 += 4) {
              const float* input0_row = input0 + shape1 * ridx0 * 32 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx15;
              const float* input1_row = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 3 + ridx1 * 128;
              const float* input1_row1 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 2 + ridx1 * 128;
              const float* input1_row2 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 + ridx1 * 128;
              const float* input1_row3 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + ridx1 * 128;
              const float* input0_row1 = input0 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx15;
              for (int64_t ridx16 = 0; ridx16 < oidx2; ++ridx16) {
                const float alu0 = input0_row[shape1 * ridx16 * 8 + 3];
                const float alu2 = input0_row[shape1 * ridx16 * 8 + 2];
                const float alu4 = input0_row[shape1 * ridx16 * 8 + 1];
                const float alu6 = input0_row[shape1 * ridx16 * 8];
                const int64_t oidx12 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 1);
                const float alu9 = input0_row1[shape1 * oidx12 + 3];
                const float alu10 = input0_row1[shape1 * oidx12 + 2];
                const float alu11 = input0_row1[shape1 * oidx12 + 1];
                const float alu12 = input0_row1[shape1 * oidx12];
                const int64_t oidx13 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 2);
                const float alu14 = input0_row1[shape1 * oidx13 + 3];
                const float alu15 = input0_row1[shape1 * oidx13 + 2];
                const float alu16 = input0_row1[shape1 * oidx13 + 1];
                const float alu17 = input0_row1[shape1 * oidx13];
                const int64_t oidx14 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 3);
                const float alu19 = input0_row1[shape1 * oidx14 + 3];
                const float alu20 = input0_row1[shape1 * oidx14 + 2];
                const float alu21 = input0_row1[shape1 * oidx14 + 1];
                const float alu22 = input0_row1[shape1 * oidx14];
                const int64_t oidx15 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 4);
                const float alu24 = input0_row1[shape1 * oidx15 + 3];
                const float alu25 = input0_row1[shape1 * oidx15 + 2];
                const float alu26 = input0_row1[shape1 * oidx15 + 1];
                const float alu27 = input0_row1[shape1 * oidx15];
                const int64_t oidx16 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 5);
                const float alu29 = input0_row1[shape1 * oidx16 + 3];
                const float alu30 = input0_row1[shape1 * oidx16 + 2];
                const float alu31 = input0_row1[shape1 * oidx16 + 1];
                const float alu32 = input0_row1[shape1 * oidx16];
                const int64_t oidx17 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 6);
                const float alu34 = input0_row1[shape1 * oidx17 + 3];
                const float alu35 = input0_row1[shape1 * oidx17 + 2];
                const float alu36 = input0_row1[shape1 * oidx17 + 1];
                const float alu37 = input0_row1[shape1 * oidx17];
                const int64_t oidx18 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 7);
                const float alu39 = input0_row1[shape1 * oidx18 + 3];
                const float alu40 = input0_row1[shape1 * oidx18 + 2];
                const float alu41 = input0_row1[shape1 * oidx18 + 1];
                const float alu42 = input0_row1[shape1 * oidx18];
                for (int64_t ridx17 = 0; ridx17 < oidx3; ++ridx17) {
                  const float alu1 = input1_row[ridx17];
                  const float alu3 = input1_row1[ridx17];
                  const float alu5 = input1_row2[ridx17];
                  const float alu7 = input1_row3[ridx17];
                  float* row0_at = row0 + ridx16 * 1024 + ridx17;
                  const float alu8 = fma_f32(alu4, alu5, fma_f32(alu6, alu7, row0_at[0]));
                  row0_at[0] = fma_f32(alu0, alu1, fma_f32(alu2, alu3, alu8));
                  const float alu13 = fma_f32(alu11, alu5, fma_f32(alu12, alu7, row0_at[128]));
                  row0_at[128] = fma_f32(alu9, alu1, fma_f32(alu10, alu3, alu13));
                  const float alu18 = fma_f32(alu16, alu5, fma_f32(alu17, alu7, row0_at[256]));
                  row0_at[256] = fma_f32(alu14, alu1, fma_f32(alu15, alu3, alu18));
                  const float alu23 = fma_f32(alu21, alu5, fma_f32(alu22, alu7, row0_at[384]));
                  row0_at[384] = fma_f32(alu19, alu1, fma_f32(alu20, alu3, alu23));
                  const float alu28 = fma_f32(alu26, alu5, fma_f32(alu27, alu7, row0_at[512]));
                  row0_at[512] = fma_f32(alu24, alu1, fma_f32(alu25, alu3, alu28));
                  const float alu33 = fma_f32(alu31, alu5, fma_f32(alu32, alu7, row0_at[640]));
                  row0_at[640] = fma_f32(alu29, alu1, fma_f32(alu30, alu3, alu33));
                  const float alu38 = fma_f32(alu36, alu5, fma_f32(alu37, alu7, row0_at[768]));
                  row0_at[768] = fma_f32(alu34, alu1, fma_f32(alu35, alu3, alu38));
                  const float alu43 = fma_f32(alu41, alu5, fma_f32(alu42, alu7, row0_at[896]));
                  row0_at[896] = fma_f32(alu39, alu1, fma_f32(alu40, alu3, alu43));
                }
              }
            }
            for (int64_t ridx18 = oidx11 * 4; ridx18 < oidx10; ++ridx18) {
              const float* input0_row2 = input0 + shape1 * ridx0 * 32 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx18;
              const float* input1_row4 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx18 + ridx1 * 128;
              const float* input0_row3 = input0 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx18;
              for (int64_t ridx19 = 0; ridx19 < oidx2; ++ridx19) {
                const float alu44 = input0_row2[shape1 * ridx19 * 8];
                const int64_t oidx19 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 1);
                const float alu46 = input0_row3[shape1 * oidx19];
                const int64_t oidx20 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 2);
                const float alu47 = input0_row3[shape1 * oidx20];
                const int64_t oidx21 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 3);
                const float alu48 = input0_row3[shape1 * oidx21];
                const int64_t oidx22 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 4);
                const float alu49 = input0_row3[shape1 * oidx22];
                const int64_t oidx23 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 5);
                const float alu50 = input0_row3[shape1 * oidx23];
                const int64_t oidx24 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 6);
                const float alu51 = input0_row3[shape1 * oidx24];
                const int64_t oidx25 = min_i64(shape0 - 1, ridx0 * 32 + ridx19 * 8 + 7);
                const float alu52 = input0_row3[shape1 * oidx25];
                for (int64_t ridx20 = 0; ridx20 < oidx3; ++ridx20) {
                  const float alu45 = input1_row4[ridx20];
                  float* row0_at1 = row0 + ridx19 * 1024 + ridx20;
                  row0_at1[0] = fma_f32(alu44, alu45, row0_at1[0]);
                  row0_at1[128] = fma_f32(alu46, alu45, row0_at1[128]);
                  row0_at1[256] = fma_f32(alu47, alu45, row0_at1[256]);
                  row0_at1[384] = fma_f32(alu48, alu45, row0_at1[384]);
                  row0_at1[512] = fma_f32(alu49, alu45, row0_at1[512]);
                  row0_at1[640] = fma_f32(alu50, alu45, row0_at1[640]);
                  row0_at1[768] = fma_f32(alu51, alu45, row0_at1[768]);
                  row0_at1[896] = fma_f32(alu52, alu45, row0_at1[896]);
                }
              }
            }
            for (int64_t ridx21 = 0; ridx21 < oidx2; ++ridx21) {
              for (int64_t ridx22 = 0; ridx22 < oidx4 * 1024; ++ridx22) {
                row1[ridx21 * 1024 + ridx22] += row0[ridx21 * 1024 + ridx22];
              }
            }
          }
          if (shape1 >= 65537) {
            for (int64_t ridx23 = 0; ridx23 < oidx2; ++ridx23) {
              for (int64_t ridx24 = 0; ridx24 < oidx4 * 1024; ++ridx24) {
                row2[ridx23 * 1024 + ridx24] += row1[ridx23 * 1024 + ridx24];
              }
            }
          }
        }
        if (shape1 >= 65537) {
          for (int64_t ridx25 = 0; ridx25 < oidx2; ++ridx25) {
            for (int64_t ridx26 = 0; ridx26 < oidx4 * 1024; ++ridx26) {
              row3[ridx25 * 1024 + ridx26] += row2[ridx25 * 1024 + ridx26];
            }
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx27 = 0; ridx27 < oidx2; ++ridx27) {
          for (int64_t ridx28 = 0; ridx28 < oidx4 * 1024; ++ridx28) {
            row1[ridx27 * 1024 + ridx28] = row3[ridx27 * 1024 + ridx28];
          }
        }
      }
      for (int64_t ridx29 = 0; ridx29 < oidx2; ++ridx29) {
        const int64_t oidx26 = min_i64(oidx1 - ridx29 * 8, 8);
        for (int64_t ridx30 = 0; ridx30 < oidx26; ++ridx30) {
          for (int64_t ridx31 = 0; ridx31 < oidx4; ++ridx31) {
            float* output0_row = output0 + shape2 * ridx0 * 32 + shape2 * ridx29 * 8 + shape2 * ridx30 + ridx1 * 128 + ridx31 * 128;
            for (int64_t ridx32 = 0; ridx32 < oidx3 - ridx31 * 128; ++ridx32) {
              output0_row[ridx32] = row1[ridx29 * 1024 + ridx30 * 128 + ridx31 * 1024 + ridx32];
            }
          }
        }
      }
    }
  }
}

struct kernel_1_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; char* scratch; const volatile int32_t* cancel; };

/* generation 0 · variant 2 of 3 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=224 unroll=8, sequential tile=512 unroll=2, reduce] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  char* scratch = a->scratch + worker * 1376256;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 511) / 512;
  const int64_t oidx5 = (shape1 + 255) / 256;
  const int64_t oidx6 = (oidx5 + 255) / 256;
  const int64_t oidx7 = (oidx6 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx1 = min_i64(shape0 - ridx0 * 224, 224);
    const int64_t oidx2 = (oidx1 + 7) / 8;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float* const row1 = (float*)scratch;
      float* const row2 = (float*)(scratch + 458752);
      float* const row3 = (float*)(scratch + 917504);
      float row0[512];
      float row20[16];
      const int64_t oidx3 = min_i64(shape2 - ridx1 * 512, 512);
      const int64_t oidx4 = (oidx3 + 1) / 2;
      if (shape1 == 0) {
        for (int64_t ridx2 = 0; ridx2 < oidx2; ++ridx2) {
          for (int64_t ridx3 = 0; ridx3 < oidx4 * 16; ++ridx3) {
            row1[ridx2 * 4096 + ridx3] = 0.0f;
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx4 = 0; ridx4 < oidx2; ++ridx4) {
          for (int64_t ridx5 = 0; ridx5 < oidx4 * 16; ++ridx5) {
            row3[ridx4 * 4096 + ridx5] = 0.0f;
          }
        }
      }
      for (int64_t ridx6 = 0; ridx6 < oidx7; ++ridx6) {
        if (shape1 >= 65537) {
          for (int64_t ridx7 = 0; ridx7 < oidx2; ++ridx7) {
            for (int64_t ridx8 = 0; ridx8 < oidx4 * 16; ++ridx8) {
              row2[ridx7 * 4096 + ridx8] = 0.0f;
            }
          }
        }
        const int64_t oidx8 = min_i64(oidx6, ridx6 * 256 + 256);
        for (int64_t ridx9 = 0; ridx9 < oidx8 - ridx6 * 256; ++ridx9) {
          if (shape1 >= 257 || shape1 == 0) {
            for (int64_t ridx10 = 0; ridx10 < oidx2; ++ridx10) {
              for (int64_t ridx11 = 0; ridx11 < oidx4 * 16; ++ridx11) {
                row1[ridx10 * 4096 + ridx11] = 0.0f;
              }
            }
          }
          const int64_t oidx9 = min_i64(oidx5, ridx6 * 65536 + ridx9 * 256 + 256);
          for (int64_t ridx12 = 0; ridx12 < oidx9 - ridx6 * 65536 - ridx9 * 256; ++ridx12) {
            const int64_t oidx10 = min_i64(shape1 - ridx6 * 16777216 - ridx9 * 65536 - ridx12 * 256, 256);
            for (int64_t ridx13 = 0; ridx13 < oidx4; ++ridx13) {
              if (harp_is_set(cancel)) return;
              const int64_t oidx11 = min_i64(shape2 - ridx1 * 512 - ridx13 * 2, 2);
              if (ridx1 * 512 + ridx13 * 2 + 2 <= shape2) {
                for (int64_t ridx14 = 0; ridx14 < oidx10; ++ridx14) {
                  const float* input0_row = input0 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx14 + ridx1 * 512 + ridx13 * 2;
                  for (int64_t ridx15 = 0; ridx15 < 2; ++ridx15) {
                    row0[ridx14 * 2 + ridx15] = input0_row[ridx15];
                  }
                }
              } else {
                for (int64_t ridx16 = 0; ridx16 < oidx10 * 2; ++ridx16) {
                  row0[ridx16] = 0.0f;
                }
                for (int64_t ridx17 = 0; ridx17 < oidx10; ++ridx17) {
                  const float* input0_row1 = input0 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx17 + ridx1 * 512 + ridx13 * 2;
                  for (int64_t ridx18 = 0; ridx18 < oidx11; ++ridx18) {
                    row0[ridx17 * 2 + ridx18] = input0_row1[ridx18];
                  }
                }
              }
              float* output0_row = output0 + shape2 * ridx0 * 224 + ridx1 * 512 + ridx13 * 2;
              float* output0_row1 = output0 + shape2 * ridx0 * 224 + shape2 + ridx1 * 512 + ridx13 * 2;
              float* output0_row2 = output0 + shape2 * ridx0 * 224 + shape2 * 2 + ridx1 * 512 + ridx13 * 2;
              float* output0_row3 = output0 + shape2 * ridx0 * 224 + shape2 * 3 + ridx1 * 512 + ridx13 * 2;
              float* output0_row4 = output0 + shape2 * ridx0 * 224 + shape2 * 4 + ridx1 * 512 + ridx13 * 2;
              float* output0_row5 = output0 + shape2 * ridx0 * 224 + shape2 * 5 + ridx1 * 512 + ridx13 * 2;
              float* output0_row6 = output0 + shape2 * ridx0 * 224 + shape2 * 6 + ridx1 * 512 + ridx13 * 2;
              float* output0_row7 = output0 + shape2 * ridx0 * 224 + shape2 * 7 + ridx1 * 512 + ridx13 * 2;
              const int64_t oidx20 = min_i64(oidx3 - ridx13 * 2, 2);
              for (int64_t ridx19 = 0; ridx19 < oidx2; ++ridx19) {
                const float* input1_row = input1 + shape1 * ridx0 * 224 + shape1 * ridx19 * 8 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx12 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 1);
                const float* input1_row1 = input1 + shape1 * oidx12 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx13 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 2);
                const float* input1_row2 = input1 + shape1 * oidx13 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx14 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 3);
                const float* input1_row3 = input1 + shape1 * oidx14 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx15 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 4);
                const float* input1_row4 = input1 + shape1 * oidx15 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx16 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 5);
                const float* input1_row5 = input1 + shape1 * oidx16 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx17 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 6);
                const float* input1_row6 = input1 + shape1 * oidx17 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx18 = min_i64(shape0 - 1, ridx0 * 224 + ridx19 * 8 + 7);
                const float* input1_row7 = input1 + shape1 * oidx18 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx19 = min_i64(oidx1 - ridx19 * 8, 8);
                float* row1_at = row1 + ridx13 * 16 + ridx19 * 4096;
                const int64_t oidx21 = min_i64(oidx1 - ridx19 * 8, 4);
                if (ridx19 * 8 + 5 <= oidx1) {
                  if (ridx13 * 2 + 2 <= oidx3) {
                    float acc4 = 0.0f;
                    float acc5 = 0.0f;
                    float acc6 = 0.0f;
                    float acc7 = 0.0f;
                    float acc8 = 0.0f;
                    float acc9 = 0.0f;
                    float acc10 = 0.0f;
                    float acc11 = 0.0f;
                    float acc12 = 0.0f;
                    float acc13 = 0.0f;
                    float acc14 = 0.0f;
                    float acc15 = 0.0f;
                    float acc16 = 0.0f;
                    float acc17 = 0.0f;
                    float acc18 = 0.0f;
                    float acc19 = 0.0f;
                    for (int64_t ridx20 = 0; ridx20 < oidx10; ++ridx20) {
                      const float alu0 = input1_row[ridx20];
                      const float alu1 = row0[ridx20 * 2];
                      acc4 = fma_f32(alu0, alu1, acc4);
                      const float alu2 = row0[ridx20 * 2 + 1];
                      acc5 = fma_f32(alu0, alu2, acc5);
                      const float alu3 = input1_row1[ridx20];
                      acc6 = fma_f32(alu3, alu1, acc6);
                      acc7 = fma_f32(alu3, alu2, acc7);
                      const float alu4 = input1_row2[ridx20];
                      acc8 = fma_f32(alu4, alu1, acc8);
                      acc9 = fma_f32(alu4, alu2, acc9);
                      const float alu5 = input1_row3[ridx20];
                      acc10 = fma_f32(alu5, alu1, acc10);
                      acc11 = fma_f32(alu5, alu2, acc11);
                      const float alu6 = input1_row4[ridx20];
                      acc12 = fma_f32(alu6, alu1, acc12);
                      acc13 = fma_f32(alu6, alu2, acc13);
                      const float alu7 = input1_row5[ridx20];
                      acc14 = fma_f32(alu7, alu1, acc14);
                      acc15 = fma_f32(alu7, alu2, acc15);
                      const float alu8 = input1_row6[ridx20];
                      acc16 = fma_f32(alu8, alu1, acc16);
                      acc17 = fma_f32(alu8, alu2, acc17);
                      const float alu9 = input1_row7[ridx20];
                      acc18 = fma_f32(alu9, alu1, acc18);
                      acc19 = fma_f32(alu9, alu2, acc19);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 2 + 2 <= oidx3) {
                        const float alu10 = acc4 + 0.0f;
                        output0_row[shape2 * ridx19 * 8] = alu10;
                        const float alu11 = acc5 + 0.0f;
                        output0_row[shape2 * ridx19 * 8 + 1] = alu11;
                        if (ridx19 * 8 + 2 <= oidx1) {
                          const float alu12 = acc6 + 0.0f;
                          output0_row1[shape2 * ridx19 * 8] = alu12;
                          const float alu13 = acc7 + 0.0f;
                          output0_row1[shape2 * ridx19 * 8 + 1] = alu13;
                        }
                        if (ridx19 * 8 + 3 <= oidx1) {
                          const float alu14 = acc8 + 0.0f;
                          output0_row2[shape2 * ridx19 * 8] = alu14;
                          const float alu15 = acc9 + 0.0f;
                          output0_row2[shape2 * ridx19 * 8 + 1] = alu15;
                        }
                        if (ridx19 * 8 + 4 <= oidx1) {
                          const float alu16 = acc10 + 0.0f;
                          output0_row3[shape2 * ridx19 * 8] = alu16;
                          const float alu17 = acc11 + 0.0f;
                          output0_row3[shape2 * ridx19 * 8 + 1] = alu17;
                        }
                        if (ridx19 * 8 + 5 <= oidx1) {
                          const float alu18 = acc12 + 0.0f;
                          output0_row4[shape2 * ridx19 * 8] = alu18;
                          const float alu19 = acc13 + 0.0f;
                          output0_row4[shape2 * ridx19 * 8 + 1] = alu19;
                        }
                        if (ridx19 * 8 + 6 <= oidx1) {
                          const float alu20 = acc14 + 0.0f;
                          output0_row5[shape2 * ridx19 * 8] = alu20;
                          const float alu21 = acc15 + 0.0f;
                          output0_row5[shape2 * ridx19 * 8 + 1] = alu21;
                        }
                        if (ridx19 * 8 + 7 <= oidx1) {
                          const float alu22 = acc16 + 0.0f;
                          output0_row6[shape2 * ridx19 * 8] = alu22;
                          const float alu23 = acc17 + 0.0f;
                          output0_row6[shape2 * ridx19 * 8 + 1] = alu23;
                        }
                        if (ridx19 * 8 + 8 <= oidx1) {
                          const float alu24 = acc18 + 0.0f;
                          output0_row7[shape2 * ridx19 * 8] = alu24;
                          const float alu25 = acc19 + 0.0f;
                          output0_row7[shape2 * ridx19 * 8 + 1] = alu25;
                        }
                      } else {
                        const float alu26 = acc4 + 0.0f;
                        row20[0] = alu26;
                        const float alu27 = acc5 + 0.0f;
                        row20[1] = alu27;
                        const float alu28 = acc6 + 0.0f;
                        row20[2] = alu28;
                        const float alu29 = acc7 + 0.0f;
                        row20[3] = alu29;
                        const float alu30 = acc8 + 0.0f;
                        row20[4] = alu30;
                        const float alu31 = acc9 + 0.0f;
                        row20[5] = alu31;
                        const float alu32 = acc10 + 0.0f;
                        row20[6] = alu32;
                        const float alu33 = acc11 + 0.0f;
                        row20[7] = alu33;
                        const float alu34 = acc12 + 0.0f;
                        row20[8] = alu34;
                        const float alu35 = acc13 + 0.0f;
                        row20[9] = alu35;
                        const float alu36 = acc14 + 0.0f;
                        row20[10] = alu36;
                        const float alu37 = acc15 + 0.0f;
                        row20[11] = alu37;
                        const float alu38 = acc16 + 0.0f;
                        row20[12] = alu38;
                        const float alu39 = acc17 + 0.0f;
                        row20[13] = alu39;
                        const float alu40 = acc18 + 0.0f;
                        row20[14] = alu40;
                        const float alu41 = acc19 + 0.0f;
                        row20[15] = alu41;
                        for (int64_t ridx21 = 0; ridx21 < oidx19; ++ridx21) {
                          float* output0_row8 = output0 + shape2 * ridx0 * 224 + shape2 * ridx19 * 8 + shape2 * ridx21 + ridx1 * 512 + ridx13 * 2;
                          for (int64_t ridx22 = 0; ridx22 < oidx20; ++ridx22) {
                            output0_row8[ridx22] = row20[ridx21 * 2 + ridx22];
                          }
                        }
                      }
                    } else {
                      row1_at[0] += acc4;
                      row1_at[1] += acc5;
                      row1_at[2] += acc6;
                      row1_at[3] += acc7;
                      row1_at[4] += acc8;
                      row1_at[5] += acc9;
                      row1_at[6] += acc10;
                      row1_at[7] += acc11;
                      row1_at[8] += acc12;
                      row1_at[9] += acc13;
                      row1_at[10] += acc14;
                      row1_at[11] += acc15;
                      row1_at[12] += acc16;
                      row1_at[13] += acc17;
                      row1_at[14] += acc18;
                      row1_at[15] += acc19;
                    }
                  } else {
                    float acc4 = 0.0f;
                    float acc6 = 0.0f;
                    float acc8 = 0.0f;
                    float acc10 = 0.0f;
                    float acc12 = 0.0f;
                    float acc14 = 0.0f;
                    float acc16 = 0.0f;
                    float acc18 = 0.0f;
                    for (int64_t ridx23 = 0; ridx23 < oidx10; ++ridx23) {
                      const float alu42 = row0[ridx23 * 2];
                      acc4 = fma_f32(input1_row[ridx23], alu42, acc4);
                      acc6 = fma_f32(input1_row1[ridx23], alu42, acc6);
                      acc8 = fma_f32(input1_row2[ridx23], alu42, acc8);
                      acc10 = fma_f32(input1_row3[ridx23], alu42, acc10);
                      acc12 = fma_f32(input1_row4[ridx23], alu42, acc12);
                      acc14 = fma_f32(input1_row5[ridx23], alu42, acc14);
                      acc16 = fma_f32(input1_row6[ridx23], alu42, acc16);
                      acc18 = fma_f32(input1_row7[ridx23], alu42, acc18);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      const float alu43 = acc4 + 0.0f;
                      output0_row[shape2 * ridx19 * 8] = alu43;
                      if (ridx19 * 8 + 2 <= oidx1) {
                        const float alu44 = acc6 + 0.0f;
                        output0_row1[shape2 * ridx19 * 8] = alu44;
                      }
                      if (ridx19 * 8 + 3 <= oidx1) {
                        const float alu45 = acc8 + 0.0f;
                        output0_row2[shape2 * ridx19 * 8] = alu45;
                      }
                      if (ridx19 * 8 + 4 <= oidx1) {
                        const float alu46 = acc10 + 0.0f;
                        output0_row3[shape2 * ridx19 * 8] = alu46;
                      }
                      if (ridx19 * 8 + 5 <= oidx1) {
                        const float alu47 = acc12 + 0.0f;
                        output0_row4[shape2 * ridx19 * 8] = alu47;
                      }
                      if (ridx19 * 8 + 6 <= oidx1) {
                        const float alu48 = acc14 + 0.0f;
                        output0_row5[shape2 * ridx19 * 8] = alu48;
                      }
                      if (ridx19 * 8 + 7 <= oidx1) {
                        const float alu49 = acc16 + 0.0f;
                        output0_row6[shape2 * ridx19 * 8] = alu49;
                      }
                      if (ridx19 * 8 + 8 <= oidx1) {
                        const float alu50 = acc18 + 0.0f;
                        output0_row7[shape2 * ridx19 * 8] = alu50;
                      }
                    } else {
                      row1_at[0] += acc4;
                      row1_at[2] += acc6;
                      row1_at[4] += acc8;
                      row1_at[6] += acc10;
                      row1_at[8] += acc12;
                      row1_at[10] += acc14;
                      row1_at[12] += acc16;
                      row1_at[14] += acc18;
                    }
                  }
                } else {
                  if (ridx13 * 2 + 2 <= oidx3) {
                    float acc4 = 0.0f;
                    float acc5 = 0.0f;
                    float acc6 = 0.0f;
                    float acc7 = 0.0f;
                    float acc8 = 0.0f;
                    float acc9 = 0.0f;
                    float acc10 = 0.0f;
                    float acc11 = 0.0f;
                    for (int64_t ridx24 = 0; ridx24 < oidx10; ++ridx24) {
                      const float alu51 = input1_row[ridx24];
                      const float alu52 = row0[ridx24 * 2];
                      acc4 = fma_f32(alu51, alu52, acc4);
                      const float alu53 = row0[ridx24 * 2 + 1];
                      acc5 = fma_f32(alu51, alu53, acc5);
                      const float alu54 = input1_row1[ridx24];
                      acc6 = fma_f32(alu54, alu52, acc6);
                      acc7 = fma_f32(alu54, alu53, acc7);
                      const float alu55 = input1_row2[ridx24];
                      acc8 = fma_f32(alu55, alu52, acc8);
                      acc9 = fma_f32(alu55, alu53, acc9);
                      const float alu56 = input1_row3[ridx24];
                      acc10 = fma_f32(alu56, alu52, acc10);
                      acc11 = fma_f32(alu56, alu53, acc11);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 2 + 2 <= oidx3) {
                        const float alu57 = acc4 + 0.0f;
                        output0_row[shape2 * ridx19 * 8] = alu57;
                        const float alu58 = acc5 + 0.0f;
                        output0_row[shape2 * ridx19 * 8 + 1] = alu58;
                        if (ridx19 * 8 + 2 <= oidx1) {
                          const float alu59 = acc6 + 0.0f;
                          output0_row1[shape2 * ridx19 * 8] = alu59;
                          const float alu60 = acc7 + 0.0f;
                          output0_row1[shape2 * ridx19 * 8 + 1] = alu60;
                        }
                        if (ridx19 * 8 + 3 <= oidx1) {
                          const float alu61 = acc8 + 0.0f;
                          output0_row2[shape2 * ridx19 * 8] = alu61;
                          const float alu62 = acc9 + 0.0f;
                          output0_row2[shape2 * ridx19 * 8 + 1] = alu62;
                        }
                        if (ridx19 * 8 + 4 <= oidx1) {
                          const float alu63 = acc10 + 0.0f;
                          output0_row3[shape2 * ridx19 * 8] = alu63;
                          const float alu64 = acc11 + 0.0f;
                          output0_row3[shape2 * ridx19 * 8 + 1] = alu64;
                        }
                      } else {
                        const float alu65 = acc4 + 0.0f;
                        row20[0] = alu65;
                        const float alu66 = acc5 + 0.0f;
                        row20[1] = alu66;
                        const float alu67 = acc6 + 0.0f;
                        row20[2] = alu67;
                        const float alu68 = acc7 + 0.0f;
                        row20[3] = alu68;
                        const float alu69 = acc8 + 0.0f;
                        row20[4] = alu69;
                        const float alu70 = acc9 + 0.0f;
                        row20[5] = alu70;
                        const float alu71 = acc10 + 0.0f;
                        row20[6] = alu71;
                        const float alu72 = acc11 + 0.0f;
                        row20[7] = alu72;
                        for (int64_t ridx25 = 0; ridx25 < oidx21; ++ridx25) {
                          float* output0_row9 = output0 + shape2 * ridx0 * 224 + shape2 * ridx19 * 8 + shape2 * ridx25 + ridx1 * 512 + ridx13 * 2;
                          for (int64_t ridx26 = 0; ridx26 < oidx20; ++ridx26) {
                            output0_row9[ridx26] = row20[ridx25 * 2 + ridx26];
                          }
                        }
                      }
                    } else {
                      row1_at[0] += acc4;
                      row1_at[1] += acc5;
                      row1_at[2] += acc6;
                      row1_at[3] += acc7;
                      row1_at[4] += acc8;
                      row1_at[5] += acc9;
                      row1_at[6] += acc10;
                      row1_at[7] += acc11;
                    }
                  } else {
                    float acc4 = 0.0f;
                    float acc6 = 0.0f;
                    float acc8 = 0.0f;
                    float acc10 = 0.0f;
                    for (int64_t ridx27 = 0; ridx27 < oidx10; ++ridx27) {
                      const float alu73 = row0[ridx27 * 2];
                      acc4 = fma_f32(input1_row[ridx27], alu73, acc4);
                      acc6 = fma_f32(input1_row1[ridx27], alu73, acc6);
                      acc8 = fma_f32(input1_row2[ridx27], alu73, acc8);
                      acc10 = fma_f32(input1_row3[ridx27], alu73, acc10);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      const float alu74 = acc4 + 0.0f;
                      output0_row[shape2 * ridx19 * 8] = alu74;
                      if (ridx19 * 8 + 2 <= oidx1) {
                        const float alu75 = acc6 + 0.0f;
                        output0_row1[shape2 * ridx19 * 8] = alu75;
                      }
                      if (ridx19 * 8 + 3 <= oidx1) {
                        const float alu76 = acc8 + 0.0f;
                        output0_row2[shape2 * ridx19 * 8] = alu76;
                      }
                      if (ridx19 * 8 + 4 <= oidx1) {
                        const float alu77 = acc10 + 0.0f;
                        output0_row3[shape2 * ridx19 * 8] = alu77;
                      }
                    } else {
                      row1_at[0] += acc4;
                      row1_at[2] += acc6;
                      row1_at[4] += acc8;
                      row1_at[6] += acc10;
                    }
                  }
                }
              }
            }
          }
          if (shape1 >= 65537) {
            for (int64_t ridx28 = 0; ridx28 < oidx2; ++ridx28) {
              for (int64_t ridx29 = 0; ridx29 < oidx4 * 16; ++ridx29) {
                row2[ridx28 * 4096 + ridx29] += row1[ridx28 * 4096 + ridx29];
              }
            }
          }
        }
        if (shape1 >= 65537) {
          for (int64_t ridx30 = 0; ridx30 < oidx2; ++ridx30) {
            for (int64_t ridx31 = 0; ridx31 < oidx4 * 16; ++ridx31) {
              row3[ridx30 * 4096 + ridx31] += row2[ridx30 * 4096 + ridx31];
            }
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx32 = 0; ridx32 < oidx2; ++ridx32) {
          for (int64_t ridx33 = 0; ridx33 < oidx4 * 16; ++ridx33) {
            row1[ridx32 * 4096 + ridx33] = row3[ridx32 * 4096 + ridx33];
          }
        }
      }
      if (shape1 >= 257 || shape1 == 0) {
        for (int64_t ridx34 = 0; ridx34 < oidx2; ++ridx34) {
          const int64_t oidx22 = min_i64(oidx1 - ridx34 * 8, 8);
          for (int64_t ridx35 = 0; ridx35 < oidx22; ++ridx35) {
            for (int64_t ridx36 = 0; ridx36 < oidx4; ++ridx36) {
              const int64_t oidx23 = min_i64(oidx3 - ridx36 * 2, 2);
              float* output0_row10 = output0 + shape2 * ridx0 * 224 + shape2 * ridx34 * 8 + shape2 * ridx35 + ridx1 * 512 + ridx36 * 2;
              for (int64_t ridx37 = 0; ridx37 < oidx23; ++ridx37) {
                output0_row10[ridx37] = row1[ridx34 * 4096 + ridx35 * 2 + ridx36 * 16 + ridx37];
              }
            }
          }
        }
      }
    }
  }
}

struct kernel_2_args { const float* input0; const float* input1; float* output0; int64_t shape1; int64_t shape2; const volatile int32_t* cancel; };

/* generation 0 · variant 3 of 3 by size · reduce over [m, n] · sum of [m, k, n] axes [1] chain product · reduce [thread, sequential, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 511) / 512;
  const int64_t oidx2 = min_i64(shape1, 256);
  const int64_t oidx3 = oidx2 / 8;
  const int64_t oidx4 = (shape1 + 255) / 256;
  const int64_t oidx5 = (oidx4 + 255) / 256;
  const int64_t oidx6 = (oidx5 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + shape1 * ridx0;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float row3[512];
      const int64_t oidx1 = min_i64(shape2 - ridx1 * 512, 512);
      for (int64_t ridx2 = 0; ridx2 < oidx1; ++ridx2) {
        row3[ridx2] = 0.0f;
      }
      if (shape1 <= 256) {
        for (int64_t ridx3 = 0; ridx3 < oidx3 * 8; ridx3 += 8) {
          const float alu0 = input0_row[ridx3 + 7];
          const float* input1_row = input1 + shape2 * ridx3 + shape2 * 7 + ridx1 * 512;
          const float alu1 = input0_row[ridx3 + 6];
          const float* input1_row1 = input1 + shape2 * ridx3 + shape2 * 6 + ridx1 * 512;
          const float alu2 = input0_row[ridx3 + 5];
          const float* input1_row2 = input1 + shape2 * ridx3 + shape2 * 5 + ridx1 * 512;
          const float alu3 = input0_row[ridx3 + 4];
          const float* input1_row3 = input1 + shape2 * ridx3 + shape2 * 4 + ridx1 * 512;
          const float alu4 = input0_row[ridx3 + 3];
          const float* input1_row4 = input1 + shape2 * ridx3 + shape2 * 3 + ridx1 * 512;
          const float alu5 = input0_row[ridx3 + 2];
          const float* input1_row5 = input1 + shape2 * ridx3 + shape2 * 2 + ridx1 * 512;
          const float alu6 = input0_row[ridx3 + 1];
          const float* input1_row6 = input1 + shape2 * ridx3 + shape2 + ridx1 * 512;
          const float alu7 = input0_row[ridx3];
          const float* input1_row7 = input1 + shape2 * ridx3 + ridx1 * 512;
          for (int64_t ridx4 = 0; ridx4 < oidx1; ++ridx4) {
            const float alu8 = fma_f32(alu6, input1_row6[ridx4], fma_f32(alu7, input1_row7[ridx4], row3[ridx4]));
            const float alu9 = fma_f32(alu4, input1_row4[ridx4], fma_f32(alu5, input1_row5[ridx4], alu8));
            const float alu10 = fma_f32(alu2, input1_row2[ridx4], fma_f32(alu3, input1_row3[ridx4], alu9));
            row3[ridx4] = fma_f32(alu0, input1_row[ridx4], fma_f32(alu1, input1_row1[ridx4], alu10));
          }
        }
        for (int64_t ridx5 = oidx3 * 8; ridx5 < oidx2; ++ridx5) {
          const float alu11 = input0_row[ridx5];
          const float* input1_row8 = input1 + shape2 * ridx5 + ridx1 * 512;
          for (int64_t ridx6 = 0; ridx6 < oidx1; ++ridx6) {
            row3[ridx6] = fma_f32(alu11, input1_row8[ridx6], row3[ridx6]);
          }
        }
      } else {
        for (int64_t ridx7 = 0; ridx7 < oidx6; ++ridx7) {
          float row2[512];
          for (int64_t ridx8 = 0; ridx8 < oidx1; ++ridx8) {
            row2[ridx8] = 0.0f;
          }
          const int64_t oidx7 = min_i64(oidx5, ridx7 * 256 + 256);
          for (int64_t ridx9 = ridx7 * 256; ridx9 < oidx7; ++ridx9) {
            float row1[512];
            for (int64_t ridx10 = 0; ridx10 < oidx1; ++ridx10) {
              row1[ridx10] = 0.0f;
            }
            const int64_t oidx8 = min_i64(oidx4, ridx9 * 256 + 256);
            for (int64_t ridx11 = ridx9 * 256; ridx11 < oidx8; ++ridx11) {
              if (harp_is_set(cancel)) return;
              float row0[512];
              for (int64_t ridx12 = 0; ridx12 < oidx1; ++ridx12) {
                row0[ridx12] = 0.0f;
              }
              const int64_t oidx9 = min_i64(shape1, ridx11 * 256 + 256);
              const int64_t oidx10 = oidx9 / 8;
              for (int64_t ridx13 = ridx11 * 256; ridx13 < oidx10 * 8; ridx13 += 8) {
                const float alu12 = input0_row[ridx13 + 7];
                const float* input1_row9 = input1 + shape2 * ridx13 + shape2 * 7 + ridx1 * 512;
                const float alu13 = input0_row[ridx13 + 6];
                const float* input1_row10 = input1 + shape2 * ridx13 + shape2 * 6 + ridx1 * 512;
                const float alu14 = input0_row[ridx13 + 5];
                const float* input1_row11 = input1 + shape2 * ridx13 + shape2 * 5 + ridx1 * 512;
                const float alu15 = input0_row[ridx13 + 4];
                const float* input1_row12 = input1 + shape2 * ridx13 + shape2 * 4 + ridx1 * 512;
                const float alu16 = input0_row[ridx13 + 3];
                const float* input1_row13 = input1 + shape2 * ridx13 + shape2 * 3 + ridx1 * 512;
                const float alu17 = input0_row[ridx13 + 2];
                const float* input1_row14 = input1 + shape2 * ridx13 + shape2 * 2 + ridx1 * 512;
                const float alu18 = input0_row[ridx13 + 1];
                const float* input1_row15 = input1 + shape2 * ridx13 + shape2 + ridx1 * 512;
                const float alu19 = input0_row[ridx13];
                const float* input1_row16 = input1 + shape2 * ridx13 + ridx1 * 512;
                for (int64_t ridx14 = 0; ridx14 < oidx1; ++ridx14) {
                  const float alu20 = fma_f32(alu18, input1_row15[ridx14], fma_f32(alu19, input1_row16[ridx14], row0[ridx14]));
                  const float alu21 = fma_f32(alu16, input1_row13[ridx14], fma_f32(alu17, input1_row14[ridx14], alu20));
                  const float alu22 = fma_f32(alu14, input1_row11[ridx14], fma_f32(alu15, input1_row12[ridx14], alu21));
                  row0[ridx14] = fma_f32(alu12, input1_row9[ridx14], fma_f32(alu13, input1_row10[ridx14], alu22));
                }
              }
              for (int64_t ridx15 = oidx10 * 8; ridx15 < oidx9; ++ridx15) {
                const float alu23 = input0_row[ridx15];
                const float* input1_row17 = input1 + shape2 * ridx15 + ridx1 * 512;
                for (int64_t ridx16 = 0; ridx16 < oidx1; ++ridx16) {
                  row0[ridx16] = fma_f32(alu23, input1_row17[ridx16], row0[ridx16]);
                }
              }
              for (int64_t ridx17 = 0; ridx17 < oidx1; ++ridx17) {
                row1[ridx17] += row0[ridx17];
              }
            }
            for (int64_t ridx18 = 0; ridx18 < oidx1; ++ridx18) {
              row2[ridx18] += row1[ridx18];
            }
          }
          for (int64_t ridx19 = 0; ridx19 < oidx1; ++ridx19) {
            row3[ridx19] += row2[ridx19];
          }
        }
      }
      float* output0_row = output0 + shape2 * ridx0 + ridx1 * 512;
      for (int64_t ridx20 = 0; ridx20 < oidx1; ++ridx20) {
        output0_row[ridx20] = row3[ridx20] + 0.0f;
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

static void kernel_main(const float* input0, const float* input1, float* output0, int64_t shape0, int64_t shape1, int64_t shape2, char* workspace, const harp_runtime* rt, const volatile int32_t* cancel) {
  if (shape1 * shape2 >= 262145 && shape2 >= 256 && shape0 <= 32 && shape0 >= 2) {
    struct kernel_0_args args = {input0, input1, output0, shape0, shape1, shape2, workspace, cancel};
    harp_for(rt, cancel, (shape0 + 31) / 32, shape0 * shape1 * shape2 * 300, kernel_0, &args);
  } else if (shape1 >= 16 && shape0 >= 4 && shape2 >= 8) {
    struct kernel_1_args args = {input1, input0, output0, shape0, shape1, shape2, workspace, cancel};
    harp_for(rt, cancel, (shape0 + 223) / 224, shape0 * shape1 * shape2 * 300, kernel_1, &args);
  } else {
    struct kernel_2_args args = {input0, input1, output0, shape1, shape2, cancel};
    harp_for(rt, cancel, shape0, shape0 * shape1 * shape2 * 200, kernel_2, &args);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const int64_t shape0 = (int64_t)shape_vars[0];
  const int64_t shape1 = (int64_t)shape_vars[1];
  const int64_t shape2 = (int64_t)shape_vars[2];
  /* bytes for each worker, which only some variants of the kernels need */
  const int64_t scratch = (shape1 >= 16 && shape0 >= 4 && shape2 >= 8) || (shape1 * shape2 >= 262145 && shape2 >= 256 && shape0 <= 32 && shape0 >= 2) ? 1376256 : 0;
  const size_t bytes = (size_t)((rt && rt->width > 1 ? (int64_t)rt->width : 1) * scratch);
  void* own;
  char* workspace = harp_allocate(rt, bytes, &own);
  if (!workspace && bytes) return 11; /* out of memory */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], (int64_t)shape_vars[0], (int64_t)shape_vars[1], (int64_t)shape_vars[2], workspace, rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  harp_release(rt, own);
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
