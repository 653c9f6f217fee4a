/* harp · graph "padded_difference" · target x86-64-v4 · stable, law 1 · 1 kernel, 1 generation
   x: f32[n] -> d: f32[n] */
/* gcc bug 114375: permuted masked loads are vectorised wrongly, so loops with branches stay as they are. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
#pragma GCC optimize("no-tree-loop-if-convert")
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
} harp_runtime;

/* Vectors are passed between functions of this file only, so that no ABI is involved. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

static inline i32x16 ramp_i32x16(int32_t first, int32_t step) { return (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * step + first; }

/* Lanes where first + lane * step >= 0. */
static inline i32x16 in_range_i32x16(int64_t first, int32_t step) {
  const int32_t near = first < -0x40000000 ? -0x40000000 : first > 0x40000000 ? 0x40000000 : (int32_t)first;
  return ramp_i32x16(near, step) >= 0;
}

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline f32x16 load_masked_f32x16(const float* p, i32x16 m) {
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) if (m[lane]) r[lane] = p[lane];
  return r;
}

static inline f32x16 select_f32x16(i32x16 m, f32x16 a, f32x16 b) { return (f32x16)((m & (i32x16)a) | (~m & (i32x16)b)); }

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

struct kernel_0_args { const float* input0; float* output0; int64_t shape0; };

