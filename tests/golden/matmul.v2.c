/* harp · graph "matmul" · target x86-64-v2 · stable, law 9 · 5 kernels, 1 generation
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

/* Vectors are passed only between functions of this file, so the ABI that this warning is about does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

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

static inline f32x4 splat_f32x4(float x) { return (f32x4){x, x, x, x}; }

static inline f32x4 fma_f32x4(f32x4 a, f32x4 b, f32x4 c) {
  f32x4 r = {0};
  for (int lane = 0; lane < 4; ++lane) r[lane] = fma_f32(a[lane], b[lane], c[lane]);
  return r;
}

static inline f32x4 zip_low_f32x4(f32x4 a, f32x4 b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}

static inline f32x4 zip_high_f32x4(f32x4 a, f32x4 b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/* A tile of which only some rows are stored, or only some columns exist. */
static void transpose_edge_f32x4(float* to, int64_t to_step, const float* from, int64_t from_step, int64_t rows, int64_t columns) {
  const f32x4 x0 = *(const f32x4*)from;
  const f32x4 x1 = *(const f32x4*)(from + (1 < columns ? 1 : columns - 1) * from_step);
  const f32x4 x2 = *(const f32x4*)(from + (2 < columns ? 2 : columns - 1) * from_step);
  const f32x4 x3 = *(const f32x4*)(from + (3 < columns ? 3 : columns - 1) * from_step);
  const f32x4 x4 = zip_low_f32x4(x0, x2);
  const f32x4 x5 = zip_high_f32x4(x0, x2);
  const f32x4 x6 = zip_low_f32x4(x1, x3);
  const f32x4 x7 = zip_high_f32x4(x1, x3);
  const f32x4 x8 = zip_low_f32x4(x4, x6);
  const f32x4 x9 = zip_high_f32x4(x4, x6);
  const f32x4 x10 = zip_low_f32x4(x5, x7);
  const f32x4 x11 = zip_high_f32x4(x5, x7);
  *(f32x4*)to = x8;
  if (1 < rows) *(f32x4*)(to + to_step) = x9;
  if (2 < rows) *(f32x4*)(to + 2 * to_step) = x10;
  if (3 < rows) *(f32x4*)(to + 3 * to_step) = x11;
}

/* to[i][j] = from[j][i] for rows i and columns j, fewer than 4 of one of them. */
static __attribute__((noinline)) void transpose_few_f32(float* restrict to, int64_t to_step, const float* restrict from, int64_t from_step, int64_t rows, int64_t columns) {
  int64_t row = 0, column = 0;
  if ((rows == 1 && from_step == 1) || (columns == 1 && to_step == 1)) {
    __builtin_memcpy(to, from, (size_t)(rows * columns) * sizeof *to);
    return;
  }
  if (rows == 2 && from_step == 2) {
    for (; column + 4 <= columns; column += 4) {
      const f32x4 a = *(const f32x4*)(from + column * 2), b = *(const f32x4*)(from + column * 2 + 4);
      *(f32x4*)(to + column) = __builtin_shufflevector(a, b, 0, 2, 4, 6);
      *(f32x4*)(to + to_step + column) = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    }
    for (; column < columns; ++column) to[column] = from[column * 2], to[to_step + column] = from[column * 2 + 1];
    return;
  }
  if (columns == 2 && to_step == 2) {
    for (; row + 4 <= rows; row += 4) {
      const f32x4 a = *(const f32x4*)(from + row), b = *(const f32x4*)(from + from_step + row);
      *(f32x4*)(to + row * 2) = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      *(f32x4*)(to + row * 2 + 4) = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    }
    for (; row < rows; ++row) to[row * 2] = from[row], to[row * 2 + 1] = from[from_step + row];
    return;
  }
  if (rows > 1 && rows < 4 && from_step > 0) {
    const int64_t whole = columns - (4 - rows + from_step - 1) / from_step; /* after these columns, a vector might end after the matrix */
    for (; whole >= 4 && column < whole; column += 4) {
      if (column + 4 > whole) column = whole - 4;
      transpose_edge_f32x4(to + column, to_step, from + column * from_step, from_step, rows, 4);
    }
  } else if (columns > 1 && columns < 4 && to_step == columns) {
    const int64_t whole = rows - (4 - columns + to_step - 1) / to_step;
    for (; whole >= 4 && row < whole; row += 4) {
      if (row + 4 > whole) row = whole - 4;
      transpose_edge_f32x4(to + row * to_step, to_step, from + row, from_step, 4, columns);
    }
  }
  for (int64_t j = column; j < columns; ++j)
    for (int64_t i = row; i < rows; ++i) to[i * to_step + j] = from[j * from_step + i];
}

static inline __attribute__((always_inline)) void transpose_f32x4(float* to, int64_t to_step, const float* from, int64_t from_step) {
  const f32x4 x0 = *(const f32x4*)from;
  const f32x4 x1 = *(const f32x4*)(from + from_step);
  const f32x4 x2 = *(const f32x4*)(from + 2 * from_step);
  const f32x4 x3 = *(const f32x4*)(from + 3 * from_step);
  const f32x4 x4 = zip_low_f32x4(x0, x2);
  const f32x4 x5 = zip_high_f32x4(x0, x2);
  const f32x4 x6 = zip_low_f32x4(x1, x3);
  const f32x4 x7 = zip_high_f32x4(x1, x3);
  const f32x4 x8 = zip_low_f32x4(x4, x6);
  const f32x4 x9 = zip_high_f32x4(x4, x6);
  const f32x4 x10 = zip_low_f32x4(x5, x7);
  const f32x4 x11 = zip_high_f32x4(x5, x7);
  *(f32x4*)to = x8;
  *(f32x4*)(to + to_step) = x9;
  *(f32x4*)(to + 2 * to_step) = x10;
  *(f32x4*)(to + 3 * to_step) = x11;
}

/* to[i][j] = from[j][i] for rows i and columns j. Rows begin to_step and from_step elements apart. */
static void transpose_f32(float* to, int64_t to_step, const float* from, int64_t from_step, int64_t rows, int64_t columns) {
  if (rows < 4 || columns < 4) {
    transpose_few_f32(to, to_step, from, from_step, rows, columns);
    return;
  }
  for (int64_t i = 0; i < rows; i += 4) {
    const int64_t row = i + 4 <= rows ? i : rows - 4;
    for (int64_t j = 0; j < columns; j += 4) {
      const int64_t column = j + 4 <= columns ? j : columns - 4;
      transpose_f32x4(to + row * to_step + column, to_step, from + column * from_step + row, from_step);
    }
  }
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

struct kernel_0_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; const volatile int32_t* cancel; };

