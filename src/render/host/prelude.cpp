#include "render/host/prelude.h"

#include "base/error.h"

namespace harp::render {

const std::string_view kRuntimeText = R"(typedef __SIZE_TYPE__ size_t;
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
)";

// On x86, harp_enter and harp_leave write MXCSR only if its mode bits (the bits above its flags) differ from the default. A write would
// wait for pending operations. So would a read, therefore harp_leave uses the value that harp_enter has read. harp_leave also restores
// MXCSR if the invalid flag was set on entry, because a Retry block clears that flag. The text is assembly, because equivalent C code would
// take 4 % of the time in which gcc compiles a small kernel. On ARM, the mode bits of FPCR are: rounding mode, flush to zero, default NaN,
// and alternative half precision.
const std::string_view kEnvironmentText =
    R"(/* Kernels need the default floating-point environment: round to nearest, no flush to zero. harp_enter sets it and returns what it has to
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
)";

std::string workers_text(int64_t share) {
  return cat(
      "static int harp_has_workers(const harp_runtime* rt) { return rt && rt->parallel_for && rt->width > 1; }\n"
      "static const int64_t harp_share = ",
      share, "; /* the least work that pays for another worker, in picoseconds */\n");
}

std::string native_failed_text(size_t natives) {
  return cat("static int32_t harp_native_failed(const harp_runtime* rt, int32_t call, int32_t status) {\n  int32_t* failure = rt->natives[",
             natives, "];\n  failure[0] = call;\n  failure[1] = status;\n  return ", static_cast<int>(Code::kNative), ";\n}\n\n");
}

const std::string_view kPiecesText =
    R"(struct harp_pieces { harp_range_body kernel; void* arg; const volatile int32_t* cancel; size_t piece; };
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
)";

const std::string_view kForText = R"(static void harp_worker(void* arg, size_t begin, size_t end, size_t worker) {
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
)";

const std::string_view kChainText = R"(struct harp_call { harp_range_body kernel; void* arg; };
struct harp_chain { const struct harp_call* calls; size_t count; };
/* Runs all kernels of a chain on one block, then on the next block. A kernel thus finds in the cache what the kernel before it stored. */
static void harp_run_chain(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_chain* chain = arg;
  for (size_t block = begin; block < end; ++block)
    for (const struct harp_call* call = chain->calls; call < chain->calls + chain->count; ++call)
      if (call->kernel) call->kernel(call->arg, block, block + 1, worker);
}
)";

const std::string_view kForLeastText = R"(struct harp_portions { struct harp_pieces pieces; int64_t each, more; };
static void harp_run_portions(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_portions* all = arg;
  const int64_t from = (int64_t)begin, to = (int64_t)end; /* the first `more` portions have one iteration more than the others */
  const int64_t first = from * all->each + (from < all->more ? from : all->more), last = to * all->each + (to < all->more ? to : all->more);
  const harp_environment found = harp_enter();
  harp_run_pieces(&all->pieces, (size_t)first, (size_t)last, worker);
  harp_leave(found);
}
/* Runs iterations [0, n) of a kernel that copies data at the start of each call. The copy pays off from `least` iterations on, and costs next
   to nothing from four times as many on. */
static void harp_for_least(const harp_runtime* rt, const volatile int32_t* cancel, int64_t n, int64_t least, int64_t work, harp_range_body kernel, void* arg) {
  if (n <= 0) return;
  const struct harp_pieces pieces = {kernel, arg, cancel, harp_piece(n, work, least)};
  const int64_t width = harp_has_workers(rt) ? (int64_t)rt->width : 1, most = n / least, large = most / 4;
  const int64_t portions = large > width ? large - large % width : most > width ? width : most;
  if (width > 1 && portions > 1 && work / portions >= harp_share) {
    struct harp_portions all = {pieces, n / portions, n % portions};
    rt->parallel_for(rt->self, (size_t)portions, 1, harp_run_portions, &all);
  } else {
    harp_run_pieces(&pieces, 0, (size_t)n, 0);
  }
}
)";

// The functions that distribute work have attributes that keep gcc from inlining them and from optimising them much. Without these
// attributes, compiling them takes an eighth of the compile time of sixteen small kernels. harp_run_together is not marked cold, because
// gcc would then treat kernel_main, and the kernels that it calls, as cold too.
const std::string_view kTogetherText = R"(struct harp_task { harp_range_body kernel; void* arg; int64_t n, least, work, portions, shares; };
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
)";

const std::string_view kFaultText =
    R"(/* Each worker records the first index out of range that it finds, at the end of its scratch memory; site -1: none. The records are `stride`
   bytes apart. */
static void harp_clear_faults(const harp_runtime* rt, char* faults, int64_t stride) {
  for (size_t worker = 0; worker == 0 || (rt && worker < rt->width); ++worker) ((harp_fault*)(faults + (int64_t)worker * stride))->site = -1;
}
static int32_t harp_first_fault(const harp_runtime* rt, const char* faults, int64_t stride) {
  const harp_fault* first = (const harp_fault*)faults;
  for (size_t worker = 1; rt && worker < rt->width; ++worker) {
    const harp_fault* next = (const harp_fault*)(faults + (int64_t)worker * stride);
    const int is_before = next->site < first->site || (next->site == first->site && next->element < first->element);
    if (next->site >= 0 && (first->site < 0 || is_before)) first = next;
  }
  if (first->site < 0) return 0;
  if (rt && rt->struct_size > __builtin_offsetof(harp_runtime, fault) && rt->fault && rt->fault->struct_size >= sizeof *first) {
    rt->fault->site = first->site;
    rt->fault->element = first->element;
    rt->fault->index = first->index;
    rt->fault->size = first->size;
  }
  return 4; /* an index is out of range */
}
)";

const std::string_view kWorkspaceText = R"(void* malloc(size_t size);
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
)";

}  // namespace harp::render
