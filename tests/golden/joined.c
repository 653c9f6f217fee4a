/* harp · graph "joined" · target x86-64-v4 · stable, law 9 · 2 kernels, 1 generation
   x: f32[n, 4], y: f32[k, 4] -> r: f32[2*n + k, 4]
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

struct kernel_0_args { const float* input0; float* output0; float* output1; int64_t shape0; };

/* generation 0 · elementwise over [n, 4] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  float* output1 = a->output1;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + ridx0 * 4;
    const float* input0_row1 = input0 + shape0 * 4 - ridx0 * 4;
    float* output0_row = output0 + ridx0 * 4;
    float* output1_row = output1 + ridx0 * 4;
    for (int64_t ridx1 = 0; ridx1 < 4; ridx1 += 4) {
      const f32x4 alu0 = *(const f32x4*)(input0_row + ridx1);
      *(f32x4*)(output0_row + ridx1) = *(const f32x4*)(input0_row1 + ridx1 - 4);
      *(f32x4*)(output1_row + ridx1) = alu0;
    }
  }
}

struct kernel_1_args { const float* input0; float* output0; int64_t shape1; };

/* generation 0 · elementwise over [k, 4] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape1 = a->shape1;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape1 * 4, ridx0 * 4096 + 4096);
    if (ridx0 * 4096 + 16 <= oidx0) {
      for (int64_t ridx1 = ridx0 * 4096; ridx1 < oidx0; ridx1 = ridx1 < oidx0 ? oidx0 - 16 : oidx0) { /* the last step overlaps the one before it */
        for (; ridx1 <= oidx0 - 16; ridx1 += 16) {
          *(f32x16*)(output0 + ridx1) = *(const f32x16*)(input0 + ridx1);
        }
      }
    } else {
      for (int64_t ridx2 = ridx0 * 4096; ridx2 < oidx0; ++ridx2) {
        output0[ridx2] = input0[ridx2];
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

static void kernel_main(const float* input0, const float* input1, float* output0, int64_t shape0, int64_t shape1, const harp_runtime* rt, const volatile int32_t* cancel) {
  { /* generation 0 */
    struct kernel_0_args args0 = {input0, output0, output0 + shape0 * 4 + shape1 * 4, shape0};
    struct kernel_1_args args1 = {input1, output0 + shape0 * 4, shape1};
    struct harp_task tasks[] = {
      {kernel_0, &args0, shape0, 1, shape0 * 728, 0, 0},
      {kernel_1, &args1, (shape1 + 1023) / 1024, 1, shape1 * 484, 0, 0},
    };
    harp_run_together(rt, cancel, 2, tasks);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], outputs[0], (int64_t)shape_vars[0], (int64_t)shape_vars[1], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