/* generation 0 · variant 1 of 5 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=256 unroll=8, sequential tile=1, reduce] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0 - ridx0 * 256, 256);
    const int64_t oidx1 = (oidx0 + 7) / 8;
    for (int64_t ridx1 = 0; ridx1 < shape2; ++ridx1) {
      float row0[256] __attribute__((aligned(16)));
      const float* input0_row = input0 + ridx1;
      for (int64_t ridx2 = 0; ridx2 < shape1; ++ridx2) {
        row0[ridx2] = input0_row[shape2 * ridx2];
      }
      float* output0_row = output0 + shape2 * ridx0 * 256 + ridx1;
      float* output0_row1 = output0 + shape2 * ridx0 * 256 + shape2 + ridx1;
      float* output0_row2 = output0 + shape2 * ridx0 * 256 + shape2 * 2 + ridx1;
      float* output0_row3 = output0 + shape2 * ridx0 * 256 + shape2 * 3 + ridx1;
      float* output0_row4 = output0 + shape2 * ridx0 * 256 + shape2 * 4 + ridx1;
      float* output0_row5 = output0 + shape2 * ridx0 * 256 + shape2 * 5 + ridx1;
      float* output0_row6 = output0 + shape2 * ridx0 * 256 + shape2 * 6 + ridx1;
      float* output0_row7 = output0 + shape2 * ridx0 * 256 + shape2 * 7 + ridx1;
      for (int64_t ridx3 = 0; ridx3 < oidx1; ++ridx3) {
        if (harp_is_set(cancel)) return;
        const float* input1_row = input1 + shape1 * ridx0 * 256 + shape1 * ridx3 * 8;
        const int64_t oidx2 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 1);
        const float* input1_row1 = input1 + shape1 * oidx2;
        const int64_t oidx3 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 2);
        const float* input1_row2 = input1 + shape1 * oidx3;
        const int64_t oidx4 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 3);
        const float* input1_row3 = input1 + shape1 * oidx4;
        const int64_t oidx5 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 4);
        const float* input1_row4 = input1 + shape1 * oidx5;
        const int64_t oidx6 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 5);
        const float* input1_row5 = input1 + shape1 * oidx6;
        const int64_t oidx7 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 6);
        const float* input1_row6 = input1 + shape1 * oidx7;
        const int64_t oidx8 = min_i64(shape0 - 1, ridx0 * 256 + ridx3 * 8 + 7);
        const float* input1_row7 = input1 + shape1 * oidx8;
        if (ridx3 * 8 + 5 <= oidx0) {
          float acc1 = 0.0f;
          float acc2 = 0.0f;
          float acc3 = 0.0f;
          float acc4 = 0.0f;
          float acc5 = 0.0f;
          float acc6 = 0.0f;
          float acc7 = 0.0f;
          float acc8 = 0.0f;
          for (int64_t ridx4 = 0; ridx4 < shape1; ++ridx4) {
            const float alu0 = row0[ridx4];
            acc1 = fma_f32(input1_row[ridx4], alu0, acc1);
            acc2 = fma_f32(input1_row1[ridx4], alu0, acc2);
            acc3 = fma_f32(input1_row2[ridx4], alu0, acc3);
            acc4 = fma_f32(input1_row3[ridx4], alu0, acc4);
            acc5 = fma_f32(input1_row4[ridx4], alu0, acc5);
            acc6 = fma_f32(input1_row5[ridx4], alu0, acc6);
            acc7 = fma_f32(input1_row6[ridx4], alu0, acc7);
            acc8 = fma_f32(input1_row7[ridx4], alu0, acc8);
          }
          const float alu1 = acc1 + 0.0f;
          output0_row[shape2 * ridx3 * 8] = alu1;
          if (ridx3 * 8 + 2 <= oidx0) {
            const float alu2 = acc2 + 0.0f;
            output0_row1[shape2 * ridx3 * 8] = alu2;
          }
          if (ridx3 * 8 + 3 <= oidx0) {
            const float alu3 = acc3 + 0.0f;
            output0_row2[shape2 * ridx3 * 8] = alu3;
          }
          if (ridx3 * 8 + 4 <= oidx0) {
            const float alu4 = acc4 + 0.0f;
            output0_row3[shape2 * ridx3 * 8] = alu4;
          }
          if (ridx3 * 8 + 5 <= oidx0) {
            output0_row4[shape2 * ridx3 * 8] = acc5 + 0.0f;
          }
          if (ridx3 * 8 + 6 <= oidx0) {
            output0_row5[shape2 * ridx3 * 8] = acc6 + 0.0f;
          }
          if (ridx3 * 8 + 7 <= oidx0) {
            output0_row6[shape2 * ridx3 * 8] = acc7 + 0.0f;
          }
          if (ridx3 * 8 + 8 <= oidx0) {
            output0_row7[shape2 * ridx3 * 8] = acc8 + 0.0f;
          }
        } else {
          float acc1 = 0.0f;
          float acc2 = 0.0f;
          float acc3 = 0.0f;
          float acc4 = 0.0f;
          for (int64_t ridx5 = 0; ridx5 < shape1; ++ridx5) {
            const float alu5 = row0[ridx5];
            acc1 = fma_f32(input1_row[ridx5], alu5, acc1);
            acc2 = fma_f32(input1_row1[ridx5], alu5, acc2);
            acc3 = fma_f32(input1_row2[ridx5], alu5, acc3);
            acc4 = fma_f32(input1_row3[ridx5], alu5, acc4);
          }
          const float alu6 = acc1 + 0.0f;
          output0_row[shape2 * ridx3 * 8] = alu6;
          if (ridx3 * 8 + 2 <= oidx0) {
            const float alu7 = acc2 + 0.0f;
            output0_row1[shape2 * ridx3 * 8] = alu7;
          }
          if (ridx3 * 8 + 3 <= oidx0) {
            const float alu8 = acc3 + 0.0f;
            output0_row2[shape2 * ridx3 * 8] = alu8;
          }
          if (ridx3 * 8 + 4 <= oidx0) {
            const float alu9 = acc4 + 0.0f;
            output0_row3[shape2 * ridx3 * 8] = alu9;
          }
        }
      }
    }
  }
}

struct kernel_1_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; char* scratch; const volatile int32_t* cancel; };

/* generation 0 · variant 2 of 5 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=32 unroll=8, sequential tile=128 simd=4, reduce unroll=4] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  char* scratch = a->scratch + worker * 1400832;
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
          for (int64_t ridx3 = 0; ridx3 < oidx4 * 1024; ridx3 += 4) {
            *(f32x4*)(row1 + ridx2 * 1024 + ridx3) = splat_f32x4(0.0f);
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx4 = 0; ridx4 < oidx2; ++ridx4) {
          for (int64_t ridx5 = 0; ridx5 < oidx4 * 1024; ridx5 += 4) {
            *(f32x4*)(row3 + ridx4 * 1024 + ridx5) = splat_f32x4(0.0f);
          }
        }
      }
      const int64_t oidx12 = oidx3 / 4;
      for (int64_t ridx6 = 0; ridx6 < oidx7; ++ridx6) {
        if (shape1 >= 65537) {
          for (int64_t ridx7 = 0; ridx7 < oidx2; ++ridx7) {
            for (int64_t ridx8 = 0; ridx8 < oidx4 * 1024; ridx8 += 4) {
              *(f32x4*)(row2 + ridx7 * 1024 + ridx8) = splat_f32x4(0.0f);
            }
          }
        }
        const int64_t oidx8 = min_i64(oidx6, ridx6 * 256 + 256);
        for (int64_t ridx9 = 0; ridx9 < oidx8 - ridx6 * 256; ++ridx9) {
          for (int64_t ridx10 = 0; ridx10 < oidx2; ++ridx10) {
            for (int64_t ridx11 = 0; ridx11 < oidx4 * 1024; ridx11 += 4) {
              *(f32x4*)(row1 + ridx10 * 1024 + ridx11) = splat_f32x4(0.0f);
            }
          }
          const int64_t oidx9 = min_i64(oidx5, ridx6 * 65536 + ridx9 * 256 + 256);
          for (int64_t ridx12 = 0; ridx12 < oidx9 - ridx6 * 65536 - ridx9 * 256; ++ridx12) {
            if (harp_is_set(cancel)) return;
            for (int64_t ridx13 = 0; ridx13 < oidx2; ++ridx13) {
              for (int64_t ridx14 = 0; ridx14 < oidx4 * 1024; ridx14 += 4) {
                *(f32x4*)(row0 + ridx13 * 1024 + ridx14) = splat_f32x4(0.0f);
              }
            }
            const int64_t oidx10 = min_i64(shape1 - ridx6 * 16777216 - ridx9 * 65536 - ridx12 * 256, 256);
            const int64_t oidx11 = oidx10 / 4;
            for (int64_t ridx15 = 0; ridx15 < oidx11 * 4; ridx15 += 4) {
              const float* input1_row = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 11 + ridx1 * 128;
              const float* input1_row1 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 10 + ridx1 * 128;
              const float* input1_row2 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 9 + ridx1 * 128;
              const float* input1_row3 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 8 + ridx1 * 128;
              const float* input0_row = input0 + shape1 * ridx0 * 32 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx15;
              const float* input1_row4 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 3 + ridx1 * 128;
              const float* input1_row5 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 * 2 + ridx1 * 128;
              const float* input1_row6 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + shape2 + ridx1 * 128;
              const float* input1_row7 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx15 + ridx1 * 128;
              const float* input0_row1 = input0 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx15;
              for (int64_t ridx16 = 0; ridx16 < oidx2; ++ridx16) {
                const float alu0 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row[shape1 * ridx16 * 8 + 3] : 0;
                const float alu2 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row[shape1 * ridx16 * 8 + 2] : 0;
                const float alu4 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row[shape1 * ridx16 * 8 + 1] : 0;
                const float alu6 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row[shape1 * ridx16 * 8] : 0;
                const int64_t oidx13 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 1);
                const float alu12 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx13 + 3] : 0;
                const float alu13 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx13 + 2] : 0;
                const float alu14 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx13 + 1] : 0;
                const float alu15 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx13] : 0;
                const int64_t oidx14 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 2);
                const float alu20 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx14 + 3] : 0;
                const float alu21 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx14 + 2] : 0;
                const float alu22 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx14 + 1] : 0;
                const float alu23 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx14] : 0;
                const int64_t oidx15 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 3);
                const float alu28 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx15 + 3] : 0;
                const float alu29 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx15 + 2] : 0;
                const float alu30 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx15 + 1] : 0;
                const float alu31 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx15] : 0;
                const int64_t oidx16 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 4);
                const float alu36 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx16 + 3] : 0;
                const float alu37 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx16 + 2] : 0;
                const float alu38 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx16 + 1] : 0;
                const float alu39 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx16] : 0;
                const int64_t oidx17 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 5);
                const float alu44 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx17 + 3] : 0;
                const float alu45 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx17 + 2] : 0;
                const float alu46 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx17 + 1] : 0;
                const float alu47 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx17] : 0;
                const int64_t oidx18 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 6);
                const float alu52 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx18 + 3] : 0;
                const float alu53 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx18 + 2] : 0;
                const float alu54 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx18 + 1] : 0;
                const float alu55 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx18] : 0;
                const int64_t oidx19 = min_i64(shape0 - 1, ridx0 * 32 + ridx16 * 8 + 7);
                const float alu60 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx19 + 3] : 0;
                const float alu61 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx19 + 2] : 0;
                const float alu62 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx19 + 1] : 0;
                const float alu63 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row1[shape1 * oidx19] : 0;
                for (int64_t ridx17 = 0; ridx17 < oidx12 * 4; ridx17 += 4) {
                  __builtin_prefetch(input1_row + ridx17, 0, 2);
                  __builtin_prefetch(input1_row1 + ridx17, 0, 2);
                  __builtin_prefetch(input1_row2 + ridx17, 0, 2);
                  __builtin_prefetch(input1_row3 + ridx17, 0, 2);
                  const f32x4 alu1 = *(const f32x4*)(input1_row4 + ridx17);
                  const f32x4 alu3 = *(const f32x4*)(input1_row5 + ridx17);
                  const f32x4 alu5 = *(const f32x4*)(input1_row6 + ridx17);
                  const f32x4 alu7 = *(const f32x4*)(input1_row7 + ridx17);
                  float* row0_at = row0 + ridx16 * 1024 + ridx17;
                  const f32x4 alu8 = fma_f32x4(splat_f32x4(alu6), alu7, *(f32x4*)row0_at);
                  const f32x4 alu9 = fma_f32x4(splat_f32x4(alu4), alu5, alu8);
                  const f32x4 alu10 = fma_f32x4(splat_f32x4(alu2), alu3, alu9);
                  const f32x4 alu11 = fma_f32x4(splat_f32x4(alu0), alu1, alu10);
                  *(f32x4*)row0_at = alu11;
                  const f32x4 alu16 = fma_f32x4(splat_f32x4(alu15), alu7, *(f32x4*)(row0_at + 128));
                  const f32x4 alu17 = fma_f32x4(splat_f32x4(alu14), alu5, alu16);
                  const f32x4 alu18 = fma_f32x4(splat_f32x4(alu13), alu3, alu17);
                  const f32x4 alu19 = fma_f32x4(splat_f32x4(alu12), alu1, alu18);
                  *(f32x4*)(row0_at + 128) = alu19;
                  const f32x4 alu24 = fma_f32x4(splat_f32x4(alu23), alu7, *(f32x4*)(row0_at + 256));
                  const f32x4 alu25 = fma_f32x4(splat_f32x4(alu22), alu5, alu24);
                  const f32x4 alu26 = fma_f32x4(splat_f32x4(alu21), alu3, alu25);
                  const f32x4 alu27 = fma_f32x4(splat_f32x4(alu20), alu1, alu26);
                  *(f32x4*)(row0_at + 256) = alu27;
                  const f32x4 alu32 = fma_f32x4(splat_f32x4(alu31), alu7, *(f32x4*)(row0_at + 384));
                  const f32x4 alu33 = fma_f32x4(splat_f32x4(alu30), alu5, alu32);
                  const f32x4 alu34 = fma_f32x4(splat_f32x4(alu29), alu3, alu33);
                  const f32x4 alu35 = fma_f32x4(splat_f32x4(alu28), alu1, alu34);
                  *(f32x4*)(row0_at + 384) = alu35;
                  const f32x4 alu40 = fma_f32x4(splat_f32x4(alu39), alu7, *(f32x4*)(row0_at + 512));
                  const f32x4 alu41 = fma_f32x4(splat_f32x4(alu38), alu5, alu40);
                  const f32x4 alu42 = fma_f32x4(splat_f32x4(alu37), alu3, alu41);
                  const f32x4 alu43 = fma_f32x4(splat_f32x4(alu36), alu1, alu42);
                  *(f32x4*)(row0_at + 512) = alu43;
                  const f32x4 alu48 = fma_f32x4(splat_f32x4(alu47), alu7, *(f32x4*)(row0_at + 640));
                  const f32x4 alu49 = fma_f32x4(splat_f32x4(alu46), alu5, alu48);
                  const f32x4 alu50 = fma_f32x4(splat_f32x4(alu45), alu3, alu49);
                  const f32x4 alu51 = fma_f32x4(splat_f32x4(alu44), alu1, alu50);
                  *(f32x4*)(row0_at + 640) = alu51;
                  const f32x4 alu56 = fma_f32x4(splat_f32x4(alu55), alu7, *(f32x4*)(row0_at + 768));
                  const f32x4 alu57 = fma_f32x4(splat_f32x4(alu54), alu5, alu56);
                  const f32x4 alu58 = fma_f32x4(splat_f32x4(alu53), alu3, alu57);
                  const f32x4 alu59 = fma_f32x4(splat_f32x4(alu52), alu1, alu58);
                  *(f32x4*)(row0_at + 768) = alu59;
                  const f32x4 alu64 = fma_f32x4(splat_f32x4(alu63), alu7, *(f32x4*)(row0_at + 896));
                  const f32x4 alu65 = fma_f32x4(splat_f32x4(alu62), alu5, alu64);
                  const f32x4 alu66 = fma_f32x4(splat_f32x4(alu61), alu3, alu65);
                  const f32x4 alu67 = fma_f32x4(splat_f32x4(alu60), alu1, alu66);
                  *(f32x4*)(row0_at + 896) = alu67;
                }
                for (int64_t ridx18 = oidx12 * 4; ridx18 < oidx3; ++ridx18) {
                  const float alu68 = input1_row4[ridx18];
                  const float alu69 = input1_row5[ridx18];
                  const float alu70 = input1_row6[ridx18];
                  const float alu71 = input1_row7[ridx18];
                  const float alu72 = fma_f32(alu6, alu71, row0[ridx16 * 1024 + ridx18]);
                  const float alu73 = fma_f32(alu4, alu70, alu72);
                  const float alu74 = fma_f32(alu2, alu69, alu73);
                  const float alu75 = fma_f32(alu0, alu68, alu74);
                  row0[ridx16 * 1024 + ridx18] = alu75;
                  const float alu76 = fma_f32(alu15, alu71, row0[ridx16 * 1024 + ridx18 + 128]);
                  const float alu77 = fma_f32(alu14, alu70, alu76);
                  const float alu78 = fma_f32(alu13, alu69, alu77);
                  const float alu79 = fma_f32(alu12, alu68, alu78);
                  row0[ridx16 * 1024 + ridx18 + 128] = alu79;
                  const float alu80 = fma_f32(alu23, alu71, row0[ridx16 * 1024 + ridx18 + 256]);
                  const float alu81 = fma_f32(alu22, alu70, alu80);
                  const float alu82 = fma_f32(alu21, alu69, alu81);
                  const float alu83 = fma_f32(alu20, alu68, alu82);
                  row0[ridx16 * 1024 + ridx18 + 256] = alu83;
                  const float alu84 = fma_f32(alu31, alu71, row0[ridx16 * 1024 + ridx18 + 384]);
                  const float alu85 = fma_f32(alu30, alu70, alu84);
                  const float alu86 = fma_f32(alu29, alu69, alu85);
                  const float alu87 = fma_f32(alu28, alu68, alu86);
                  row0[ridx16 * 1024 + ridx18 + 384] = alu87;
                  const float alu88 = fma_f32(alu39, alu71, row0[ridx16 * 1024 + ridx18 + 512]);
                  const float alu89 = fma_f32(alu38, alu70, alu88);
                  const float alu90 = fma_f32(alu37, alu69, alu89);
                  const float alu91 = fma_f32(alu36, alu68, alu90);
                  row0[ridx16 * 1024 + ridx18 + 512] = alu91;
                  const float alu92 = fma_f32(alu47, alu71, row0[ridx16 * 1024 + ridx18 + 640]);
                  const float alu93 = fma_f32(alu46, alu70, alu92);
                  const float alu94 = fma_f32(alu45, alu69, alu93);
                  const float alu95 = fma_f32(alu44, alu68, alu94);
                  row0[ridx16 * 1024 + ridx18 + 640] = alu95;
                  const float alu96 = fma_f32(alu55, alu71, row0[ridx16 * 1024 + ridx18 + 768]);
                  const float alu97 = fma_f32(alu54, alu70, alu96);
                  const float alu98 = fma_f32(alu53, alu69, alu97);
                  const float alu99 = fma_f32(alu52, alu68, alu98);
                  row0[ridx16 * 1024 + ridx18 + 768] = alu99;
                  const float alu100 = fma_f32(alu63, alu71, row0[ridx16 * 1024 + ridx18 + 896]);
                  const float alu101 = fma_f32(alu62, alu70, alu100);
                  const float alu102 = fma_f32(alu61, alu69, alu101);
                  const float alu103 = fma_f32(alu60, alu68, alu102);
                  row0[ridx16 * 1024 + ridx18 + 896] = alu103;
                }
              }
            }
            for (int64_t ridx19 = oidx11 * 4; ridx19 < oidx10; ++ridx19) {
              const float* input0_row2 = input0 + shape1 * ridx0 * 32 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx19;
              const float* input1_row8 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx19 + ridx1 * 128;
              const float* input0_row3 = input0 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256 + ridx19;
              for (int64_t ridx20 = 0; ridx20 < oidx2; ++ridx20) {
                const float alu104 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row2[shape1 * ridx20 * 8] : 0;
                const int64_t oidx20 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 1);
                const float alu107 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx20] : 0;
                const int64_t oidx21 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 2);
                const float alu109 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx21] : 0;
                const int64_t oidx22 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 3);
                const float alu111 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx22] : 0;
                const int64_t oidx23 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 4);
                const float alu113 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx23] : 0;
                const int64_t oidx24 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 5);
                const float alu115 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx24] : 0;
                const int64_t oidx25 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 6);
                const float alu117 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx25] : 0;
                const int64_t oidx26 = min_i64(shape0 - 1, ridx0 * 32 + ridx20 * 8 + 7);
                const float alu119 = (oidx12 * 4 < oidx3 || oidx12 * 4 > 0) ? input0_row3[shape1 * oidx26] : 0;
                for (int64_t ridx21 = 0; ridx21 < oidx12 * 4; ridx21 += 4) {
                  const f32x4 alu105 = *(const f32x4*)(input1_row8 + ridx21);
                  float* row0_at1 = row0 + ridx20 * 1024 + ridx21;
                  const f32x4 alu106 = fma_f32x4(splat_f32x4(alu104), alu105, *(f32x4*)row0_at1);
                  *(f32x4*)row0_at1 = alu106;
                  const f32x4 alu108 = fma_f32x4(splat_f32x4(alu107), alu105, *(f32x4*)(row0_at1 + 128));
                  *(f32x4*)(row0_at1 + 128) = alu108;
                  const f32x4 alu110 = fma_f32x4(splat_f32x4(alu109), alu105, *(f32x4*)(row0_at1 + 256));
                  *(f32x4*)(row0_at1 + 256) = alu110;
                  const f32x4 alu112 = fma_f32x4(splat_f32x4(alu111), alu105, *(f32x4*)(row0_at1 + 384));
                  *(f32x4*)(row0_at1 + 384) = alu112;
                  const f32x4 alu114 = fma_f32x4(splat_f32x4(alu113), alu105, *(f32x4*)(row0_at1 + 512));
                  *(f32x4*)(row0_at1 + 512) = alu114;
                  const f32x4 alu116 = fma_f32x4(splat_f32x4(alu115), alu105, *(f32x4*)(row0_at1 + 640));
                  *(f32x4*)(row0_at1 + 640) = alu116;
                  const f32x4 alu118 = fma_f32x4(splat_f32x4(alu117), alu105, *(f32x4*)(row0_at1 + 768));
                  *(f32x4*)(row0_at1 + 768) = alu118;
                  const f32x4 alu120 = fma_f32x4(splat_f32x4(alu119), alu105, *(f32x4*)(row0_at1 + 896));
                  *(f32x4*)(row0_at1 + 896) = alu120;
                }
                for (int64_t ridx22 = oidx12 * 4; ridx22 < oidx3; ++ridx22) {
                  const float alu121 = input1_row8[ridx22];
                  const float alu122 = fma_f32(alu104, alu121, row0[ridx20 * 1024 + ridx22]);
                  row0[ridx20 * 1024 + ridx22] = alu122;
                  const float alu123 = fma_f32(alu107, alu121, row0[ridx20 * 1024 + ridx22 + 128]);
                  row0[ridx20 * 1024 + ridx22 + 128] = alu123;
                  const float alu124 = fma_f32(alu109, alu121, row0[ridx20 * 1024 + ridx22 + 256]);
                  row0[ridx20 * 1024 + ridx22 + 256] = alu124;
                  const float alu125 = fma_f32(alu111, alu121, row0[ridx20 * 1024 + ridx22 + 384]);
                  row0[ridx20 * 1024 + ridx22 + 384] = alu125;
                  const float alu126 = fma_f32(alu113, alu121, row0[ridx20 * 1024 + ridx22 + 512]);
                  row0[ridx20 * 1024 + ridx22 + 512] = alu126;
                  const float alu127 = fma_f32(alu115, alu121, row0[ridx20 * 1024 + ridx22 + 640]);
                  row0[ridx20 * 1024 + ridx22 + 640] = alu127;
                  const float alu128 = fma_f32(alu117, alu121, row0[ridx20 * 1024 + ridx22 + 768]);
                  row0[ridx20 * 1024 + ridx22 + 768] = alu128;
                  const float alu129 = fma_f32(alu119, alu121, row0[ridx20 * 1024 + ridx22 + 896]);
                  row0[ridx20 * 1024 + ridx22 + 896] = alu129;
                }
              }
            }
            for (int64_t ridx23 = 0; ridx23 < oidx2; ++ridx23) {
              for (int64_t ridx24 = 0; ridx24 < oidx4 * 1024; ridx24 += 4) {
                *(f32x4*)(row1 + ridx23 * 1024 + ridx24) += *(f32x4*)(row0 + ridx23 * 1024 + ridx24);
              }
            }
          }
          if (shape1 >= 65537) {
            for (int64_t ridx25 = 0; ridx25 < oidx2; ++ridx25) {
              for (int64_t ridx26 = 0; ridx26 < oidx4 * 1024; ridx26 += 4) {
                *(f32x4*)(row2 + ridx25 * 1024 + ridx26) += *(f32x4*)(row1 + ridx25 * 1024 + ridx26);
              }
            }
          }
        }
        if (shape1 >= 65537) {
          for (int64_t ridx27 = 0; ridx27 < oidx2; ++ridx27) {
            for (int64_t ridx28 = 0; ridx28 < oidx4 * 1024; ridx28 += 4) {
              *(f32x4*)(row3 + ridx27 * 1024 + ridx28) += *(f32x4*)(row2 + ridx27 * 1024 + ridx28);
            }
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx29 = 0; ridx29 < oidx2; ++ridx29) {
          for (int64_t ridx30 = 0; ridx30 < oidx4 * 1024; ridx30 += 4) {
            *(f32x4*)(row1 + ridx29 * 1024 + ridx30) = *(f32x4*)(row3 + ridx29 * 1024 + ridx30);
          }
        }
      }
      for (int64_t ridx31 = 0; ridx31 < oidx2; ++ridx31) {
        const int64_t oidx27 = min_i64(oidx1 - ridx31 * 8, 8);
        for (int64_t ridx32 = 0; ridx32 < oidx27; ++ridx32) {
          for (int64_t ridx33 = 0; ridx33 < oidx4; ++ridx33) {
            float* output0_row = output0 + shape2 * ridx0 * 32 + shape2 * ridx31 * 8 + shape2 * ridx32 + ridx1 * 128 + ridx33 * 128;
            if (ridx33 * 128 + 4 <= oidx3) {
              for (int64_t ridx34 = 0; ridx34 < oidx3 - ridx33 * 128; ridx34 = ridx34 < oidx3 - ridx33 * 128 ? oidx3 - ridx33 * 128 - 4 : oidx3 - ridx33 * 128) { /* the last step overlaps the one before it */
                for (; ridx34 <= oidx3 - ridx33 * 128 - 4; ridx34 += 4) {
                  *(f32x4*)(output0_row + ridx34) = *(f32x4*)(row1 + ridx31 * 1024 + ridx32 * 128 + ridx33 * 1024 + ridx34);
                }
              }
            } else {
              for (int64_t ridx35 = 0; ridx35 < oidx3 - ridx33 * 128; ++ridx35) {
                output0_row[ridx35] = row1[ridx31 * 1024 + ridx32 * 128 + ridx33 * 1024 + ridx35];
              }
            }
          }
        }
      }
    }
  }
}

