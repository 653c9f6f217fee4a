/* harp · graph "embedding_gradient" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   table: f32[1000, 256], words: i32[n], g: f32[n, 256] -> dtable: f32[1000, 256]
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

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static __attribute__((noinline, cold)) int32_t clamp_any_index_i32(int32_t x, int32_t y) {
  const int32_t alu0 = x < 0 ? x + y : x;
  const int32_t alu1 = alu0 < 0 ? 0 : alu0;
  return alu1 < y ? alu1 : y - 1;
}
static inline int32_t clamp_index_i32(int32_t x, int32_t y) {
  return __builtin_expect((uint32_t)x < (uint32_t)y, 1) ? x : clamp_any_index_i32(x, y);
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

/* generation 0 · scatter over [1000, 256] · scatter_add of [n, 256] to [1000, 256] axis 0 · scatter [scatter, sequential simd=16] overlap */
static __attribute__((noinline)) void kernel_0(float* output0, const float* input0, const int32_t* input1, int64_t shape0, const volatile int32_t* cancel) {
  for (int64_t ridx0 = 0; ridx0 < 256000; ridx0 += 16) {
    *(f32x16*)(output0 + ridx0) = splat_f32x16(0.0f);
  }
  for (int64_t ridx1 = 0, ridx1_end = shape0 > 1024 ? 1024 : shape0;;) {
    for (; ridx1 < ridx1_end; ++ridx1) {
      const float* input0_row = input0 + ridx1 * 256;
      const int32_t alu0 = clamp_index_i32(input1[ridx1], 1000);
      for (int64_t ridx2 = 0; ridx2 < 256; ridx2 += 16) {
        *(f32x16*)(output0 + (int64_t)alu0 * 256 + ridx2) += *(const f32x16*)(input0_row + ridx2);
      }
    }
    if (ridx1 >= shape0) break;
    if (harp_is_set(cancel)) return;
    ridx1_end = shape0 - ridx1 > 1024 ? ridx1 + 1024 : shape0;
  }
}

static void kernel_main(const float* input0, const int32_t* input1, const float* input2, float* output0, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  (void)input0;
  (void)rt;
  kernel_0(output0, input2, input1, shape0, cancel);
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], inputs[2], outputs[0], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