/* generation 0 · elementwise over [n] · elementwise [thread simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0, ridx0 * 4096 + 4096);
    const int64_t oidx1 = min_i64(oidx0, 1);
    const int64_t oidx2 = max_i64(ridx0 * 4096, oidx1);
    const int64_t oidx3 = min_i64(oidx2, 1);
    const int64_t oidx4 = max_i64(ridx0 * 4096, oidx3);
    const int64_t oidx5 = min_i64(oidx4, 1);
    const int64_t oidx6 = max_i64(ridx0 * 4096, oidx5);
    const int64_t oidx7 = min_i64(oidx6, 1);
    const int64_t oidx8 = max_i64(ridx0 * 4096, oidx7);
    const int64_t oidx9 = min_i64(oidx8, 1);
    const int64_t oidx10 = max_i64(ridx0 * 4096, oidx9);
    if (ridx0 * 4096 + 16 <= oidx10) {
      for (int64_t ridx1 = ridx0 * 4096; ridx1 < oidx10; ridx1 = ridx1 < oidx10 ? oidx10 - 16 : oidx10) /* the last step overlaps the one before */
      for (; ridx1 <= oidx10 - 16; ridx1 += 16) {
        const i32x16 alu0 = in_range_i32x16(ridx1 - 1, 1);
        const i32x16 alu1 = in_range_i32x16(shape0 - ridx1 - 2, -1);
        *(f32x16*)(output0 + ridx1) = select_f32x16(alu1, load_masked_f32x16(input0 + ridx1 + 1, alu1), splat_f32x16(0.0f)) - select_f32x16(alu0, load_masked_f32x16(input0 + ridx1 - 1, alu0), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx2 = ridx0 * 4096; ridx2 < oidx10; ++ridx2) {
        const _Bool alu2 = ridx2 > 0;
        const _Bool alu3 = ridx2 + 2 <= shape0;
        output0[ridx2] = (alu3 ? (alu3 ? input0[ridx2 + 1] : 0.0f) : 0.0f) - (alu2 ? (alu2 ? input0[ridx2 - 1] : 0.0f) : 0.0f);
      }
    }
    if (oidx10 + 16 <= oidx8) {
      for (int64_t ridx3 = oidx10; ridx3 < oidx8; ridx3 = ridx3 < oidx8 ? oidx8 - 16 : oidx8) /* the last step overlaps the one before */
      for (; ridx3 <= oidx8 - 16; ridx3 += 16) {
        const i32x16 alu4 = in_range_i32x16(ridx3 - 1, 1);
        const i32x16 alu5 = in_range_i32x16(shape0 - ridx3 - 2, -1);
        *(f32x16*)(output0 + ridx3) = select_f32x16(alu5, load_masked_f32x16(input0 + ridx3 + 1, alu5), splat_f32x16(0.0f)) - select_f32x16(alu4, load_masked_f32x16(input0 + ridx3 - 1, alu4), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx4 = oidx10; ridx4 < oidx8; ++ridx4) {
        const _Bool alu6 = ridx4 > 0;
        const _Bool alu7 = ridx4 + 2 <= shape0;
        output0[ridx4] = (alu7 ? (alu7 ? input0[ridx4 + 1] : 0.0f) : 0.0f) - (alu6 ? (alu6 ? input0[ridx4 - 1] : 0.0f) : 0.0f);
      }
    }
    if (oidx8 + 16 <= oidx6) {
      for (int64_t ridx5 = oidx8; ridx5 < oidx6; ridx5 = ridx5 < oidx6 ? oidx6 - 16 : oidx6) /* the last step overlaps the one before */
      for (; ridx5 <= oidx6 - 16; ridx5 += 16) {
        const i32x16 alu8 = in_range_i32x16(ridx5 - 1, 1);
        const i32x16 alu9 = in_range_i32x16(shape0 - ridx5 - 2, -1);
        *(f32x16*)(output0 + ridx5) = select_f32x16(alu9, load_masked_f32x16(input0 + ridx5 + 1, alu9), splat_f32x16(0.0f)) - select_f32x16(alu8, load_masked_f32x16(input0 + ridx5 - 1, alu8), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx6 = oidx8; ridx6 < oidx6; ++ridx6) {
        const _Bool alu10 = ridx6 > 0;
        const _Bool alu11 = ridx6 + 2 <= shape0;
        output0[ridx6] = (alu11 ? (alu11 ? input0[ridx6 + 1] : 0.0f) : 0.0f) - (alu10 ? (alu10 ? input0[ridx6 - 1] : 0.0f) : 0.0f);
      }
    }
    if (oidx6 + 16 <= oidx4) {
      for (int64_t ridx7 = oidx6; ridx7 < oidx4; ridx7 = ridx7 < oidx4 ? oidx4 - 16 : oidx4) /* the last step overlaps the one before */
      for (; ridx7 <= oidx4 - 16; ridx7 += 16) {
        const i32x16 alu12 = in_range_i32x16(ridx7 - 1, 1);
        const i32x16 alu13 = in_range_i32x16(shape0 - ridx7 - 2, -1);
        *(f32x16*)(output0 + ridx7) = select_f32x16(alu13, load_masked_f32x16(input0 + ridx7 + 1, alu13), splat_f32x16(0.0f)) - select_f32x16(alu12, load_masked_f32x16(input0 + ridx7 - 1, alu12), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx8 = oidx6; ridx8 < oidx4; ++ridx8) {
        const _Bool alu14 = ridx8 > 0;
        const _Bool alu15 = ridx8 + 2 <= shape0;
        output0[ridx8] = (alu15 ? (alu15 ? input0[ridx8 + 1] : 0.0f) : 0.0f) - (alu14 ? (alu14 ? input0[ridx8 - 1] : 0.0f) : 0.0f);
      }
    }
    if (oidx4 + 16 <= oidx2) {
      for (int64_t ridx9 = oidx4; ridx9 < oidx2; ridx9 = ridx9 < oidx2 ? oidx2 - 16 : oidx2) /* the last step overlaps the one before */
      for (; ridx9 <= oidx2 - 16; ridx9 += 16) {
        const i32x16 alu16 = in_range_i32x16(ridx9 - 1, 1);
        const i32x16 alu17 = in_range_i32x16(shape0 - ridx9 - 2, -1);
        *(f32x16*)(output0 + ridx9) = select_f32x16(alu17, load_masked_f32x16(input0 + ridx9 + 1, alu17), splat_f32x16(0.0f)) - select_f32x16(alu16, load_masked_f32x16(input0 + ridx9 - 1, alu16), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx10 = oidx4; ridx10 < oidx2; ++ridx10) {
        const _Bool alu18 = ridx10 > 0;
        const _Bool alu19 = ridx10 + 2 <= shape0;
        output0[ridx10] = (alu19 ? (alu19 ? input0[ridx10 + 1] : 0.0f) : 0.0f) - (alu18 ? (alu18 ? input0[ridx10 - 1] : 0.0f) : 0.0f);
      }
    }
    if (oidx2 + 16 <= oidx0) {
      for (int64_t ridx11 = oidx2; ridx11 < oidx0; ridx11 = ridx11 < oidx0 ? oidx0 - 16 : oidx0) /* the last step overlaps the one before */
      for (; ridx11 <= oidx0 - 16; ridx11 += 16) {
        const i32x16 alu20 = in_range_i32x16(ridx11 - 1, 1);
        const i32x16 alu21 = in_range_i32x16(shape0 - ridx11 - 2, -1);
        *(f32x16*)(output0 + ridx11) = select_f32x16(alu21, load_masked_f32x16(input0 + ridx11 + 1, alu21), splat_f32x16(0.0f)) - select_f32x16(alu20, load_masked_f32x16(input0 + ridx11 - 1, alu20), splat_f32x16(0.0f));
      }
    } else {
      for (int64_t ridx12 = oidx2; ridx12 < oidx0; ++ridx12) {
        const _Bool alu22 = ridx12 > 0;
        const _Bool alu23 = ridx12 + 2 <= shape0;
        output0[ridx12] = (alu23 ? (alu23 ? input0[ridx12 + 1] : 0.0f) : 0.0f) - (alu22 ? (alu22 ? input0[ridx12 - 1] : 0.0f) : 0.0f);
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
/* Iterations [0, n) of a kernel; `grain` of them are worth handing to another worker. */
static void harp_for(const harp_runtime* rt, int64_t n, int64_t grain, harp_range_body kernel, void* arg) {
  if (n <= 0) return;
  if (rt && rt->parallel_for && rt->width > 1 && n > grain) {
    struct harp_call call = {kernel, arg};
    rt->parallel_for(rt->self, (size_t)n, (size_t)grain, harp_worker, &call);
  } else {
    kernel(arg, 0, (size_t)n, 0);
  }
}

static void kernel_main(const float* input0, float* output0, int64_t shape0, const harp_runtime* rt) {
  {
    struct kernel_0_args args0 = {input0, output0, shape0};
    harp_for(rt, (shape0 + 4095) / 4096, 3, kernel_0, &args0);
  }
}

__attribute__((visibility("default"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], (int64_t)shape_vars[0], rt);
  harp_leave(found);
  return 0;
}

__attribute__((visibility("default"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