struct kernel_2_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; char* scratch; const volatile int32_t* cancel; };

/* generation 0 · variant 3 of 5 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=256 unroll=2 simd=4, sequential tile=8 unroll=4, reduce] partition overlap */
static __attribute__((noinline)) void kernel_2(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_2_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  char* scratch = a->scratch + worker * 1400832;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 7) / 8;
  const int64_t oidx5 = (shape1 + 255) / 256;
  const int64_t oidx6 = (oidx5 + 255) / 256;
  const int64_t oidx7 = (oidx6 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx1 = min_i64(shape0 - ridx0 * 256, 256);
    const int64_t oidx2 = (oidx1 + 7) / 8;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float* const row1 = (float*)scratch;
      float* const row2 = (float*)(scratch + 8192);
      float* const row3 = (float*)(scratch + 16384);
      float row0[2048] __attribute__((aligned(16)));
      const int64_t oidx3 = min_i64(shape2 - ridx1 * 8, 8);
      const int64_t oidx4 = (oidx3 + 3) / 4;
      if (shape1 == 0) {
        for (int64_t ridx2 = 0; ridx2 < oidx2; ++ridx2) {
          for (int64_t ridx3 = 0; ridx3 < oidx4 * 32; ridx3 += 4) {
            *(f32x4*)(row1 + ridx2 * 64 + ridx3) = splat_f32x4(0.0f);
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx4 = 0; ridx4 < oidx2; ++ridx4) {
          for (int64_t ridx5 = 0; ridx5 < oidx4 * 32; ridx5 += 4) {
            *(f32x4*)(row3 + ridx4 * 64 + ridx5) = splat_f32x4(0.0f);
          }
        }
      }
      for (int64_t ridx6 = 0; ridx6 < oidx7; ++ridx6) {
        if (shape1 >= 65537) {
          for (int64_t ridx7 = 0; ridx7 < oidx2; ++ridx7) {
            for (int64_t ridx8 = 0; ridx8 < oidx4 * 32; ridx8 += 4) {
              *(f32x4*)(row2 + ridx7 * 64 + ridx8) = splat_f32x4(0.0f);
            }
          }
        }
        const int64_t oidx8 = min_i64(oidx6, ridx6 * 256 + 256);
        for (int64_t ridx9 = 0; ridx9 < oidx8 - ridx6 * 256; ++ridx9) {
          for (int64_t ridx10 = 0; ridx10 < oidx2; ++ridx10) {
            for (int64_t ridx11 = 0; ridx11 < oidx4 * 32; ridx11 += 4) {
              *(f32x4*)(row1 + ridx10 * 64 + ridx11) = splat_f32x4(0.0f);
            }
          }
          const int64_t oidx9 = min_i64(oidx5, ridx6 * 65536 + ridx9 * 256 + 256);
          for (int64_t ridx12 = 0; ridx12 < oidx9 - ridx6 * 65536 - ridx9 * 256; ++ridx12) {
            const int64_t oidx10 = min_i64(shape1 - ridx6 * 16777216 - ridx9 * 65536 - ridx12 * 256, 256);
            for (int64_t ridx13 = 0; ridx13 < oidx2; ++ridx13) {
              if (harp_is_set(cancel)) return;
              const int64_t oidx11 = min_i64(shape0 - ridx0 * 256 - ridx13 * 8, 8);
              if (ridx0 * 256 + ridx13 * 8 + 8 <= shape0) {
                transpose_f32(row0, 8, input0 + shape1 * ridx0 * 256 + shape1 * ridx13 * 8 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256, shape1, oidx10, 8);
              } else {
                for (int64_t ridx14 = 0; ridx14 < oidx10 * 8; ridx14 += 4) {
                  *(f32x4*)(row0 + ridx14) = splat_f32x4(0.0f);
                }
                transpose_f32(row0, 8, input0 + shape1 * ridx0 * 256 + shape1 * ridx13 * 8 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256, shape1, oidx10, oidx11);
              }
              for (int64_t ridx15 = 0; ridx15 < oidx4; ++ridx15) {
                const float* input1_row = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + ridx1 * 8 + ridx15 * 4;
                const int64_t oidx12 = min_i64(shape2 - 1, ridx1 * 8 + ridx15 * 4 + 1);
                const float* input1_row1 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + oidx12;
                const int64_t oidx13 = min_i64(shape2 - 1, ridx1 * 8 + ridx15 * 4 + 2);
                const float* input1_row2 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + oidx13;
                const int64_t oidx14 = min_i64(shape2 - 1, ridx1 * 8 + ridx15 * 4 + 3);
                const float* input1_row3 = input1 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + oidx14;
                float* row1_at = row1 + ridx13 * 64 + ridx15 * 32;
                if (ridx15 * 4 + 3 <= oidx3) {
                  if (ridx13 * 8 + 5 <= oidx1) {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc5 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc7 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    f32x4 acc9 = (f32x4){0};
                    f32x4 acc10 = (f32x4){0};
                    f32x4 acc11 = (f32x4){0};
                    for (int64_t ridx16 = 0; ridx16 < oidx10; ++ridx16) {
                      const float alu0 = input1_row[shape2 * ridx16];
                      const f32x4 alu1 = *(f32x4*)(row0 + ridx16 * 8);
                      acc4 = fma_f32x4(splat_f32x4(alu0), alu1, acc4);
                      const f32x4 alu2 = *(f32x4*)(row0 + ridx16 * 8 + 4);
                      acc5 = fma_f32x4(splat_f32x4(alu0), alu2, acc5);
                      const float alu3 = input1_row1[shape2 * ridx16];
                      acc6 = fma_f32x4(splat_f32x4(alu3), alu1, acc6);
                      acc7 = fma_f32x4(splat_f32x4(alu3), alu2, acc7);
                      const float alu4 = input1_row2[shape2 * ridx16];
                      acc8 = fma_f32x4(splat_f32x4(alu4), alu1, acc8);
                      acc9 = fma_f32x4(splat_f32x4(alu4), alu2, acc9);
                      const float alu5 = input1_row3[shape2 * ridx16];
                      acc10 = fma_f32x4(splat_f32x4(alu5), alu1, acc10);
                      acc11 = fma_f32x4(splat_f32x4(alu5), alu2, acc11);
                    }
                    *(f32x4*)row1_at += acc4;
                    *(f32x4*)(row1_at + 4) += acc5;
                    *(f32x4*)(row1_at + 8) += acc6;
                    *(f32x4*)(row1_at + 12) += acc7;
                    *(f32x4*)(row1_at + 16) += acc8;
                    *(f32x4*)(row1_at + 20) += acc9;
                    *(f32x4*)(row1_at + 24) += acc10;
                    *(f32x4*)(row1_at + 28) += acc11;
                  } else {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    f32x4 acc10 = (f32x4){0};
                    for (int64_t ridx17 = 0; ridx17 < oidx10; ++ridx17) {
                      const f32x4 alu6 = *(f32x4*)(row0 + ridx17 * 8);
                      acc4 = fma_f32x4(splat_f32x4(input1_row[shape2 * ridx17]), alu6, acc4);
                      acc6 = fma_f32x4(splat_f32x4(input1_row1[shape2 * ridx17]), alu6, acc6);
                      acc8 = fma_f32x4(splat_f32x4(input1_row2[shape2 * ridx17]), alu6, acc8);
                      acc10 = fma_f32x4(splat_f32x4(input1_row3[shape2 * ridx17]), alu6, acc10);
                    }
                    *(f32x4*)row1_at += acc4;
                    *(f32x4*)(row1_at + 8) += acc6;
                    *(f32x4*)(row1_at + 16) += acc8;
                    *(f32x4*)(row1_at + 24) += acc10;
                  }
                } else {
                  if (ridx13 * 8 + 5 <= oidx1) {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc5 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc7 = (f32x4){0};
                    for (int64_t ridx18 = 0; ridx18 < oidx10; ++ridx18) {
                      const float alu7 = input1_row[shape2 * ridx18];
                      const f32x4 alu8 = *(f32x4*)(row0 + ridx18 * 8);
                      acc4 = fma_f32x4(splat_f32x4(alu7), alu8, acc4);
                      const f32x4 alu9 = *(f32x4*)(row0 + ridx18 * 8 + 4);
                      acc5 = fma_f32x4(splat_f32x4(alu7), alu9, acc5);
                      const float alu10 = input1_row1[shape2 * ridx18];
                      acc6 = fma_f32x4(splat_f32x4(alu10), alu8, acc6);
                      acc7 = fma_f32x4(splat_f32x4(alu10), alu9, acc7);
                    }
                    *(f32x4*)row1_at += acc4;
                    *(f32x4*)(row1_at + 4) += acc5;
                    *(f32x4*)(row1_at + 8) += acc6;
                    *(f32x4*)(row1_at + 12) += acc7;
                  } else {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    for (int64_t ridx19 = 0; ridx19 < oidx10; ++ridx19) {
                      const f32x4 alu11 = *(f32x4*)(row0 + ridx19 * 8);
                      acc4 = fma_f32x4(splat_f32x4(input1_row[shape2 * ridx19]), alu11, acc4);
                      acc6 = fma_f32x4(splat_f32x4(input1_row1[shape2 * ridx19]), alu11, acc6);
                    }
                    *(f32x4*)row1_at += acc4;
                    *(f32x4*)(row1_at + 8) += acc6;
                  }
                }
              }
            }
          }
          if (shape1 >= 65537) {
            for (int64_t ridx20 = 0; ridx20 < oidx2; ++ridx20) {
              for (int64_t ridx21 = 0; ridx21 < oidx4 * 32; ridx21 += 4) {
                *(f32x4*)(row2 + ridx20 * 64 + ridx21) += *(f32x4*)(row1 + ridx20 * 64 + ridx21);
              }
            }
          }
        }
        if (shape1 >= 65537) {
          for (int64_t ridx22 = 0; ridx22 < oidx2; ++ridx22) {
            for (int64_t ridx23 = 0; ridx23 < oidx4 * 32; ridx23 += 4) {
              *(f32x4*)(row3 + ridx22 * 64 + ridx23) += *(f32x4*)(row2 + ridx22 * 64 + ridx23);
            }
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx24 = 0; ridx24 < oidx2; ++ridx24) {
          for (int64_t ridx25 = 0; ridx25 < oidx4 * 32; ridx25 += 4) {
            *(f32x4*)(row1 + ridx24 * 64 + ridx25) = *(f32x4*)(row3 + ridx24 * 64 + ridx25);
          }
        }
      }
      for (int64_t ridx26 = 0; ridx26 < oidx2; ++ridx26) {
        if (harp_is_set(cancel)) return;
        const int64_t oidx15 = min_i64(oidx1 - ridx26 * 8, 8);
        transpose_f32(output0 + shape2 * ridx0 * 256 + shape2 * ridx26 * 8 + ridx1 * 8, shape2, row1 + ridx26 * 64, 8, oidx15, oidx3);
      }
    }
  }
}

