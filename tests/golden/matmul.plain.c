/* harp · graph "matmul" · target any, plain text · stable, law 1 · 1 kernel, 1 generation
   a: f32[m, k], b: f32[k, n] -> c: f32[m, n] */
/* gcc 12 vectorises three things wrongly: permuted masked loads (bug 114375), straight code, what is left of a loop with gaps. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
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
} harp_runtime;

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

/* The product of two floats is exact in double. The sum is rounded to odd there, which makes the last rounding the only one. */
static inline float fma_f32(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  union { double value; uint64_t bits; } odd;
  odd.value = sum;
  if ((error > 0.0 || error < 0.0) && (odd.bits & 1) == 0) odd.bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)-1;
  return (float)odd.value;
}

/* Kernels compute in the default floating-point environment: no flush to zero, round to nearest. */
#if defined(__x86_64__)
typedef uint32_t harp_environment;
static inline harp_environment harp_enter(void) {
  const uint32_t found = __builtin_ia32_stmxcsr();
  if ((found & ~0x3fu) != 0x1f80) __builtin_ia32_ldmxcsr(0x1f80);
  return found;
}
static inline void harp_leave(harp_environment found) {
  if ((found & ~0x3fu) != 0x1f80) __builtin_ia32_ldmxcsr(found);
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

struct kernel_0_args { const float* input0; const float* input1; float* output0; int64_t shape1; int64_t shape2; };

/* generation 0 · reduce over [m, n] · sum of [m, k, n] axes [1] chain product · reduce [thread, sequential, reduce unroll=8] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  const int64_t shape1 = a->shape1;
  const int64_t shape2 = a->shape2;
  (void)worker;
  const int64_t oidx0 = (shape2 + 511) / 512;
  const int64_t oidx1 = (shape1 + 255) / 256;
  const int64_t oidx2 = (oidx1 + 255) / 256;
  const int64_t oidx3 = (oidx2 + 255) / 256;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + shape1 * ridx0;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      float acc3[512];
      for (int i = 0; i < 512; ++i) acc3[i] = 0.0f;
      const int64_t oidx8 = min_i64(shape2 - ridx1 * 512, 512);
      for (int64_t ridx2 = 0; ridx2 < oidx3; ++ridx2) {
        float acc2[512];
        for (int i = 0; i < 512; ++i) acc2[i] = 0.0f;
        const int64_t oidx4 = min_i64(oidx2, ridx2 * 256 + 256);
        for (int64_t ridx3 = ridx2 * 256; ridx3 < oidx4; ++ridx3) {
          float acc1[512];
          for (int i = 0; i < 512; ++i) acc1[i] = 0.0f;
          const int64_t oidx5 = min_i64(oidx1, ridx3 * 256 + 256);
          for (int64_t ridx4 = ridx3 * 256; ridx4 < oidx5; ++ridx4) {
            float acc0[512];
            for (int i = 0; i < 512; ++i) acc0[i] = 0.0f;
            const int64_t oidx6 = min_i64(shape1, ridx4 * 256 + 256);
            const int64_t oidx7 = oidx6 / 8;
            for (int64_t ridx5 = ridx4 * 256; ridx5 < oidx7 * 8; ridx5 += 8) {
              const float alu0 = input0_row[ridx5];
              const float* input1_row = input1 + shape2 * ridx5 + ridx1 * 512;
              const float alu1 = input0_row[ridx5 + 1];
              const float* input1_row1 = input1 + shape2 * ridx5 + shape2 + ridx1 * 512;
              const float alu2 = input0_row[ridx5 + 2];
              const float* input1_row2 = input1 + shape2 * ridx5 + shape2 * 2 + ridx1 * 512;
              const float alu3 = input0_row[ridx5 + 3];
              const float* input1_row3 = input1 + shape2 * ridx5 + shape2 * 3 + ridx1 * 512;
              const float alu4 = input0_row[ridx5 + 4];
              const float* input1_row4 = input1 + shape2 * ridx5 + shape2 * 4 + ridx1 * 512;
              const float alu5 = input0_row[ridx5 + 5];
              const float* input1_row5 = input1 + shape2 * ridx5 + shape2 * 5 + ridx1 * 512;
              const float alu6 = input0_row[ridx5 + 6];
              const float* input1_row6 = input1 + shape2 * ridx5 + shape2 * 6 + ridx1 * 512;
              const float alu7 = input0_row[ridx5 + 7];
              const float* input1_row7 = input1 + shape2 * ridx5 + shape2 * 7 + ridx1 * 512;
              for (int64_t ridx6 = 0; ridx6 < oidx8; ++ridx6) {
                acc0[ridx6] = fma_f32(alu0, input1_row[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu1, input1_row1[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu2, input1_row2[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu3, input1_row3[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu4, input1_row4[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu5, input1_row5[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu6, input1_row6[ridx6], acc0[ridx6]);
                acc0[ridx6] = fma_f32(alu7, input1_row7[ridx6], acc0[ridx6]);
              }
            }
            for (int64_t ridx7 = oidx7 * 8; ridx7 < oidx6; ++ridx7) {
              const float alu8 = input0_row[ridx7];
              const float* input1_row8 = input1 + shape2 * ridx7 + ridx1 * 512;
              for (int64_t ridx8 = 0; ridx8 < oidx8; ++ridx8) {
                acc0[ridx8] = fma_f32(alu8, input1_row8[ridx8], acc0[ridx8]);
              }
            }
            for (int64_t ridx9 = 0; ridx9 < oidx8; ++ridx9) {
              acc1[ridx9] += acc0[ridx9];
            }
          }
          for (int64_t ridx10 = 0; ridx10 < oidx8; ++ridx10) {
            acc2[ridx10] += acc1[ridx10];
          }
        }
        for (int64_t ridx11 = 0; ridx11 < oidx8; ++ridx11) {
          acc3[ridx11] += acc2[ridx11];
        }
      }
      float* output0_row = output0 + shape2 * ridx0 + ridx1 * 512;
      for (int64_t ridx12 = 0; ridx12 < oidx8; ++ridx12) {
        output0_row[ridx12] = acc3[ridx12];
      }
    }
  }
}

struct harp_call { harp_range_body kernel; void* arg; };
static void harp_worker(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_call* call = arg;
  const harp_environment found = harp_enter();
  call->kernel(call->arg, begin, end, worker);
  harp_leave(found);
}
static int harp_has_workers(const harp_runtime* rt) { return rt && rt->parallel_for && rt->width > 1; }
/* How many of n iterations are worth handing to another worker: 5 microseconds, of all that take about work / 2 nanoseconds. Sizes are as
   large as 64 bits, and work beyond that counts as none. */
static int64_t harp_grain(int64_t n, int64_t work) { return 1 + 10000 / (n > 0 && work > n ? work / n : 1); }
/* Iterations [0, n) of a kernel. */
static void harp_for(const harp_runtime* rt, int64_t n, int64_t work, harp_range_body kernel, void* arg) {
  if (n <= 0) return;
  const int64_t grain = harp_has_workers(rt) ? harp_grain(n, work) : n;
  if (n > grain) {
    struct harp_call call = {kernel, arg};
    rt->parallel_for(rt->self, (size_t)n, (size_t)grain, harp_worker, &call);
  } else {
    kernel(arg, 0, (size_t)n, 0);
  }
}

static void kernel_main(const float* input0, const float* input1, float* output0, int64_t shape0, int64_t shape1, int64_t shape2, const harp_runtime* rt) {
  {
    struct kernel_0_args args0 = {input0, input1, output0, shape1, shape2};
    harp_for(rt, shape0, shape0 * shape1 * shape2 * 7, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], (int64_t)shape_vars[0], (int64_t)shape_vars[1], (int64_t)shape_vars[2], rt);
  harp_leave(found);
  return 0;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
