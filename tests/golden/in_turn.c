/* harp · graph "in_turn" · target x86-64-v4 · stable, law 9 · 1 kernel, 1 generation
   x: f32[n] -> y: f32[n]
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
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline f32x16 abs_f32x16(f32x16 a) {
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) r[lane] = __builtin_fabsf(a[lane]);
  return r;
}

static inline uint16_t le_f32x16(f32x16 a, f32x16 b) { return __builtin_ia32_cmpps512_mask(a, b, 2, 0xffff, 4); }

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

static inline f32x16 fma_f32x16(f32x16 a, f32x16 b, f32x16 c) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_vfmaddps512_mask)
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
#else
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) r[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  return r;
#endif
}

/* a where the lane's bit is set, else b. */
static inline f32x16 blend_f32x16(uint16_t m, f32x16 a, f32x16 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_512(m, a, b);
#else
  return __builtin_ia32_blendmps_512_mask(b, a, m);
#endif
}

static inline uint16_t ne_i32x16(i32x16 a, i32x16 b) { return __builtin_ia32_cmpd512_mask(a, b, 4, 0xffff); }

static inline i32x16 splat_i32x16(int32_t x) { return (i32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

static inline uint16_t lt_f32x16(f32x16 a, f32x16 b) { return __builtin_ia32_cmpps512_mask(a, b, 1, 0xffff, 4); }

static inline int any_x16(uint16_t m) { return m != 0; }

static inline int32_t bits_i32_f32(float x) {
  union { float from; int32_t to; } u;
  u.from = x;
  return u.to;
}

static const uint32_t two_over_pi[41] = {
    0u, 2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u, 3072618042u, 1112396512u, 105459434u, 164729372u, 4263373596u, 2972297022u, 3900847605u, 784024708u, 3919343654u, 3026157121u, 965858873u, 2203269620u, 2625920907u, 3187222587u, 536385535u, 3724908559u, 4012839307u, 1510632735u, 1832287951u, 667617719u, 1330003814u, 2657085997u, 1965537991u, 3957715323u, 1023883767u, 2320667370u, 1811636145u, 529358088u, 1443049542u, 4235946923u, 4040145952u, 2599695901u};

static inline float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

static inline float tan_far_f32(float x) {
  const _Bool alu0 = x < 0.0f;
  const int32_t alu1 = bits_i32_f32(x) & 2147483647;
  const uint64_t alu2 = (uint64_t)((alu1 & 8388607) | 8388608);
  const int32_t alu3 = (alu1 >> 23) - 120;
  const int32_t alu4 = (alu3 >> 5) & 7;
  const uint64_t alu5 = ((uint64_t)two_over_pi[alu4] << 32ul) | (uint64_t)two_over_pi[alu4 + 1];
  const uint64_t alu6 = (uint64_t)(alu3 & 31);
  const uint64_t alu7 = (uint64_t)two_over_pi[alu4 + 2];
  const uint64_t alu8 = (alu5 << alu6) | (alu7 >> (32ul - alu6));
  const uint64_t alu9 = (alu7 << 32ul) | (uint64_t)two_over_pi[alu4 + 3];
  const uint64_t alu10 = alu2 * alu8 + ((alu2 * ((alu9 << alu6) >> 32ul)) >> 32ul);
  const uint64_t alu11 = (alu10 + 0x2000000000000000ul) >> 62ul;
  const int32_t alu12 = (int32_t)alu11;
  const _Bool alu13 = ((alu0 ? -alu12 : alu12) & 1) != 0;
  const double alu14 = (double)(int64_t)(alu10 - (alu11 << 62ul));
  const double alu15 = alu14 * 3.4061215800865545e-19;
  const double alu16 = alu0 ? -alu15 : alu15;
  const float alu17 = (float)alu16;
  const float alu18 = alu17 * alu17;
  const float alu19 = fma_f32(fma_f32(fma_f32(0.0043699164f, alu18, 0.000103685146f), alu18, 0.010823366f), alu18, 0.02128766f);
  const float alu20 = fma_f32(fma_f32(fma_f32(alu19, alu18, 0.05405867f), alu18, 0.13332677f), alu18, 0.3333335f);
  const float alu21 = (float)(alu16 - (double)alu17) + (x - x);
  const float alu22 = fma_f32(alu17 * fma_f32(alu17, alu17, -alu18), 0.5f, fma_f32(alu21, alu18, alu21));
  const float alu23 = fma_f32(alu17 * alu18, alu20, alu22);
  const float alu24 = alu17 + alu23;
  const float alu25 = -1.0f / alu24;
  const float alu26 = fma_f32(alu25, alu23 - (alu24 - alu17), fma_f32(alu25, alu24, 1.0f));
  return alu13 ? fma_f32(alu25, alu26, alu25) : alu24;
}

static __attribute__((noinline, cold)) f32x16 tan_far_f32_where_x16(uint16_t m, f32x16 r, f32x16 x0) {
  for (int lane = 0; lane < 16; ++lane) if (m >> lane & 1) r[lane] = tan_far_f32(x0[lane]);
  return r;
}

static inline __attribute__((always_inline)) void tan_f32_of_two_x16(f32x16 x0, f32x16 x1, f32x16* r0, f32x16* r1) {
  const f32x16 alu0_0 = abs_f32x16(x0);
  const f32x16 alu0_1 = abs_f32x16(x1);
  const uint16_t alu1_0 = le_f32x16(splat_f32x16(32768.0f), alu0_0);
  const uint16_t alu1_1 = le_f32x16(splat_f32x16(32768.0f), alu0_1);
  const f32x16 alu2_0 = fma_f32x16(x0, splat_f32x16(0.63661975f), splat_f32x16(12582912.0f));
  const f32x16 alu2_1 = fma_f32x16(x1, splat_f32x16(0.63661975f), splat_f32x16(12582912.0f));
  const f32x16 alu3_0 = alu2_0 - 12582912.0f;
  const f32x16 alu3_1 = alu2_1 - 12582912.0f;
  const f32x16 alu4_0 = fma_f32x16(alu3_0, splat_f32x16(-1.5707964f), x0);
  const f32x16 alu4_1 = fma_f32x16(alu3_1, splat_f32x16(-1.5707964f), x1);
  const f32x16 alu5_0 = -(alu3_0 * -4.371139e-08f);
  const f32x16 alu5_1 = -(alu3_1 * -4.371139e-08f);
  const f32x16 alu6_0 = alu4_0 + alu5_0;
  const f32x16 alu6_1 = alu4_1 + alu5_1;
  const f32x16 alu7_0 = alu6_0 * alu6_0;
  const f32x16 alu7_1 = alu6_1 * alu6_1;
  const f32x16 alu8_0 = fma_f32x16(fma_f32x16(fma_f32x16(splat_f32x16(0.0043699164f), alu7_0, splat_f32x16(0.000103685146f)), alu7_0, splat_f32x16(0.010823366f)), alu7_0, splat_f32x16(0.02128766f));
  const f32x16 alu8_1 = fma_f32x16(fma_f32x16(fma_f32x16(splat_f32x16(0.0043699164f), alu7_1, splat_f32x16(0.000103685146f)), alu7_1, splat_f32x16(0.010823366f)), alu7_1, splat_f32x16(0.02128766f));
  const f32x16 alu9_0 = fma_f32x16(fma_f32x16(fma_f32x16(alu8_0, alu7_0, splat_f32x16(0.05405867f)), alu7_0, splat_f32x16(0.13332677f)), alu7_0, splat_f32x16(0.3333335f));
  const f32x16 alu9_1 = fma_f32x16(fma_f32x16(fma_f32x16(alu8_1, alu7_1, splat_f32x16(0.05405867f)), alu7_1, splat_f32x16(0.13332677f)), alu7_1, splat_f32x16(0.3333335f));
  const f32x16 alu10_0 = -(alu6_0 - alu4_0);
  const f32x16 alu10_1 = -(alu6_1 - alu4_1);
  const f32x16 alu11_0 = alu4_0 - (alu6_0 + alu10_0) + (alu5_0 + alu10_0);
  const f32x16 alu11_1 = alu4_1 - (alu6_1 + alu10_1) + (alu5_1 + alu10_1);
  const f32x16 alu12_0 = fma_f32x16(alu3_0, splat_f32x16(1.7151245e-15f), alu11_0 - fma_f32x16(alu3_0, splat_f32x16(-4.371139e-08f), alu5_0));
  const f32x16 alu12_1 = fma_f32x16(alu3_1, splat_f32x16(1.7151245e-15f), alu11_1 - fma_f32x16(alu3_1, splat_f32x16(-4.371139e-08f), alu5_1));
  const f32x16 alu13_0 = fma_f32x16(alu6_0 * fma_f32x16(alu6_0, alu6_0, -alu7_0), splat_f32x16(0.5f), fma_f32x16(alu12_0, alu7_0, alu12_0));
  const f32x16 alu13_1 = fma_f32x16(alu6_1 * fma_f32x16(alu6_1, alu6_1, -alu7_1), splat_f32x16(0.5f), fma_f32x16(alu12_1, alu7_1, alu12_1));
  const f32x16 alu14_0 = fma_f32x16(alu6_0 * alu7_0, alu9_0, alu13_0);
  const f32x16 alu14_1 = fma_f32x16(alu6_1 * alu7_1, alu9_1, alu13_1);
  const f32x16 alu15_0 = alu6_0 + alu14_0;
  const f32x16 alu15_1 = alu6_1 + alu14_1;
  const f32x16 alu16_0 = -1.0f / alu15_0;
  const f32x16 alu16_1 = -1.0f / alu15_1;
  const f32x16 alu17_0 = fma_f32x16(alu16_0, alu14_0 - (alu15_0 - alu6_0), fma_f32x16(alu16_0, alu15_0, splat_f32x16(1.0f)));
  const f32x16 alu17_1 = fma_f32x16(alu16_1, alu14_1 - (alu15_1 - alu6_1), fma_f32x16(alu16_1, alu15_1, splat_f32x16(1.0f)));
  const f32x16 alu18_0 = blend_f32x16(ne_i32x16((i32x16)alu2_0 & 1, splat_i32x16(0)), fma_f32x16(alu16_0, alu17_0, alu16_0), alu15_0);
  const f32x16 alu18_1 = blend_f32x16(ne_i32x16((i32x16)alu2_1 & 1, splat_i32x16(0)), fma_f32x16(alu16_1, alu17_1, alu16_1), alu15_1);
  f32x16 alu19_0 = blend_f32x16(lt_f32x16(alu0_0, splat_f32x16(0.00012207031f)), x0, alu18_0);
  if (__builtin_expect(any_x16(alu1_0), 0)) alu19_0 = tan_far_f32_where_x16(alu1_0, alu19_0, x0);
  f32x16 alu19_1 = blend_f32x16(lt_f32x16(alu0_1, splat_f32x16(0.00012207031f)), x1, alu18_1);
  if (__builtin_expect(any_x16(alu1_1), 0)) alu19_1 = tan_far_f32_where_x16(alu1_1, alu19_1, x1);
  *r0 = alu19_0;
  *r1 = alu19_1;
}

static inline f32x16 tan_f32x16(f32x16 x) {
  const f32x16 alu0 = abs_f32x16(x);
  const uint16_t alu1 = le_f32x16(splat_f32x16(32768.0f), alu0);
  const f32x16 alu2 = fma_f32x16(x, splat_f32x16(0.63661975f), splat_f32x16(12582912.0f));
  const f32x16 alu3 = alu2 - 12582912.0f;
  const f32x16 alu4 = fma_f32x16(alu3, splat_f32x16(-1.5707964f), x);
  const f32x16 alu5 = -(alu3 * -4.371139e-08f);
  const f32x16 alu6 = alu4 + alu5;
  const f32x16 alu7 = alu6 * alu6;
  const f32x16 alu8 = fma_f32x16(fma_f32x16(fma_f32x16(splat_f32x16(0.0043699164f), alu7, splat_f32x16(0.000103685146f)), alu7, splat_f32x16(0.010823366f)), alu7, splat_f32x16(0.02128766f));
  const f32x16 alu9 = fma_f32x16(fma_f32x16(fma_f32x16(alu8, alu7, splat_f32x16(0.05405867f)), alu7, splat_f32x16(0.13332677f)), alu7, splat_f32x16(0.3333335f));
  const f32x16 alu10 = -(alu6 - alu4);
  const f32x16 alu11 = alu4 - (alu6 + alu10) + (alu5 + alu10);
  const f32x16 alu12 = fma_f32x16(alu3, splat_f32x16(1.7151245e-15f), alu11 - fma_f32x16(alu3, splat_f32x16(-4.371139e-08f), alu5));
  const f32x16 alu13 = fma_f32x16(alu6 * fma_f32x16(alu6, alu6, -alu7), splat_f32x16(0.5f), fma_f32x16(alu12, alu7, alu12));
  const f32x16 alu14 = fma_f32x16(alu6 * alu7, alu9, alu13);
  const f32x16 alu15 = alu6 + alu14;
  const f32x16 alu16 = -1.0f / alu15;
  const f32x16 alu17 = fma_f32x16(alu16, alu14 - (alu15 - alu6), fma_f32x16(alu16, alu15, splat_f32x16(1.0f)));
  const f32x16 alu18 = blend_f32x16(ne_i32x16((i32x16)alu2 & 1, splat_i32x16(0)), fma_f32x16(alu16, alu17, alu16), alu15);
  f32x16 alu19 = blend_f32x16(lt_f32x16(alu0, splat_f32x16(0.00012207031f)), x, alu18);
  if (__builtin_expect(any_x16(alu1), 0)) alu19 = tan_far_f32_where_x16(alu1, alu19, x);
  return alu19;
}

/* A mask of the first n lanes: of no lane if n < 0, of all if n is larger than their number. */
static inline uint16_t first_lanes_x16(int64_t n) { return n <= 0 ? 0 : n >= 16 ? 0xffff : (uint16_t)((1u << n) - 1); }

static inline void store_masked_f32x16(float* p, f32x16 x, uint16_t m) {
  if (m != 0) __builtin_ia32_storeups512_mask((void*)p, (f32x16)x, m);
}

static inline f32x16 load_masked_f32x16(const float* p, uint16_t m) {
  if (m == 0) return (f32x16){0}; /* no load: the address may be invalid */
  return (f32x16)__builtin_ia32_loadups512_mask((const void*)p, (f32x16){0}, m);
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

struct kernel_0_args { const float* input0; float* output0; int64_t shape0; };

/* generation 0 · elementwise over [n] · elementwise [thread unroll=2 simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  const int64_t shape0 = a->shape0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const int64_t oidx0 = min_i64(shape0, ridx0 * 4096 + 4096);
    const int64_t oidx1 = oidx0 & 31;
    const int64_t oidx2 = oidx0 & 15;
    if (ridx0 * 4096 + 128 <= oidx0) {
      float kept0[16] __attribute__((aligned(64))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(f32x16*)kept0 = *(const f32x16*)(input0 + ridx0 * 4096);
      const float* kept0_source = input0; /* where a step reads: the last one in kept0 */
      float kept1[16] __attribute__((aligned(64))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
      *(f32x16*)kept1 = *(const f32x16*)(input0 + ridx0 * 4096 + 16);
      const float* kept1_source = input0; /* where a step reads: the last one in kept1 */
      for (int64_t ridx1 = ridx0 * 4096 + oidx1, ridx1_last = oidx0 - 32; ridx1 <= ridx1_last; kept0_source = (const float*)((size_t)kept0 - (size_t)(ridx0 * 4096) * 4), kept1_source = (const float*)((size_t)kept1 - (size_t)(ridx0 * 4096 + 16) * 4), ridx1 = ridx1_last > ridx0 * 4096 && oidx1 > 0 ? ridx0 * 4096 : oidx0, ridx1_last = ridx0 * 4096) { /* the first step overlaps the second and is executed last */
        for (; ridx1 <= ridx1_last; ridx1 += 32) {
          const f32x16 alu0 = *(const f32x16*)(kept0_source + ridx1);
          const f32x16 alu1 = *(const f32x16*)(kept1_source + ridx1 + 16);
          f32x16 alu2, alu3;
          tan_f32_of_two_x16(alu0, alu1, &alu2, &alu3);
          *(f32x16*)(output0 + ridx1) = alu2;
          *(f32x16*)(output0 + ridx1 + 16) = alu3;
        }
      }
    } else {
      if (ridx0 * 4096 + 16 <= oidx0) {
        float kept2[16] __attribute__((aligned(64))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
        *(f32x16*)kept2 = *(const f32x16*)(input0 + ridx0 * 4096);
        const float* kept2_source = input0; /* where a step reads: the last one in kept2 */
        for (int64_t ridx2 = ridx0 * 4096 + oidx2, ridx2_last = oidx0 - 16; ridx2 <= ridx2_last; kept2_source = (const float*)((size_t)kept2 - (size_t)(ridx0 * 4096) * 4), ridx2 = ridx2_last > ridx0 * 4096 && oidx2 > 0 ? ridx0 * 4096 : oidx0, ridx2_last = ridx0 * 4096) { /* the first step overlaps the second and is executed last */
          for (; ridx2 <= ridx2_last; ridx2 += 16) {
            *(f32x16*)(output0 + ridx2) = tan_f32x16(*(const f32x16*)(kept2_source + ridx2));
          }
        }
      } else {
        const uint16_t alu4 = first_lanes_x16(oidx0 - ridx0 * 4096);
        store_masked_f32x16(output0 + ridx0 * 4096, tan_f32x16(load_masked_f32x16(input0 + ridx0 * 4096, alu4)), alu4);
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

static void kernel_main(const float* input0, float* output0, int64_t shape0, const harp_runtime* rt, const volatile int32_t* cancel) {
  {
    struct kernel_0_args args0 = {input0, output0, shape0};
    harp_for(rt, cancel, (shape0 + 4095) / 4096, shape0 * 621, kernel_0, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], outputs[0], (int64_t)shape_vars[0], rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