struct kernel_3_args { const float* input0; const float* input1; float* output0; int64_t shape0; int64_t shape1; int64_t shape2; char* scratch; const volatile int32_t* cancel; };

/* generation 0 · variant 4 of 5 by size · contraction over [m, n] · sum of [m, k, n] axes [1] chain product · contraction [thread tile=228 unroll=6, sequential tile=512 unroll=2 simd=4, reduce] partition overlap */
static __attribute__((noinline)) void kernel_3(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_3_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  char* scratch = a->scratch + worker * 1400832;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 511) / 512;
  const int64_t oidx5 = (shape1 + 255) / 256;
  const int64_t oidx6 = (oidx5 + 255) / 256;
  const int64_t oidx7 = (oidx6 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx1 = min_i64(shape0 - ridx0 * 228, 228);
    const int64_t oidx2 = (oidx1 + 5) / 6;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float* const row1 = (float*)scratch;
      float* const row2 = (float*)(scratch + 466944);
      float* const row3 = (float*)(scratch + 933888);
      float row0[2048] __attribute__((aligned(16)));
      float row16[48] __attribute__((aligned(16)));
      const int64_t oidx3 = min_i64(shape2 - ridx1 * 512, 512);
      const int64_t oidx4 = (oidx3 + 7) / 8;
      if (shape1 == 0) {
        for (int64_t ridx2 = 0; ridx2 < oidx2; ++ridx2) {
          for (int64_t ridx3 = 0; ridx3 < oidx4 * 48; ridx3 += 4) {
            *(f32x4*)(row1 + ridx2 * 3072 + ridx3) = splat_f32x4(0.0f);
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx4 = 0; ridx4 < oidx2; ++ridx4) {
          for (int64_t ridx5 = 0; ridx5 < oidx4 * 48; ridx5 += 4) {
            *(f32x4*)(row3 + ridx4 * 3072 + ridx5) = splat_f32x4(0.0f);
          }
        }
      }
      for (int64_t ridx6 = 0; ridx6 < oidx7; ++ridx6) {
        if (shape1 >= 65537) {
          for (int64_t ridx7 = 0; ridx7 < oidx2; ++ridx7) {
            for (int64_t ridx8 = 0; ridx8 < oidx4 * 48; ridx8 += 4) {
              *(f32x4*)(row2 + ridx7 * 3072 + ridx8) = splat_f32x4(0.0f);
            }
          }
        }
        const int64_t oidx8 = min_i64(oidx6, ridx6 * 256 + 256);
        for (int64_t ridx9 = 0; ridx9 < oidx8 - ridx6 * 256; ++ridx9) {
          if (shape1 >= 257 || shape1 == 0) {
            for (int64_t ridx10 = 0; ridx10 < oidx2; ++ridx10) {
              for (int64_t ridx11 = 0; ridx11 < oidx4 * 48; ridx11 += 4) {
                *(f32x4*)(row1 + ridx10 * 3072 + ridx11) = splat_f32x4(0.0f);
              }
            }
          }
          const int64_t oidx9 = min_i64(oidx5, ridx6 * 65536 + ridx9 * 256 + 256);
          for (int64_t ridx12 = 0; ridx12 < oidx9 - ridx6 * 65536 - ridx9 * 256; ++ridx12) {
            const int64_t oidx10 = min_i64(shape1 - ridx6 * 16777216 - ridx9 * 65536 - ridx12 * 256, 256);
            for (int64_t ridx13 = 0; ridx13 < oidx4; ++ridx13) {
              if (harp_is_set(cancel)) return;
              const int64_t oidx11 = min_i64(shape2 - ridx1 * 512 - ridx13 * 8, 8);
              if (ridx1 * 512 + ridx13 * 8 + 8 <= shape2) {
                for (int64_t ridx14 = 0; ridx14 < oidx10; ++ridx14) {
                  const float* input0_row = input0 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx14 + ridx1 * 512 + ridx13 * 8;
                  for (int64_t ridx15 = 0; ridx15 < 8; ridx15 += 4) {
                    *(f32x4*)(row0 + ridx14 * 8 + ridx15) = *(const f32x4*)(input0_row + ridx15);
                  }
                }
              } else {
                for (int64_t ridx16 = 0; ridx16 < oidx10 * 8; ridx16 += 4) {
                  *(f32x4*)(row0 + ridx16) = splat_f32x4(0.0f);
                }
                for (int64_t ridx17 = 0; ridx17 < oidx10; ++ridx17) {
                  const float* input0_row1 = input0 + shape2 * ridx6 * 16777216 + shape2 * ridx9 * 65536 + shape2 * ridx12 * 256 + shape2 * ridx17 + ridx1 * 512 + ridx13 * 8;
                  if (oidx11 >= 4) {
                    for (int64_t ridx18 = 0; ridx18 < oidx11; ridx18 = ridx18 < oidx11 ? oidx11 - 4 : oidx11) { /* the last step overlaps the one before it */
                      for (; ridx18 <= oidx11 - 4; ridx18 += 4) {
                        *(f32x4*)(row0 + ridx17 * 8 + ridx18) = *(const f32x4*)(input0_row1 + ridx18);
                      }
                    }
                  } else {
                    for (int64_t ridx19 = 0; ridx19 < oidx11; ++ridx19) {
                      row0[ridx17 * 8 + ridx19] = input0_row1[ridx19];
                    }
                  }
                }
              }
              float* output0_row = output0 + shape2 * ridx0 * 228 + ridx1 * 512 + ridx13 * 8;
              float* output0_row1 = output0 + shape2 * ridx0 * 228 + shape2 + ridx1 * 512 + ridx13 * 8;
              float* output0_row2 = output0 + shape2 * ridx0 * 228 + shape2 * 2 + ridx1 * 512 + ridx13 * 8;
              float* output0_row3 = output0 + shape2 * ridx0 * 228 + shape2 * 3 + ridx1 * 512 + ridx13 * 8;
              float* output0_row4 = output0 + shape2 * ridx0 * 228 + shape2 * 4 + ridx1 * 512 + ridx13 * 8;
              float* output0_row5 = output0 + shape2 * ridx0 * 228 + shape2 * 5 + ridx1 * 512 + ridx13 * 8;
              const int64_t oidx18 = min_i64(oidx3 - ridx13 * 8, 8);
              for (int64_t ridx20 = 0; ridx20 < oidx2; ++ridx20) {
                const float* input1_row = input1 + shape1 * ridx0 * 228 + shape1 * ridx20 * 6 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx12 = min_i64(shape0 - 1, ridx0 * 228 + ridx20 * 6 + 1);
                const float* input1_row1 = input1 + shape1 * oidx12 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx13 = min_i64(shape0 - 1, ridx0 * 228 + ridx20 * 6 + 2);
                const float* input1_row2 = input1 + shape1 * oidx13 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx14 = min_i64(shape0 - 1, ridx0 * 228 + ridx20 * 6 + 3);
                const float* input1_row3 = input1 + shape1 * oidx14 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx15 = min_i64(shape0 - 1, ridx0 * 228 + ridx20 * 6 + 4);
                const float* input1_row4 = input1 + shape1 * oidx15 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx16 = min_i64(shape0 - 1, ridx0 * 228 + ridx20 * 6 + 5);
                const float* input1_row5 = input1 + shape1 * oidx16 + ridx6 * 16777216 + ridx9 * 65536 + ridx12 * 256;
                const int64_t oidx17 = min_i64(oidx1 - ridx20 * 6, 6);
                float* row1_at = row1 + ridx13 * 48 + ridx20 * 3072;
                const int64_t oidx19 = min_i64(oidx1 - ridx20 * 6, 3);
                if (ridx20 * 6 + 4 <= oidx1) {
                  if (ridx13 * 8 + 5 <= oidx3) {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc5 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc7 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    f32x4 acc9 = (f32x4){0};
                    f32x4 acc10 = (f32x4){0};
                    f32x4 acc11 = (f32x4){0};
                    f32x4 acc12 = (f32x4){0};
                    f32x4 acc13 = (f32x4){0};
                    f32x4 acc14 = (f32x4){0};
                    f32x4 acc15 = (f32x4){0};
                    for (int64_t ridx21 = 0; ridx21 < oidx10; ++ridx21) {
                      const float alu0 = input1_row[ridx21];
                      const f32x4 alu1 = *(f32x4*)(row0 + ridx21 * 8);
                      acc4 = fma_f32x4(splat_f32x4(alu0), alu1, acc4);
                      const f32x4 alu2 = *(f32x4*)(row0 + ridx21 * 8 + 4);
                      acc5 = fma_f32x4(splat_f32x4(alu0), alu2, acc5);
                      const float alu3 = input1_row1[ridx21];
                      acc6 = fma_f32x4(splat_f32x4(alu3), alu1, acc6);
                      acc7 = fma_f32x4(splat_f32x4(alu3), alu2, acc7);
                      const float alu4 = input1_row2[ridx21];
                      acc8 = fma_f32x4(splat_f32x4(alu4), alu1, acc8);
                      acc9 = fma_f32x4(splat_f32x4(alu4), alu2, acc9);
                      const float alu5 = input1_row3[ridx21];
                      acc10 = fma_f32x4(splat_f32x4(alu5), alu1, acc10);
                      acc11 = fma_f32x4(splat_f32x4(alu5), alu2, acc11);
                      const float alu6 = input1_row4[ridx21];
                      acc12 = fma_f32x4(splat_f32x4(alu6), alu1, acc12);
                      acc13 = fma_f32x4(splat_f32x4(alu6), alu2, acc13);
                      const float alu7 = input1_row5[ridx21];
                      acc14 = fma_f32x4(splat_f32x4(alu7), alu1, acc14);
                      acc15 = fma_f32x4(splat_f32x4(alu7), alu2, acc15);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 8 + 8 <= oidx3) {
                        const f32x4 alu8 = acc4 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6) = alu8;
                        const f32x4 alu9 = acc5 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6 + 4) = alu9;
                        if (ridx20 * 6 + 2 <= oidx1) {
                          const f32x4 alu10 = acc6 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6) = alu10;
                          const f32x4 alu11 = acc7 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6 + 4) = alu11;
                        }
                        if (ridx20 * 6 + 3 <= oidx1) {
                          const f32x4 alu12 = acc8 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6) = alu12;
                          const f32x4 alu13 = acc9 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6 + 4) = alu13;
                        }
                        if (ridx20 * 6 + 4 <= oidx1) {
                          const f32x4 alu14 = acc10 + 0.0f;
                          *(f32x4*)(output0_row3 + shape2 * ridx20 * 6) = alu14;
                          const f32x4 alu15 = acc11 + 0.0f;
                          *(f32x4*)(output0_row3 + shape2 * ridx20 * 6 + 4) = alu15;
                        }
                        if (ridx20 * 6 + 5 <= oidx1) {
                          const f32x4 alu16 = acc12 + 0.0f;
                          *(f32x4*)(output0_row4 + shape2 * ridx20 * 6) = alu16;
                          const f32x4 alu17 = acc13 + 0.0f;
                          *(f32x4*)(output0_row4 + shape2 * ridx20 * 6 + 4) = alu17;
                        }
                        if (ridx20 * 6 + 6 <= oidx1) {
                          const f32x4 alu18 = acc14 + 0.0f;
                          *(f32x4*)(output0_row5 + shape2 * ridx20 * 6) = alu18;
                          const f32x4 alu19 = acc15 + 0.0f;
                          *(f32x4*)(output0_row5 + shape2 * ridx20 * 6 + 4) = alu19;
                        }
                      } else {
                        const f32x4 alu20 = acc4 + 0.0f;
                        *(f32x4*)row16 = alu20;
                        const f32x4 alu21 = acc5 + 0.0f;
                        *(f32x4*)(row16 + 4) = alu21;
                        const f32x4 alu22 = acc6 + 0.0f;
                        *(f32x4*)(row16 + 8) = alu22;
                        const f32x4 alu23 = acc7 + 0.0f;
                        *(f32x4*)(row16 + 12) = alu23;
                        const f32x4 alu24 = acc8 + 0.0f;
                        *(f32x4*)(row16 + 16) = alu24;
                        const f32x4 alu25 = acc9 + 0.0f;
                        *(f32x4*)(row16 + 20) = alu25;
                        const f32x4 alu26 = acc10 + 0.0f;
                        *(f32x4*)(row16 + 24) = alu26;
                        const f32x4 alu27 = acc11 + 0.0f;
                        *(f32x4*)(row16 + 28) = alu27;
                        const f32x4 alu28 = acc12 + 0.0f;
                        *(f32x4*)(row16 + 32) = alu28;
                        const f32x4 alu29 = acc13 + 0.0f;
                        *(f32x4*)(row16 + 36) = alu29;
                        const f32x4 alu30 = acc14 + 0.0f;
                        *(f32x4*)(row16 + 40) = alu30;
                        const f32x4 alu31 = acc15 + 0.0f;
                        *(f32x4*)(row16 + 44) = alu31;
                        for (int64_t ridx22 = 0; ridx22 < oidx17; ++ridx22) {
                          float* output0_row6 = output0 + shape2 * ridx0 * 228 + shape2 * ridx20 * 6 + shape2 * ridx22 + ridx1 * 512 + ridx13 * 8;
                          if (oidx18 >= 4) {
                            for (int64_t ridx23 = 0; ridx23 < oidx18; ridx23 = ridx23 < oidx18 ? oidx18 - 4 : oidx18) { /* the last step overlaps the one before it */
                              for (; ridx23 <= oidx18 - 4; ridx23 += 4) {
                                *(f32x4*)(output0_row6 + ridx23) = *(f32x4*)(row16 + ridx22 * 8 + ridx23);
                              }
                            }
                          } else {
                            for (int64_t ridx24 = 0; ridx24 < oidx18; ++ridx24) {
                              output0_row6[ridx24] = row16[ridx22 * 8 + ridx24];
                            }
                          }
                        }
                      }
                    } else {
                      *(f32x4*)row1_at += acc4;
                      *(f32x4*)(row1_at + 4) += acc5;
                      *(f32x4*)(row1_at + 8) += acc6;
                      *(f32x4*)(row1_at + 12) += acc7;
                      *(f32x4*)(row1_at + 16) += acc8;
                      *(f32x4*)(row1_at + 20) += acc9;
                      *(f32x4*)(row1_at + 24) += acc10;
                      *(f32x4*)(row1_at + 28) += acc11;
                      *(f32x4*)(row1_at + 32) += acc12;
                      *(f32x4*)(row1_at + 36) += acc13;
                      *(f32x4*)(row1_at + 40) += acc14;
                      *(f32x4*)(row1_at + 44) += acc15;
                    }
                  } else {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    f32x4 acc10 = (f32x4){0};
                    f32x4 acc12 = (f32x4){0};
                    f32x4 acc14 = (f32x4){0};
                    for (int64_t ridx25 = 0; ridx25 < oidx10; ++ridx25) {
                      const f32x4 alu32 = *(f32x4*)(row0 + ridx25 * 8);
                      acc4 = fma_f32x4(splat_f32x4(input1_row[ridx25]), alu32, acc4);
                      acc6 = fma_f32x4(splat_f32x4(input1_row1[ridx25]), alu32, acc6);
                      acc8 = fma_f32x4(splat_f32x4(input1_row2[ridx25]), alu32, acc8);
                      acc10 = fma_f32x4(splat_f32x4(input1_row3[ridx25]), alu32, acc10);
                      acc12 = fma_f32x4(splat_f32x4(input1_row4[ridx25]), alu32, acc12);
                      acc14 = fma_f32x4(splat_f32x4(input1_row5[ridx25]), alu32, acc14);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 8 + 4 <= oidx3) {
                        const f32x4 alu33 = acc4 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6) = alu33;
                        if (ridx20 * 6 + 2 <= oidx1) {
                          const f32x4 alu34 = acc6 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6) = alu34;
                        }
                        if (ridx20 * 6 + 3 <= oidx1) {
                          const f32x4 alu35 = acc8 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6) = alu35;
                        }
                        if (ridx20 * 6 + 4 <= oidx1) {
                          const f32x4 alu36 = acc10 + 0.0f;
                          *(f32x4*)(output0_row3 + shape2 * ridx20 * 6) = alu36;
                        }
                        if (ridx20 * 6 + 5 <= oidx1) {
                          const f32x4 alu37 = acc12 + 0.0f;
                          *(f32x4*)(output0_row4 + shape2 * ridx20 * 6) = alu37;
                        }
                        if (ridx20 * 6 + 6 <= oidx1) {
                          const f32x4 alu38 = acc14 + 0.0f;
                          *(f32x4*)(output0_row5 + shape2 * ridx20 * 6) = alu38;
                        }
                      } else {
                        const f32x4 alu39 = acc4 + 0.0f;
                        *(f32x4*)row16 = alu39;
                        const f32x4 alu40 = acc6 + 0.0f;
                        *(f32x4*)(row16 + 8) = alu40;
                        const f32x4 alu41 = acc8 + 0.0f;
                        *(f32x4*)(row16 + 16) = alu41;
                        const f32x4 alu42 = acc10 + 0.0f;
                        *(f32x4*)(row16 + 24) = alu42;
                        const f32x4 alu43 = acc12 + 0.0f;
                        *(f32x4*)(row16 + 32) = alu43;
                        const f32x4 alu44 = acc14 + 0.0f;
                        *(f32x4*)(row16 + 40) = alu44;
                        for (int64_t ridx26 = 0; ridx26 < oidx17; ++ridx26) {
                          float* output0_row7 = output0 + shape2 * ridx0 * 228 + shape2 * ridx20 * 6 + shape2 * ridx26 + ridx1 * 512 + ridx13 * 8;
                          if (oidx18 >= 4) {
                            for (int64_t ridx27 = 0; ridx27 < oidx18; ridx27 = ridx27 < oidx18 ? oidx18 - 4 : oidx18) { /* the last step overlaps the one before it */
                              for (; ridx27 <= oidx18 - 4; ridx27 += 4) {
                                *(f32x4*)(output0_row7 + ridx27) = *(f32x4*)(row16 + ridx26 * 8 + ridx27);
                              }
                            }
                          } else {
                            for (int64_t ridx28 = 0; ridx28 < oidx18; ++ridx28) {
                              output0_row7[ridx28] = row16[ridx26 * 8 + ridx28];
                            }
                          }
                        }
                      }
                    } else {
                      *(f32x4*)row1_at += acc4;
                      *(f32x4*)(row1_at + 8) += acc6;
                      *(f32x4*)(row1_at + 16) += acc8;
                      *(f32x4*)(row1_at + 24) += acc10;
                      *(f32x4*)(row1_at + 32) += acc12;
                      *(f32x4*)(row1_at + 40) += acc14;
                    }
                  }
                } else {
                  if (ridx13 * 8 + 5 <= oidx3) {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc5 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc7 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    f32x4 acc9 = (f32x4){0};
                    for (int64_t ridx29 = 0; ridx29 < oidx10; ++ridx29) {
                      const float alu45 = input1_row[ridx29];
                      const f32x4 alu46 = *(f32x4*)(row0 + ridx29 * 8);
                      acc4 = fma_f32x4(splat_f32x4(alu45), alu46, acc4);
                      const f32x4 alu47 = *(f32x4*)(row0 + ridx29 * 8 + 4);
                      acc5 = fma_f32x4(splat_f32x4(alu45), alu47, acc5);
                      const float alu48 = input1_row1[ridx29];
                      acc6 = fma_f32x4(splat_f32x4(alu48), alu46, acc6);
                      acc7 = fma_f32x4(splat_f32x4(alu48), alu47, acc7);
                      const float alu49 = input1_row2[ridx29];
                      acc8 = fma_f32x4(splat_f32x4(alu49), alu46, acc8);
                      acc9 = fma_f32x4(splat_f32x4(alu49), alu47, acc9);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 8 + 8 <= oidx3) {
                        const f32x4 alu50 = acc4 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6) = alu50;
                        const f32x4 alu51 = acc5 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6 + 4) = alu51;
                        if (ridx20 * 6 + 2 <= oidx1) {
                          const f32x4 alu52 = acc6 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6) = alu52;
                          const f32x4 alu53 = acc7 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6 + 4) = alu53;
                        }
                        if (ridx20 * 6 + 3 <= oidx1) {
                          const f32x4 alu54 = acc8 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6) = alu54;
                          const f32x4 alu55 = acc9 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6 + 4) = alu55;
                        }
                      } else {
                        const f32x4 alu56 = acc4 + 0.0f;
                        *(f32x4*)row16 = alu56;
                        const f32x4 alu57 = acc5 + 0.0f;
                        *(f32x4*)(row16 + 4) = alu57;
                        const f32x4 alu58 = acc6 + 0.0f;
                        *(f32x4*)(row16 + 8) = alu58;
                        const f32x4 alu59 = acc7 + 0.0f;
                        *(f32x4*)(row16 + 12) = alu59;
                        const f32x4 alu60 = acc8 + 0.0f;
                        *(f32x4*)(row16 + 16) = alu60;
                        const f32x4 alu61 = acc9 + 0.0f;
                        *(f32x4*)(row16 + 20) = alu61;
                        for (int64_t ridx30 = 0; ridx30 < oidx19; ++ridx30) {
                          float* output0_row8 = output0 + shape2 * ridx0 * 228 + shape2 * ridx20 * 6 + shape2 * ridx30 + ridx1 * 512 + ridx13 * 8;
                          if (oidx18 >= 4) {
                            for (int64_t ridx31 = 0; ridx31 < oidx18; ridx31 = ridx31 < oidx18 ? oidx18 - 4 : oidx18) { /* the last step overlaps the one before it */
                              for (; ridx31 <= oidx18 - 4; ridx31 += 4) {
                                *(f32x4*)(output0_row8 + ridx31) = *(f32x4*)(row16 + ridx30 * 8 + ridx31);
                              }
                            }
                          } else {
                            for (int64_t ridx32 = 0; ridx32 < oidx18; ++ridx32) {
                              output0_row8[ridx32] = row16[ridx30 * 8 + ridx32];
                            }
                          }
                        }
                      }
                    } else {
                      *(f32x4*)row1_at += acc4;
                      *(f32x4*)(row1_at + 4) += acc5;
                      *(f32x4*)(row1_at + 8) += acc6;
                      *(f32x4*)(row1_at + 12) += acc7;
                      *(f32x4*)(row1_at + 16) += acc8;
                      *(f32x4*)(row1_at + 20) += acc9;
                    }
                  } else {
                    f32x4 acc4 = (f32x4){0};
                    f32x4 acc6 = (f32x4){0};
                    f32x4 acc8 = (f32x4){0};
                    for (int64_t ridx33 = 0; ridx33 < oidx10; ++ridx33) {
                      const f32x4 alu62 = *(f32x4*)(row0 + ridx33 * 8);
                      acc4 = fma_f32x4(splat_f32x4(input1_row[ridx33]), alu62, acc4);
                      acc6 = fma_f32x4(splat_f32x4(input1_row1[ridx33]), alu62, acc6);
                      acc8 = fma_f32x4(splat_f32x4(input1_row2[ridx33]), alu62, acc8);
                    }
                    if (shape1 <= 256 && shape1 > 0) {
                      if (ridx13 * 8 + 4 <= oidx3) {
                        const f32x4 alu63 = acc4 + 0.0f;
                        *(f32x4*)(output0_row + shape2 * ridx20 * 6) = alu63;
                        if (ridx20 * 6 + 2 <= oidx1) {
                          const f32x4 alu64 = acc6 + 0.0f;
                          *(f32x4*)(output0_row1 + shape2 * ridx20 * 6) = alu64;
                        }
                        if (ridx20 * 6 + 3 <= oidx1) {
                          const f32x4 alu65 = acc8 + 0.0f;
                          *(f32x4*)(output0_row2 + shape2 * ridx20 * 6) = alu65;
                        }
                      } else {
                        const f32x4 alu66 = acc4 + 0.0f;
                        *(f32x4*)row16 = alu66;
                        const f32x4 alu67 = acc6 + 0.0f;
                        *(f32x4*)(row16 + 8) = alu67;
                        const f32x4 alu68 = acc8 + 0.0f;
                        *(f32x4*)(row16 + 16) = alu68;
                        for (int64_t ridx34 = 0; ridx34 < oidx19; ++ridx34) {
                          float* output0_row9 = output0 + shape2 * ridx0 * 228 + shape2 * ridx20 * 6 + shape2 * ridx34 + ridx1 * 512 + ridx13 * 8;
                          if (oidx18 >= 4) {
                            for (int64_t ridx35 = 0; ridx35 < oidx18; ridx35 = ridx35 < oidx18 ? oidx18 - 4 : oidx18) { /* the last step overlaps the one before it */
                              for (; ridx35 <= oidx18 - 4; ridx35 += 4) {
                                *(f32x4*)(output0_row9 + ridx35) = *(f32x4*)(row16 + ridx34 * 8 + ridx35);
                              }
                            }
                          } else {
                            for (int64_t ridx36 = 0; ridx36 < oidx18; ++ridx36) {
                              output0_row9[ridx36] = row16[ridx34 * 8 + ridx36];
                            }
                          }
                        }
                      }
                    } else {
                      *(f32x4*)row1_at += acc4;
                      *(f32x4*)(row1_at + 8) += acc6;
                      *(f32x4*)(row1_at + 16) += acc8;
                    }
                  }
                }
              }
            }
          }
          if (shape1 >= 65537) {
            for (int64_t ridx37 = 0; ridx37 < oidx2; ++ridx37) {
              for (int64_t ridx38 = 0; ridx38 < oidx4 * 48; ridx38 += 4) {
                *(f32x4*)(row2 + ridx37 * 3072 + ridx38) += *(f32x4*)(row1 + ridx37 * 3072 + ridx38);
              }
            }
          }
        }
        if (shape1 >= 65537) {
          for (int64_t ridx39 = 0; ridx39 < oidx2; ++ridx39) {
            for (int64_t ridx40 = 0; ridx40 < oidx4 * 48; ridx40 += 4) {
              *(f32x4*)(row3 + ridx39 * 3072 + ridx40) += *(f32x4*)(row2 + ridx39 * 3072 + ridx40);
            }
          }
        }
      }
      if (shape1 >= 65537) {
        for (int64_t ridx41 = 0; ridx41 < oidx2; ++ridx41) {
          for (int64_t ridx42 = 0; ridx42 < oidx4 * 48; ridx42 += 4) {
            *(f32x4*)(row1 + ridx41 * 3072 + ridx42) = *(f32x4*)(row3 + ridx41 * 3072 + ridx42);
          }
        }
      }
      if (shape1 >= 257 || shape1 == 0) {
        for (int64_t ridx43 = 0; ridx43 < oidx2; ++ridx43) {
          const int64_t oidx20 = min_i64(oidx1 - ridx43 * 6, 6);
          for (int64_t ridx44 = 0; ridx44 < oidx20; ++ridx44) {
            for (int64_t ridx45 = 0; ridx45 < oidx4; ++ridx45) {
              const int64_t oidx21 = min_i64(oidx3 - ridx45 * 8, 8);
              float* output0_row10 = output0 + shape2 * ridx0 * 228 + shape2 * ridx43 * 6 + shape2 * ridx44 + ridx1 * 512 + ridx45 * 8;
              if (oidx21 >= 4) {
                for (int64_t ridx46 = 0; ridx46 < oidx21; ridx46 = ridx46 < oidx21 ? oidx21 - 4 : oidx21) { /* the last step overlaps the one before it */
                  for (; ridx46 <= oidx21 - 4; ridx46 += 4) {
                    *(f32x4*)(output0_row10 + ridx46) = *(f32x4*)(row1 + ridx43 * 3072 + ridx44 * 8 + ridx45 * 48 + ridx46);
                  }
                }
              } else {
                for (int64_t ridx47 = 0; ridx47 < oidx21; ++ridx47) {
                  output0_row10[ridx47] = row1[ridx43 * 3072 + ridx44 * 8 + ridx45 * 48 + ridx47];
                }
              }
            }
          }
        }
      }
    }
  }
}

