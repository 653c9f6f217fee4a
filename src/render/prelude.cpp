#include "render/prelude.h"

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
} harp_runtime;
)";

// Bits 0 to 5 of MXCSR are flags, not settings. FPCR: rounding mode, flush to zero, default NaN, alternative half precision.
const std::string_view kEnvironmentText =
    R"(/* Kernels compute in the default floating-point environment: no flush to zero, round to nearest. */
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
)";

const std::string_view kForText = R"(struct harp_call { harp_range_body kernel; void* arg; };
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
)";

const std::string_view kTogetherText = R"(struct harp_task { harp_range_body kernel; void* arg; int64_t n, work; };
static int harp_is_small(const struct harp_task* task) { return task->n <= harp_grain(task->n, task->work); }
static void harp_small_tasks(void* arg, size_t begin, size_t end, size_t worker) {
  const struct harp_task* tasks = arg;
  const harp_environment found = harp_enter();
  for (size_t i = begin; i < end; ++i)
    if (tasks[i].n > 0 && harp_is_small(tasks + i)) tasks[i].kernel(tasks[i].arg, 0, (size_t)tasks[i].n, worker);
  harp_leave(found);
}
/* Kernels that do not depend on each other: those worth it are spread over the workers, the small ones run side by side. */
static void harp_run_together(const harp_runtime* rt, size_t count, struct harp_task* tasks) {
  double small = 0.0; /* work of the small ones, in grains */
  if (!harp_has_workers(rt)) {
    for (size_t i = 0; i < count; ++i) harp_for(rt, tasks[i].n, tasks[i].work, tasks[i].kernel, tasks[i].arg);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!harp_is_small(tasks + i)) harp_for(rt, tasks[i].n, tasks[i].work, tasks[i].kernel, tasks[i].arg);
    else if (tasks[i].n > 0) small += (double)tasks[i].n / (double)harp_grain(tasks[i].n, tasks[i].work);
  }
  if (small > 1.0) rt->parallel_for(rt->self, count, 1, harp_small_tasks, tasks);
  else harp_small_tasks(tasks, 0, count, 0);
}
)";

const std::string_view kFaultText = R"(/* Each worker keeps the first fault it finds, at the end of its scratch memory; site -1: none. */
static void harp_clear_faults(const harp_runtime* rt, char* faults, int64_t apart) {
  for (size_t worker = 0; worker == 0 || (rt && worker < rt->width); ++worker) ((harp_fault*)(faults + (int64_t)worker * apart))->site = -1;
}
static int32_t harp_first_fault(const harp_runtime* rt, const char* faults, int64_t apart) {
  const harp_fault* first = (const harp_fault*)faults;
  for (size_t worker = 1; rt && worker < rt->width; ++worker) {
    const harp_fault* next = (const harp_fault*)(faults + (int64_t)worker * apart);
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
  return 4; /* a number that names no element */
}
)";

const std::string_view kWorkspaceText = R"(void* malloc(size_t size);
void free(void* memory);
/* `*own` is what harp_release takes. 0: no memory, or none needed. */
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
