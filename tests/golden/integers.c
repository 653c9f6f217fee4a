/* harp · graph "integers" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   a: i32[n], b: i32[n], x: f64[n] -> s: i32[n]
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

typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int64_t i64x8 __attribute__((vector_size(64), aligned(8), may_alias));

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline uint8_t eq_i32x8(i32x8 a, i32x8 b) { return __builtin_ia32_cmpd256_mask(a, b, 0, 0xff); }

static inline i32x8 splat_i32x8(int32_t x) { return (i32x8){x, x, x, x, x, x, x, x}; }

/* a where the lane's bit is set, else b. */
static inline i32x8 blend_i32x8(uint8_t m, i32x8 a, i32x8 b) {
#if defined(__clang__)
  return (i32x8)__builtin_ia32_selectps_256(m, (f32x8)a, (f32x8)b);
#else
  return (i32x8)__builtin_ia32_blendmps_256_mask((f32x8)b, (f32x8)a, m);
#endif
}

static inline uint8_t ne_i32x8(i32x8 a, i32x8 b) { return __builtin_ia32_cmpd256_mask(a, b, 4, 0xff); }

static inline uint8_t lt_i32x8(i32x8 a, i32x8 b) { return __builtin_ia32_cmpd256_mask(a, b, 1, 0xff); }

static inline i32x8 floor_divide_i32x8(i32x8 x, i32x8 y) {
  const uint8_t alu0 = eq_i32x8(y, splat_i32x8(0));
  const i32x8 alu1 = blend_i32x8(alu0 | (eq_i32x8(y, splat_i32x8(-1)) & eq_i32x8(x, splat_i32x8(-2147483647 - 1))), splat_i32x8(1), y);
  const i32x8 alu2 = x / alu1;
  const i32x8 alu3 = x - alu2 * alu1;
  const i32x8 alu4 = blend_i32x8(ne_i32x8(alu3, splat_i32x8(0)) & lt_i32x8(alu3 ^ alu1, splat_i32x8(0)), alu2 - 1, alu2);
  return blend_i32x8(alu0, splat_i32x8(0), alu4);
}

static inline i32x8 remainder_i32x8(i32x8 x, i32x8 y) {
  const uint8_t alu0 = eq_i32x8(y, splat_i32x8(0)) | (eq_i32x8(y, splat_i32x8(-1)) & eq_i32x8(x, splat_i32x8(-2147483647 - 1)));
  const i32x8 alu1 = blend_i32x8(alu0, splat_i32x8(0), x % blend_i32x8(alu0, splat_i32x8(1), y));
  return blend_i32x8(ne_i32x8(alu1, splat_i32x8(0)) & lt_i32x8(alu1 ^ y, splat_i32x8(0)), alu1 + y, alu1);
}

static inline i32x8 left_shift_i32x8(i32x8 a, i32x8 b) {
  i32x8 r = {0};
  for (int lane = 0; lane < 8; ++lane) r[lane] = (int32_t)((uint32_t)a[lane] << (b[lane] & 31));
  return r;
}

static inline f64x8 select_f64x8(i64x8 m, f64x8 a, f64x8 b) { return (f64x8)((m & (i64x8)a) | (~m & (i64x8)b)); }

static inline f64x8 splat_f64x8(double x) { return (f64x8){x, x, x, x, x, x, x, x}; }

/* a where the lane's bit is set, else b. */
static inline f64x8 blend_f64x8(uint8_t m, f64x8 a, f64x8 b) {
#if defined(__clang__)
  return __builtin_ia32_selectpd_512(m, a, b);
#else
  return __builtin_ia32_blendmpd_512_mask(b, a, m);
#endif
}

static inline uint8_t lt_f64x8(f64x8 a, f64x8 b) { return __builtin_ia32_cmppd512_mask(a, b, 1, 0xff, 4); }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f64x8 greater_f64x8(f64x8 x, f64x8 y) {
#if defined(__clang__)
  return blend_f64x8(lt_f64x8(y, x), x, y);
#else
  return __builtin_ia32_maxpd512_mask(x, y, x, 0xff, 4);
#endif
}

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f64x8 lesser_f64x8(f64x8 x, f64x8 y) {
#if defined(__clang__)
  return blend_f64x8(lt_f64x8(x, y), x, y);
#else
  return __builtin_ia32_minpd512_mask(x, y, x, 0xff, 4);
#endif
}

