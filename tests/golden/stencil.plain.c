/* harp · graph "stencil" · target any, plain text · stable, law 9 · 1 kernel, 1 generation
   u: f32[h, w] -> next: f32[h, w]
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

struct kernel_0_args { const float* input0; float* output0; int64_t shape0; int64_t shape1; };

/* generation 0 · elementwise over [h, w] · elementwise [thread, sequential] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  const int64_t shape1 = a->shape1;
  (void)worker;
  const int64_t oidx0 = 1 % shape1;
  const int64_t oidx1 = 1 % shape0;
  const float* input0_row5 = input0 + shape1;
  const float* input0_row6 = input0 + shape1 - oidx0;
  float* output0_row1 = output0 + shape1;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + shape1 * ridx0;
    const int64_t oidx2 = ridx0 < oidx1 ? shape0 + ridx0 - oidx1 : ridx0 - oidx1;
    const float* input0_row1 = input0 + shape1 * oidx2;
    const int64_t oidx3 = ridx0 + 2 <= shape0 ? ridx0 + 1 : ridx0 - shape0 + 1;
    const float* input0_row2 = input0 + shape1 * oidx3;
    const float* input0_row3 = input0 + shape1 * ridx0 + shape1 - oidx0;
    float* output0_row = output0 + shape1 * ridx0;
    for (int64_t ridx1 = 0; ridx1 < oidx0; ++ridx1) {
      const float alu0 = input0_row[ridx1];
      const float alu1 = input0_row1[ridx1] + input0_row2[ridx1] + input0_row3[ridx1];
      const float alu2 = alu1 + input0_row[ridx1 + 1] - 4.0f * alu0;
      output0_row[ridx1] = alu0 + 0.2f * alu2;
    }
    const float* input0_row4 = input0 + shape1 * ridx0 - oidx0;
    for (int64_t ridx2 = oidx0; ridx2 < shape1 - 1; ++ridx2) {
      const float alu3 = input0_row[ridx2];
      const float alu4 = input0_row1[ridx2] + input0_row2[ridx2] + input0_row4[ridx2];
      const float alu5 = alu4 + input0_row[ridx2 + 1] - 4.0f * alu3;
      output0_row[ridx2] = alu3 + 0.2f * alu5;
    }
    const float alu6 = input0_row5[shape1 * ridx0 - 1];
    const float alu7 = input0_row5[shape1 * oidx2 - 1] + input0_row5[shape1 * oidx3 - 1] + input0_row6[shape1 * ridx0 - 1];
    const float alu8 = alu7 + input0[shape1 * ridx0] - 4.0f * alu6;
    output0_row1[shape1 * ridx0 - 1] = alu6 + 0.2f * alu8;
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

static void kernel_main(const float* input0, float* output0, int64_t shape0, int64_t shape1, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, output0, shape0, shape1};
    if (shape0 * shape1 > 0) harp_for(rt, cancel, shape0, shape0 * shape1 * 2896, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], (int64_t)shape_vars[0], (int64_t)shape_vars[1], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