struct kernel_4_args { const float* input0; const float* input1; float* output0; int64_t shape1; int64_t shape2; const volatile int32_t* cancel; };

/* generation 0 · variant 5 of 5 by size · reduce over [m, n] · sum of [m, k, n] axes [1] chain product · reduce [thread, sequential simd=4, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_4(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_4_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  const volatile int32_t* const cancel = a->cancel;
  (void)worker;
  const int64_t oidx0 = (shape2 + 511) / 512;
  const int64_t oidx3 = min_i64(shape1, 256);
  const int64_t oidx4 = oidx3 / 8;
  const int64_t oidx6 = (shape1 + 255) / 256;
  const int64_t oidx7 = (oidx6 + 255) / 256;
  const int64_t oidx8 = (oidx7 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + shape1 * ridx0;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float row3[512] __attribute__((aligned(16)));
      const int64_t oidx1 = min_i64(shape2 - ridx1 * 512, 512);
      const int64_t oidx2 = (oidx1 + 3) / 4;
      for (int64_t ridx2 = 0; ridx2 < oidx2 * 4; ridx2 += 4) {
        *(f32x4*)(row3 + ridx2) = splat_f32x4(0.0f);
      }
      const int64_t oidx5 = oidx1 / 4;
      if (shape1 <= 256) {
        for (int64_t ridx3 = 0; ridx3 < oidx4 * 8; ridx3 += 8) {
          const float alu0 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 7] : 0;
          const float* input1_row = input1 + shape2 * ridx3 + shape2 * 7 + ridx1 * 512;
          const float alu1 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 6] : 0;
          const float* input1_row1 = input1 + shape2 * ridx3 + shape2 * 6 + ridx1 * 512;
          const float alu2 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 5] : 0;
          const float* input1_row2 = input1 + shape2 * ridx3 + shape2 * 5 + ridx1 * 512;
          const float alu3 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 4] : 0;
          const float* input1_row3 = input1 + shape2 * ridx3 + shape2 * 4 + ridx1 * 512;
          const float alu4 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 3] : 0;
          const float* input1_row4 = input1 + shape2 * ridx3 + shape2 * 3 + ridx1 * 512;
          const float alu5 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 2] : 0;
          const float* input1_row5 = input1 + shape2 * ridx3 + shape2 * 2 + ridx1 * 512;
          const float alu6 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3 + 1] : 0;
          const float* input1_row6 = input1 + shape2 * ridx3 + shape2 + ridx1 * 512;
          const float alu7 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx3] : 0;
          const float* input1_row7 = input1 + shape2 * ridx3 + ridx1 * 512;
          for (int64_t ridx4 = 0; ridx4 < oidx5 * 4; ridx4 += 4) {
            const f32x4 alu8 = fma_f32x4(splat_f32x4(alu7), *(const f32x4*)(input1_row7 + ridx4), *(f32x4*)(row3 + ridx4));
            const f32x4 alu9 = fma_f32x4(splat_f32x4(alu6), *(const f32x4*)(input1_row6 + ridx4), alu8);
            const f32x4 alu10 = fma_f32x4(splat_f32x4(alu5), *(const f32x4*)(input1_row5 + ridx4), alu9);
            const f32x4 alu11 = fma_f32x4(splat_f32x4(alu4), *(const f32x4*)(input1_row4 + ridx4), alu10);
            const f32x4 alu12 = fma_f32x4(splat_f32x4(alu3), *(const f32x4*)(input1_row3 + ridx4), alu11);
            const f32x4 alu13 = fma_f32x4(splat_f32x4(alu2), *(const f32x4*)(input1_row2 + ridx4), alu12);
            const f32x4 alu14 = fma_f32x4(splat_f32x4(alu1), *(const f32x4*)(input1_row1 + ridx4), alu13);
            const f32x4 alu15 = fma_f32x4(splat_f32x4(alu0), *(const f32x4*)(input1_row + ridx4), alu14);
            *(f32x4*)(row3 + ridx4) = alu15;
          }
          for (int64_t ridx5 = oidx5 * 4; ridx5 < oidx1; ++ridx5) {
            const float alu16 = fma_f32(alu7, input1_row7[ridx5], row3[ridx5]);
            const float alu17 = fma_f32(alu6, input1_row6[ridx5], alu16);
            const float alu18 = fma_f32(alu5, input1_row5[ridx5], alu17);
            const float alu19 = fma_f32(alu4, input1_row4[ridx5], alu18);
            const float alu20 = fma_f32(alu3, input1_row3[ridx5], alu19);
            const float alu21 = fma_f32(alu2, input1_row2[ridx5], alu20);
            const float alu22 = fma_f32(alu1, input1_row1[ridx5], alu21);
            const float alu23 = fma_f32(alu0, input1_row[ridx5], alu22);
            row3[ridx5] = alu23;
          }
        }
        for (int64_t ridx6 = oidx4 * 8; ridx6 < oidx3; ++ridx6) {
          const float alu24 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx6] : 0;
          const float* input1_row8 = input1 + shape2 * ridx6 + ridx1 * 512;
          for (int64_t ridx7 = 0; ridx7 < oidx5 * 4; ridx7 += 4) {
            *(f32x4*)(row3 + ridx7) = fma_f32x4(splat_f32x4(alu24), *(const f32x4*)(input1_row8 + ridx7), *(f32x4*)(row3 + ridx7));
          }
          for (int64_t ridx8 = oidx5 * 4; ridx8 < oidx1; ++ridx8) {
            row3[ridx8] = fma_f32(alu24, input1_row8[ridx8], row3[ridx8]);
          }
        }
      } else {
        for (int64_t ridx9 = 0; ridx9 < oidx8; ++ridx9) {
          float row2[512] __attribute__((aligned(16)));
          for (int64_t ridx10 = 0; ridx10 < oidx2 * 4; ridx10 += 4) {
            *(f32x4*)(row2 + ridx10) = splat_f32x4(0.0f);
          }
          const int64_t oidx9 = min_i64(oidx7, ridx9 * 256 + 256);
          for (int64_t ridx11 = ridx9 * 256; ridx11 < oidx9; ++ridx11) {
            float row1[512] __attribute__((aligned(16)));
            for (int64_t ridx12 = 0; ridx12 < oidx2 * 4; ridx12 += 4) {
              *(f32x4*)(row1 + ridx12) = splat_f32x4(0.0f);
            }
            const int64_t oidx10 = min_i64(oidx6, ridx11 * 256 + 256);
            for (int64_t ridx13 = ridx11 * 256; ridx13 < oidx10; ++ridx13) {
              if (harp_is_set(cancel)) return;
              float row0[512] __attribute__((aligned(16)));
              for (int64_t ridx14 = 0; ridx14 < oidx2 * 4; ridx14 += 4) {
                *(f32x4*)(row0 + ridx14) = splat_f32x4(0.0f);
              }
              const int64_t oidx11 = min_i64(shape1, ridx13 * 256 + 256);
              const int64_t oidx12 = oidx11 / 8;
              for (int64_t ridx15 = ridx13 * 256; ridx15 < oidx12 * 8; ridx15 += 8) {
                const float alu25 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 7] : 0;
                const float* input1_row9 = input1 + shape2 * ridx15 + shape2 * 7 + ridx1 * 512;
                const float alu26 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 6] : 0;
                const float* input1_row10 = input1 + shape2 * ridx15 + shape2 * 6 + ridx1 * 512;
                const float alu27 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 5] : 0;
                const float* input1_row11 = input1 + shape2 * ridx15 + shape2 * 5 + ridx1 * 512;
                const float alu28 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 4] : 0;
                const float* input1_row12 = input1 + shape2 * ridx15 + shape2 * 4 + ridx1 * 512;
                const float alu29 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 3] : 0;
                const float* input1_row13 = input1 + shape2 * ridx15 + shape2 * 3 + ridx1 * 512;
                const float alu30 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 2] : 0;
                const float* input1_row14 = input1 + shape2 * ridx15 + shape2 * 2 + ridx1 * 512;
                const float alu31 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15 + 1] : 0;
                const float* input1_row15 = input1 + shape2 * ridx15 + shape2 + ridx1 * 512;
                const float alu32 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx15] : 0;
                const float* input1_row16 = input1 + shape2 * ridx15 + ridx1 * 512;
                for (int64_t ridx16 = 0; ridx16 < oidx5 * 4; ridx16 += 4) {
                  const f32x4 alu33 = fma_f32x4(splat_f32x4(alu32), *(const f32x4*)(input1_row16 + ridx16), *(f32x4*)(row0 + ridx16));
                  const f32x4 alu34 = fma_f32x4(splat_f32x4(alu31), *(const f32x4*)(input1_row15 + ridx16), alu33);
                  const f32x4 alu35 = fma_f32x4(splat_f32x4(alu30), *(const f32x4*)(input1_row14 + ridx16), alu34);
                  const f32x4 alu36 = fma_f32x4(splat_f32x4(alu29), *(const f32x4*)(input1_row13 + ridx16), alu35);
                  const f32x4 alu37 = fma_f32x4(splat_f32x4(alu28), *(const f32x4*)(input1_row12 + ridx16), alu36);
                  const f32x4 alu38 = fma_f32x4(splat_f32x4(alu27), *(const f32x4*)(input1_row11 + ridx16), alu37);
                  const f32x4 alu39 = fma_f32x4(splat_f32x4(alu26), *(const f32x4*)(input1_row10 + ridx16), alu38);
                  const f32x4 alu40 = fma_f32x4(splat_f32x4(alu25), *(const f32x4*)(input1_row9 + ridx16), alu39);
                  *(f32x4*)(row0 + ridx16) = alu40;
                }
                for (int64_t ridx17 = oidx5 * 4; ridx17 < oidx1; ++ridx17) {
                  const float alu41 = fma_f32(alu32, input1_row16[ridx17], row0[ridx17]);
                  const float alu42 = fma_f32(alu31, input1_row15[ridx17], alu41);
                  const float alu43 = fma_f32(alu30, input1_row14[ridx17], alu42);
                  const float alu44 = fma_f32(alu29, input1_row13[ridx17], alu43);
                  const float alu45 = fma_f32(alu28, input1_row12[ridx17], alu44);
                  const float alu46 = fma_f32(alu27, input1_row11[ridx17], alu45);
                  const float alu47 = fma_f32(alu26, input1_row10[ridx17], alu46);
                  const float alu48 = fma_f32(alu25, input1_row9[ridx17], alu47);
                  row0[ridx17] = alu48;
                }
              }
              for (int64_t ridx18 = oidx12 * 8; ridx18 < oidx11; ++ridx18) {
                const float alu49 = (oidx5 * 4 < oidx1 || oidx5 * 4 > 0) ? input0_row[ridx18] : 0;
                const float* input1_row17 = input1 + shape2 * ridx18 + ridx1 * 512;
                for (int64_t ridx19 = 0; ridx19 < oidx5 * 4; ridx19 += 4) {
                  *(f32x4*)(row0 + ridx19) = fma_f32x4(splat_f32x4(alu49), *(const f32x4*)(input1_row17 + ridx19), *(f32x4*)(row0 + ridx19));
                }
                for (int64_t ridx20 = oidx5 * 4; ridx20 < oidx1; ++ridx20) {
                  row0[ridx20] = fma_f32(alu49, input1_row17[ridx20], row0[ridx20]);
                }
              }
              for (int64_t ridx21 = 0; ridx21 < oidx5 * 4; ridx21 += 4) {
                *(f32x4*)(row1 + ridx21) += *(f32x4*)(row0 + ridx21);
              }
              for (int64_t ridx22 = oidx5 * 4; ridx22 < oidx1; ++ridx22) {
                row1[ridx22] += row0[ridx22];
              }
            }
            for (int64_t ridx23 = 0; ridx23 < oidx5 * 4; ridx23 += 4) {
              *(f32x4*)(row2 + ridx23) += *(f32x4*)(row1 + ridx23);
            }
            for (int64_t ridx24 = oidx5 * 4; ridx24 < oidx1; ++ridx24) {
              row2[ridx24] += row1[ridx24];
            }
          }
          for (int64_t ridx25 = 0; ridx25 < oidx5 * 4; ridx25 += 4) {
            *(f32x4*)(row3 + ridx25) += *(f32x4*)(row2 + ridx25);
          }
          for (int64_t ridx26 = oidx5 * 4; ridx26 < oidx1; ++ridx26) {
            row3[ridx26] += row2[ridx26];
          }
        }
      }
      float* output0_row = output0 + shape2 * ridx0 + ridx1 * 512;
      for (int64_t ridx27 = 0; ridx27 < oidx5 * 4; ridx27 += 4) {
        *(f32x4*)(output0_row + ridx27) = *(f32x4*)(row3 + ridx27) + 0.0f;
      }
      for (int64_t ridx28 = oidx5 * 4; ridx28 < oidx1; ++ridx28) {
        output0_row[ridx28] = row3[ridx28] + 0.0f;
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
  if (shape0 > 0 && shape0 <= 256 && shape1 > 0 && shape1 <= 256 && shape2 <= 1 && shape2 > 0) {
    struct kernel_0_args args = {input1, input0, output0, shape0, shape1, shape2, cancel};
    harp_for(rt, cancel, (shape0 + 255) / 256, shape0 * shape1 * shape2 * 300, kernel_0, &args);
  } else if (shape1 * shape2 >= 262145 && shape2 >= 256 && shape0 <= 32 && shape0 >= 2) {
    struct kernel_1_args args = {input0, input1, output0, shape0, shape1, shape2, workspace, cancel};
    harp_for(rt, cancel, (shape0 + 31) / 32, shape0 * shape1 * shape2 * 75, kernel_1, &args);
  } else if (shape1 >= 16 && shape0 >= 8 && shape2 <= 7) {
    struct kernel_2_args args = {input0, input1, output0, shape0, shape1, shape2, workspace, cancel};
    harp_for(rt, cancel, (shape0 + 255) / 256, shape0 * shape1 * shape2 * 75, kernel_2, &args);
  } else if ((shape1 >= 16 && shape0 >= 4 && shape2 >= 8) || (shape1 <= 256 && shape1 > 0 && shape0 >= 4 && shape2 > 0)) {
    struct kernel_3_args args = {input1, input0, output0, shape0, shape1, shape2, workspace, cancel};
    harp_for(rt, cancel, (shape0 + 227) / 228, shape0 * shape1 * shape2 * 75, kernel_3, &args);
  } else {
    struct kernel_4_args args = {input0, input1, output0, shape1, shape2, cancel};
    harp_for(rt, cancel, shape0, shape0 * shape1 * shape2 * 50, kernel_4, &args);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const int64_t shape0 = (int64_t)shape_vars[0];
  const int64_t shape1 = (int64_t)shape_vars[1];
  const int64_t shape2 = (int64_t)shape_vars[2];
  /* bytes for each worker, which only some variants of the kernels need */
  const int64_t scratch = shape0 > 0 && shape0 <= 256 && shape1 > 0 && shape1 <= 256 && shape2 <= 1 && shape2 > 0 ? 0 : ((shape1 * shape2 >= 262145 && shape2 >= 256 && shape0 <= 32 && shape0 >= 2) || (shape1 >= 16 && shape0 >= 8 && shape2 <= 7) || (shape1 >= 16 && shape0 >= 4 && shape2 >= 8) || (shape1 <= 256 && shape1 > 0 && shape0 >= 4 && shape2 > 0) ? 1400832 : 0);
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