/* Truncates and saturates; NaN gives 0. */
static inline i32x8 to_i32_f64x8(f64x8 x) {
  x = select_f64x8(x == x, x, splat_f64x8(0.0));
  const f64x8 above = greater_f64x8(x, splat_f64x8(-2147483648.0)), inside = lesser_f64x8(above, splat_f64x8(2147483647.0));
  return __builtin_convertvector(inside, i32x8);
}

/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */
static inline uint8_t first_lanes_x8(int64_t n) { return n <= 0 ? 0 : n >= 8 ? 0xff : (uint8_t)((1u << n) - 1); }

static inline i32x8 load_masked_i32x8(const int32_t* p, uint8_t m) {
  if (m == 0) return (i32x8){0}; /* no load: the address may be invalid */
  return (i32x8)__builtin_ia32_loaddqusi256_mask((const void*)p, (i32x8){0}, m);
}

static inline void store_masked_i32x8(int32_t* p, i32x8 x, uint8_t m) {
  if (m != 0) __builtin_ia32_storedqusi256_mask((void*)p, (i32x8)x, m);
}

static inline f64x8 load_masked_f64x8(const double* p, uint8_t m) {
  if (m == 0) return (f64x8){0}; /* no load: the address may be invalid */
  return (f64x8)__builtin_ia32_loadupd512_mask((const void*)p, (f64x8){0}, m);
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

struct kernel_0_args { const int32_t* input0; const int32_t* input1; const double* input2; int32_t* output0; int64_t shape0; };

/* generation 0 · elementwise over [n] · elementwise [thread simd=8] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const int32_t* input0 = a->input0;
  const int32_t* input1 = a->input1;
  const double* input2 = a->input2;
  int32_t* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0, ridx0 * 4096 + 4096);
    const int64_t oidx1 = oidx0 & 7;
    if (ridx0 * 4096 + 8 <= oidx0) {
      int32_t kept0[8] __attribute__((aligned(32))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(i32x8*)kept0 = *(const i32x8*)(input0 + ridx0 * 4096);
      const int32_t* kept0_source = input0; /* where a step reads: the last one in kept0 */
      int32_t kept1[8] __attribute__((aligned(32))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(i32x8*)kept1 = *(const i32x8*)(input1 + ridx0 * 4096);
      const int32_t* kept1_source = input1; /* where a step reads: the last one in kept1 */
      for (int64_t ridx1 = ridx0 * 4096 + oidx1, ridx1_last = oidx0 - 8; ridx1 <= ridx1_last; kept0_source = (const int32_t*)((size_t)kept0 - (size_t)(ridx0 * 4096) * 4), kept1_source = (const int32_t*)((size_t)kept1 - (size_t)(ridx0 * 4096) * 4), ridx1 = ridx1_last > ridx0 * 4096 && oidx1 > 0 ? ridx0 * 4096 : oidx0, ridx1_last = ridx0 * 4096) { /* the first step overlaps the second and is executed last */
        for (; ridx1 <= ridx1_last; ridx1 += 8) {
          const i32x8 alu0 = *(const i32x8*)(kept0_source + ridx1);
          const i32x8 alu1 = *(const i32x8*)(kept1_source + ridx1);
          const i32x8 alu2 = floor_divide_i32x8(alu0, alu1);
          *(i32x8*)(output0 + ridx1) = blend_i32x8(lt_i32x8(alu2, remainder_i32x8(alu0, alu1)), left_shift_i32x8(alu0, alu1), alu2 + to_i32_f64x8(*(const f64x8*)(input2 + ridx1)));
        }
      }
    } else {
      const uint8_t alu3 = first_lanes_x8(oidx0 - ridx0 * 4096);
      const i32x8 alu4 = load_masked_i32x8(input0 + ridx0 * 4096, alu3);
      const i32x8 alu5 = load_masked_i32x8(input1 + ridx0 * 4096, alu3);
      const i32x8 alu6 = floor_divide_i32x8(alu4, alu5);
      store_masked_i32x8(output0 + ridx0 * 4096, blend_i32x8(lt_i32x8(alu6, remainder_i32x8(alu4, alu5)), left_shift_i32x8(alu4, alu5), alu6 + to_i32_f64x8(load_masked_f64x8(input2 + ridx0 * 4096, alu3))), alu3);
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

static void kernel_main(const int32_t* input0, const int32_t* input1, const double* input2, int32_t* output0, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, input1, input2, output0, shape0};
    harp_for(rt, cancel, (shape0 + 4095) / 4096, shape0 * 1665, kernel_0, &args0);
  }
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
