/* harp · graph "in_place" · target x86-64-v4 · stable, law 9 · 5 kernels, 4 generations
   x: f32[n, 40], z: f32[n, 40], b: f32[40] -> y: f32[n, 40], q: f32[n, 40]
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

#pragma GCC diagnostic ignored "-Wunused-function" /* a scalar definition is unused where an instruction replaces it */
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), aligned(4), may_alias));

/* a where the lane's bit is set, else b. */
static inline f32x16 blend_f32x16(uint16_t m, f32x16 a, f32x16 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_512(m, a, b);
#else
  return __builtin_ia32_blendmps_512_mask(b, a, m);
#endif
}

static inline uint16_t lt_f32x16(f32x16 a, f32x16 b) { return __builtin_ia32_cmpps512_mask(a, b, 1, 0xffff, 4); }

/* x where x < y, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 lesser_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(x, y), x, y);
#else
  return __builtin_ia32_minps512_mask(x, y, x, 0xffff, 4);
#endif
}

static inline f32x16 splat_f32x16(float x) { return (f32x16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* A constant in a register. Without this, gcc loads it from memory at each use. */
static inline __attribute__((always_inline)) f32x16 held_f32x16(float x) {
  f32x16 c = splat_f32x16(x);
#if !defined(__clang__)
  __asm__("" : "+v"(c));
#endif
  return c;
}

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x16 greater_f32x16(f32x16 x, f32x16 y) {
#if defined(__clang__)
  return blend_f32x16(lt_f32x16(y, x), x, y);
#else
  return __builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4);
#endif
}

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

static inline __attribute__((always_inline)) f32x16 scale_f32x16(f32x16 x, f32x16 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_scalefps512_mask)
  return __builtin_ia32_scalefps512_mask(x, y - 12582912.0f, x, 0xffff, 4);
#else
  const i32x16 alu0 = (i32x16)y - 1262485504;
  const i32x16 alu1 = alu0 >> 1;
  const f32x16 alu2 = (f32x16)((alu0 - alu1 + 127) << 23);
  return x * (f32x16)((alu1 + 127) << 23) * alu2;
#endif
}

static inline __attribute__((always_inline)) f32x16 exp_f32x16(f32x16 x) {
  const f32x16 alu0 = lesser_f32x16(held_f32x16(89.0f), x);
  const f32x16 alu1 = greater_f32x16(held_f32x16(-104.0f), alu0);
  const f32x16 alu2 = fma_f32x16(alu1, held_f32x16(1.442695f), held_f32x16(12582912.0f));
  const f32x16 alu3 = alu2 - 12582912.0f;
  const f32x16 alu4 = fma_f32x16(alu3, held_f32x16(-0.69314575f), alu1);
  const f32x16 alu5 = alu3 * held_f32x16(-1.4286068e-06f);
  const f32x16 alu6 = alu4 + alu5;
  const f32x16 alu7 = fma_f32x16(fma_f32x16(fma_f32x16(held_f32x16(0.001391077f), alu6, held_f32x16(0.008363099f)), alu6, held_f32x16(0.04166671f)), alu6, held_f32x16(0.16666578f));
  const f32x16 alu8 = fma_f32x16(alu6 * alu6, fma_f32x16(alu7, alu6, held_f32x16(0.5f)), alu5);
  return scale_f32x16(held_f32x16(1.0f) + (alu4 + alu8), alu2);
}

static inline f32x16 load_masked_f32x16(const float* p, uint16_t m) {
  if (m == 0) return (f32x16){0}; /* no load: the address may be invalid */
  return (f32x16)__builtin_ia32_loadups512_mask((const void*)p, (f32x16){0}, m);
}

/* Combines element i with element i + half, then repeats this on the first half. */
static inline float fold_add_4_f32x16(const f32x16* s) {
  const f32x16 a0 = s[0] + s[2];
  const f32x16 a1 = s[1] + s[3];
  const f32x16 b0 = a0 + a1;
  const f32x8 c0 = __builtin_shufflevector(b0, b0, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(b0, b0, 8, 9, 10, 11, 12, 13, 14, 15);
  const f32x4 d0 = __builtin_shufflevector(c0, c0, 0, 1, 2, 3) + __builtin_shufflevector(c0, c0, 4, 5, 6, 7);
  return (d0[0] + d0[2]) + (d0[1] + d0[3]);
}

static inline void store_masked_f32x16(float* p, f32x16 x, uint16_t m) {
  if (m != 0) __builtin_ia32_storeups512_mask((void*)p, (f32x16)x, m);
}

/* harp_clear_invalid clears the flag that invalid operations set; harp_met_invalid tests it. harp_leave restores the caller's flag. */
static inline void harp_clear_invalid(void) {
  uint32_t state;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
  if (state & 1) {
    state -= 1;
    __asm__ volatile("ldmxcsr %0" : : "m"(state) : "memory");
  }
}
static inline int harp_met_invalid(void) {
  uint32_t state;
  __asm__ volatile("stmxcsr %0" : "=m"(state) : : "memory");
  return state & 1;
}

#if defined(__clang__)
#define HARP_LOADED(y) "v"(y)
#else
#define HARP_LOADED(y) "vm"(y)
#endif

static inline f32x16 watched_greater_f32x16(f32x16 x, f32x16 y) {
  f32x16 r;
  __asm__ volatile("vmaxps %2, %1, %0" : "=v"(r) : "v"(x), HARP_LOADED(y)); /* a NaN sets the flag */
  return r;
}

static inline f32x8 watched_greater_f32x8(f32x8 x, f32x8 y) {
  f32x8 r;
  __asm__ volatile("vmaxps %2, %1, %0" : "=v"(r) : "v"(x), HARP_LOADED(y)); /* a NaN sets the flag */
  return r;
}

static inline f32x16 watched_result_f32x16(f32x16 x) {
  /* -0 becomes NaN, which sets the flag */
  f32x16 seen = (f32x16)((i32x16)x | ((i32x16)x == (-0x7fffffff - 1)));
  __asm__ volatile("vmaxps %0, %0, %0" : "+v"(seen));
  return x;
}

static inline f32x16 maximum_f32x16(f32x16 x, f32x16 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps512_mask) && __has_builtin(__builtin_ia32_pternlogd512_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i32x16 a = (i32x16)__builtin_ia32_maxps512_mask(x, y, x, 0xffff, 4), b = (i32x16)__builtin_ia32_maxps512_mask(y, x, x, 0xffff, 4);
  return (f32x16)__builtin_ia32_pternlogd512_mask(b, a, ((i32x16){0} + 0x7fffffff), 0xe8, 0xffff);
#else
  const i32x16 alu0 = (i32x16)greater_f32x16(x, y);
  const i32x16 alu1 = (i32x16)greater_f32x16(y, x);
  return (f32x16)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

/* a where the lane's bit is set, else b. */
static inline f32x8 blend_f32x8(uint8_t m, f32x8 a, f32x8 b) {
#if defined(__clang__)
  return __builtin_ia32_selectps_256(m, a, b);
#else
  return __builtin_ia32_blendmps_256_mask(b, a, m);
#endif
}

static inline uint8_t lt_f32x8(f32x8 a, f32x8 b) { return __builtin_ia32_cmpps256_mask(a, b, 1, 0xff); }

/* x where y < x, else y: a single instruction, which gcc does not use by itself. */
static inline f32x8 greater_f32x8(f32x8 x, f32x8 y) {
#if defined(__clang__)
  return blend_f32x8(lt_f32x8(y, x), x, y);
#else
  return __builtin_ia32_maxps256(x, y);
#endif
}

static inline f32x8 maximum_f32x8(f32x8 x, f32x8 y) {
#if !defined(__clang__) && __has_builtin(__builtin_ia32_maxps256) && __has_builtin(__builtin_ia32_pternlogd256_mask)
  /* the instruction gives the greater operand, or the second one: a and b differ only for zeros and NaN */
  __asm__("" : "+v"(y)); /* loaded once */
  const i32x8 a = (i32x8)__builtin_ia32_maxps256(x, y), b = (i32x8)__builtin_ia32_maxps256(y, x);
  return (f32x8)__builtin_ia32_pternlogd256_mask(b, a, ((i32x8){0} + 0x7fffffff), 0xe8, 0xff);
#else
  const i32x8 alu0 = (i32x8)greater_f32x8(x, y);
  const i32x8 alu1 = (i32x8)greater_f32x8(y, x);
  return (f32x8)((alu0 & alu1) | ((alu0 | alu1) & 2147483647));
#endif
}

static inline f32x16 abs_f32x16(f32x16 a) {
  f32x16 r = {0};
  for (int lane = 0; lane < 16; ++lane) r[lane] = __builtin_fabsf(a[lane]);
  return r;
}

static const float tanh_centre[16] = {
    1.2382687f, 1.7375621f, 2.2381015f, 2.7396636f, 3.3798099f, 4.376624f, 5.4025474f, 6.408919f, 7.768365f, 9.0f, 9.0f, 9.0f, 0.0f, 0.36931723f, 0.61929864f, 0.8688089f};

static inline f32x16 lookup_tanh_centre_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_centre;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_6[16] = {
    0.0151238255f, 0.002127647f, -0.0007165623f, -0.00054864225f, -0.0001584971f, -2.2739261e-05f, -3.1148668e-06f, -3.3397845e-07f, -2.3745569e-08f, 0.0f, 0.0f, 0.0f, -0.036977116f, -0.06945178f, -0.024266033f, 0.012919919f};

static inline f32x16 lookup_tanh_6_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_6;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_5[16] = {
    -0.020742806f, 0.0033263133f, 0.0040289024f, 0.0019489375f, 0.0006037943f, 8.500264e-05f, 1.1063725e-05f, 1.4866939e-06f, 1.0273405e-07f, 0.0f, 0.0f, 0.0f, 0.14308433f, 0.021164749f, -0.05374481f, -0.05932616f};

static inline f32x16 lookup_tanh_5_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_5;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_4[16] = {
    -0.0114028035f, -0.023739649f, -0.012561283f, -0.0051995222f, -0.0015253905f, -0.00021125036f, -2.7172997e-05f, -3.6813237e-06f, -2.4670305e-07f, 0.0f, 0.0f, 0.0f, -0.0011837389f, 0.16754924f, 0.13944194f, 0.06262375f};

static inline f32x16 lookup_tanh_4_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_4;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_3[16] = {
    0.10888816f, 0.06410388f, 0.02767986f, 0.010759157f, 0.003063665f, 0.00042063845f, 5.409679e-05f, 7.2296e-06f, 4.7540166e-07f, 0.0f, 0.0f, 0.0f, -0.3332702f, -0.18241197f, -0.020995283f, 0.08028277f};

static inline f32x16 lookup_tanh_3_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_3;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_2[16] = {
    -0.24169369f, -0.109509744f, -0.043487262f, -0.016412627f, -0.004616815f, -0.000631329f, -8.117167e-05f, -1.0840753e-05f, -7.1392384e-07f, 0.0f, 0.0f, 0.0f, -1.0973894e-06f, -0.30925983f, -0.38368344f, -0.35663763f};

static inline f32x16 lookup_tanh_2_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_2;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_1[16] = {
    0.28604063f, 0.11650663f, 0.044488113f, 0.01655016f, 0.0046279402f, 0.00063158997f, 8.118033e-05f, 1.0847794e-05f, 7.1548146e-07f, 0.0f, 0.0f, 0.0f, 1.0f, 0.8751124f, 0.6967961f, 0.50892353f};

static inline f32x16 lookup_tanh_1_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_1;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static const float tanh_0[16] = {
    0.8449611f, 0.93994325f, 0.9775029f, 0.9916904f, 0.99768335f, 0.99968415f, 0.9999594f, 0.9999946f, 0.99999964f, 1.0f, 1.0f, 1.0f, 0.0f, 0.35339436f, 0.5506395f, 0.7007685f};

static inline f32x16 lookup_tanh_0_x16(i32x16 index) {
  const f32x16 all = *(const f32x16*)tanh_0;
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(all, index);
#else
  return __builtin_shuffle(all, index);
#endif
}

static inline f32x16 or_sign_f32x16(f32x16 x, f32x16 y) {
#if defined(__AVX512VL__) && __has_builtin(__builtin_ia32_pternlogd512_mask)
  typedef int bits __attribute__((vector_size(64)));
  return (f32x16)__builtin_ia32_pternlogd512_mask((bits)x, (bits)y, (bits){0} + (-0x7fffffff - 1), 0xf8, 0xffff); /* x | y & sign */
#else
  return (f32x16)((i32x16)x | ((i32x16)y & (-2147483647 - 1)));
#endif
}

static inline f32x16 tanh_f32x16(f32x16 x) {
  const f32x16 alu0 = abs_f32x16(x);
  const f32x16 alu1 = lesser_f32x16(splat_f32x16(9.02f), alu0);
  const i32x16 alu2 = (i32x16)(1.0f + alu1) >> 21;
  const f32x16 alu3 = alu1 - lookup_tanh_centre_x16(alu2);
  const f32x16 alu4 = fma_f32x16(fma_f32x16(lookup_tanh_6_x16(alu2), alu3, lookup_tanh_5_x16(alu2)), alu3, lookup_tanh_4_x16(alu2));
  const f32x16 alu5 = fma_f32x16(fma_f32x16(alu4, alu3, lookup_tanh_3_x16(alu2)), alu3, lookup_tanh_2_x16(alu2));
  const f32x16 alu6 = fma_f32x16(fma_f32x16(alu5, alu3, lookup_tanh_1_x16(alu2)), alu3, lookup_tanh_0_x16(alu2));
  return or_sign_f32x16(alu6, x);
}

static inline f32x16 load_reversed_f32x16(const float* p) {
  const f32x16 r = *(const f32x16*)(p - 15);
  return __builtin_shufflevector(r, r, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
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

struct kernel_0_args { const float* input0; const float* input1; float* output0; };

/* generation 0 · elementwise over [n, 40] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_0(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_0_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  (void)worker;
  const f32x16 alu1 = *(const f32x16*)(input1 + 24);
  const f32x16 alu2 = *(const f32x16*)(input1 + 16);
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + ridx0 * 40;
    float* output0_row = output0 + ridx0 * 40;
    for (int64_t ridx1 = 0; ridx1 < 9; ridx1 += 16) {
      *(f32x16*)(output0_row + ridx1) = *(const f32x16*)(input0_row + ridx1) * *(const f32x16*)(input1 + ridx1);
    }
    const f32x16 alu0 = *(const f32x16*)(input0 + ridx0 * 40 + 24);
    *(f32x16*)(output0 + ridx0 * 40 + 16) = *(const f32x16*)(input0 + ridx0 * 40 + 16) * alu2;
    *(f32x16*)(output0 + ridx0 * 40 + 24) = alu0 * alu1;
  }
}

struct kernel_1_args { const float* input0; float* output0; };

/* generation 0 · rowwise over [n] · sum of [n, 40] axes [1] lanes · rowwise [thread, reduce simd=16] partition overlap */
static __attribute__((noinline)) void kernel_1(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_1_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  (void)worker;
  const uint16_t alu0 = 255;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    f32x16 acc0[4] __attribute__((aligned(64)));
    for (int i = 0; i < 4; ++i) acc0[i] = (f32x16){0};
    acc0[0] += exp_f32x16(*(const f32x16*)(input0 + ridx0 * 40));
    acc0[1] += exp_f32x16(*(const f32x16*)(input0 + ridx0 * 40 + 16));
    const f32x16 alu1 = exp_f32x16(load_masked_f32x16(input0 + ridx0 * 40 + 32, alu0));
    acc0[2] += blend_f32x16(alu0, alu1, splat_f32x16(0.0f));
    const float acc0_folded = fold_add_4_f32x16(acc0);
    const float* input0_row = input0 + ridx0 * 40;
    float* output0_row = output0 + ridx0 * 40;
    for (int64_t ridx1 = 0; ridx1 < 32; ridx1 += 16) {
      *(f32x16*)(output0_row + ridx1) = exp_f32x16(*(const f32x16*)(input0_row + ridx1)) / acc0_folded;
    }
    store_masked_f32x16(output0 + ridx0 * 40 + 32, alu1 / acc0_folded, alu0);
  }
}

/* generation 1 · reduce over [40] · max of [n, 40] axes [0] chain · reduce [thread simd=16, reduce unroll=8] partition overlap nan_flag */
static __attribute__((noinline)) void kernel_2(const float* input0, float* output0, int64_t shape0, const volatile int32_t* cancel) {
  const int64_t oidx0 = shape0 / 8;
  const uint16_t alu3 = 255;
  const float* input0_row8 = input0 + oidx0 * 40;
  const float* input0_row9 = input0 + oidx0 * 80;
  const float* input0_row10 = input0 + oidx0 * 120;
  const float* input0_row11 = input0 + oidx0 * 160;
  const float* input0_row12 = input0 + oidx0 * 200;
  const float* input0_row13 = input0 + oidx0 * 240;
  const float* input0_row14 = input0 + oidx0 * 280;
  harp_clear_invalid();
  {
    float acc0[48] __attribute__((aligned(64)));
    for (int i = 0; i < 48; ++i) acc0[i] = -__builtin_inff();
    for (int64_t ridx0 = 0, ridx0_end = oidx0 > 8192 ? 8192 : oidx0;;) {
      for (; ridx0 < ridx0_end; ++ridx0) {
        const float* input0_row = input0 + ridx0 * 40;
        const float* input0_row1 = input0 + oidx0 * 40 + ridx0 * 40;
        const float* input0_row2 = input0 + oidx0 * 80 + ridx0 * 40;
        const float* input0_row3 = input0 + oidx0 * 120 + ridx0 * 40;
        const float* input0_row4 = input0 + oidx0 * 160 + ridx0 * 40;
        const float* input0_row5 = input0 + oidx0 * 200 + ridx0 * 40;
        const float* input0_row6 = input0 + oidx0 * 240 + ridx0 * 40;
        const float* input0_row7 = input0 + oidx0 * 280 + ridx0 * 40;
        for (int64_t ridx1 = 0; ridx1 < 32; ridx1 += 16) {
          const f32x16 alu0 = watched_greater_f32x16(watched_greater_f32x16(*(f32x16*)(acc0 + ridx1), *(const f32x16*)(input0_row + ridx1)), *(const f32x16*)(input0_row1 + ridx1));
          const f32x16 alu1 = watched_greater_f32x16(watched_greater_f32x16(alu0, *(const f32x16*)(input0_row2 + ridx1)), *(const f32x16*)(input0_row3 + ridx1));
          const f32x16 alu2 = watched_greater_f32x16(watched_greater_f32x16(alu1, *(const f32x16*)(input0_row4 + ridx1)), *(const f32x16*)(input0_row5 + ridx1));
          *(f32x16*)(acc0 + ridx1) = watched_greater_f32x16(watched_greater_f32x16(alu2, *(const f32x16*)(input0_row6 + ridx1)), *(const f32x16*)(input0_row7 + ridx1));
        }
        const f32x16 alu4 = watched_greater_f32x16(watched_greater_f32x16(*(f32x16*)(acc0 + 32), load_masked_f32x16(input0 + ridx0 * 40 + 32, alu3)), load_masked_f32x16(input0_row8 + ridx0 * 40 + 32, alu3));
        const f32x16 alu5 = watched_greater_f32x16(watched_greater_f32x16(alu4, load_masked_f32x16(input0_row9 + ridx0 * 40 + 32, alu3)), load_masked_f32x16(input0_row10 + ridx0 * 40 + 32, alu3));
        const f32x16 alu6 = watched_greater_f32x16(watched_greater_f32x16(alu5, load_masked_f32x16(input0_row11 + ridx0 * 40 + 32, alu3)), load_masked_f32x16(input0_row12 + ridx0 * 40 + 32, alu3));
        const f32x16 alu7 = watched_greater_f32x16(watched_greater_f32x16(alu6, load_masked_f32x16(input0_row13 + ridx0 * 40 + 32, alu3)), load_masked_f32x16(input0_row14 + ridx0 * 40 + 32, alu3));
        *(f32x16*)(acc0 + 32) = blend_f32x16(alu3, alu7, *(f32x16*)(acc0 + 32));
      }
      if (ridx0 >= oidx0) break;
      if (harp_is_set(cancel)) return;
      ridx0_end = oidx0 - ridx0 > 8192 ? ridx0 + 8192 : oidx0;
    }
    for (int64_t ridx2 = oidx0 * 8; ridx2 < shape0; ++ridx2) {
      const float* input0_row15 = input0 + ridx2 * 40;
      for (int64_t ridx3 = 0; ridx3 < 32; ridx3 += 16) {
        *(f32x16*)(acc0 + ridx3) = watched_greater_f32x16(*(f32x16*)(acc0 + ridx3), *(const f32x16*)(input0_row15 + ridx3));
      }
      for (int64_t ridx4 = 32; ridx4 < 40; ridx4 += 8) {
        *(f32x8*)(acc0 + ridx4) = watched_greater_f32x8(*(f32x8*)(acc0 + ridx4), *(const f32x8*)(input0_row15 + ridx4));
      }
    }
    for (int64_t ridx5 = 0; ridx5 < 32; ridx5 += 16) {
      *(f32x16*)(output0 + ridx5) = watched_result_f32x16(*(f32x16*)(acc0 + ridx5));
    }
    store_masked_f32x16(output0 + 32, watched_result_f32x16(*(f32x16*)(acc0 + 32)), alu3);
  }
  if (harp_met_invalid()) {
    float acc1[48] __attribute__((aligned(64)));
    for (int i = 0; i < 48; ++i) acc1[i] = -__builtin_inff();
    for (int64_t ridx6 = 0, ridx6_end = oidx0 > 8192 ? 8192 : oidx0;;) {
      for (; ridx6 < ridx6_end; ++ridx6) {
        const float* input0_row16 = input0 + ridx6 * 40;
        const float* input0_row17 = input0 + oidx0 * 40 + ridx6 * 40;
        const float* input0_row18 = input0 + oidx0 * 80 + ridx6 * 40;
        const float* input0_row19 = input0 + oidx0 * 120 + ridx6 * 40;
        const float* input0_row20 = input0 + oidx0 * 160 + ridx6 * 40;
        const float* input0_row21 = input0 + oidx0 * 200 + ridx6 * 40;
        const float* input0_row22 = input0 + oidx0 * 240 + ridx6 * 40;
        const float* input0_row23 = input0 + oidx0 * 280 + ridx6 * 40;
        for (int64_t ridx7 = 0; ridx7 < 32; ridx7 += 16) {
          const f32x16 alu8 = maximum_f32x16(maximum_f32x16(*(f32x16*)(acc1 + ridx7), *(const f32x16*)(input0_row16 + ridx7)), *(const f32x16*)(input0_row17 + ridx7));
          const f32x16 alu9 = maximum_f32x16(maximum_f32x16(alu8, *(const f32x16*)(input0_row18 + ridx7)), *(const f32x16*)(input0_row19 + ridx7));
          const f32x16 alu10 = maximum_f32x16(maximum_f32x16(alu9, *(const f32x16*)(input0_row20 + ridx7)), *(const f32x16*)(input0_row21 + ridx7));
          *(f32x16*)(acc1 + ridx7) = maximum_f32x16(maximum_f32x16(alu10, *(const f32x16*)(input0_row22 + ridx7)), *(const f32x16*)(input0_row23 + ridx7));
        }
        const f32x16 alu11 = maximum_f32x16(maximum_f32x16(*(f32x16*)(acc1 + 32), load_masked_f32x16(input0 + ridx6 * 40 + 32, alu3)), load_masked_f32x16(input0_row8 + ridx6 * 40 + 32, alu3));
        const f32x16 alu12 = maximum_f32x16(maximum_f32x16(alu11, load_masked_f32x16(input0_row9 + ridx6 * 40 + 32, alu3)), load_masked_f32x16(input0_row10 + ridx6 * 40 + 32, alu3));
        const f32x16 alu13 = maximum_f32x16(maximum_f32x16(alu12, load_masked_f32x16(input0_row11 + ridx6 * 40 + 32, alu3)), load_masked_f32x16(input0_row12 + ridx6 * 40 + 32, alu3));
        const f32x16 alu14 = maximum_f32x16(maximum_f32x16(alu13, load_masked_f32x16(input0_row13 + ridx6 * 40 + 32, alu3)), load_masked_f32x16(input0_row14 + ridx6 * 40 + 32, alu3));
        *(f32x16*)(acc1 + 32) = blend_f32x16(alu3, alu14, *(f32x16*)(acc1 + 32));
      }
      if (ridx6 >= oidx0) break;
      if (harp_is_set(cancel)) return;
      ridx6_end = oidx0 - ridx6 > 8192 ? ridx6 + 8192 : oidx0;
    }
    for (int64_t ridx8 = oidx0 * 8; ridx8 < shape0; ++ridx8) {
      const float* input0_row24 = input0 + ridx8 * 40;
      for (int64_t ridx9 = 0; ridx9 < 32; ridx9 += 16) {
        *(f32x16*)(acc1 + ridx9) = maximum_f32x16(*(f32x16*)(acc1 + ridx9), *(const f32x16*)(input0_row24 + ridx9));
      }
      for (int64_t ridx10 = 32; ridx10 < 40; ridx10 += 8) {
        *(f32x8*)(acc1 + ridx10) = maximum_f32x8(*(f32x8*)(acc1 + ridx10), *(const f32x8*)(input0_row24 + ridx10));
      }
    }
    for (int64_t ridx11 = 0; ridx11 < 32; ridx11 += 16) {
      *(f32x16*)(output0 + ridx11) = *(f32x16*)(acc1 + ridx11);
    }
    for (int64_t ridx12 = 32; ridx12 < 40; ridx12 += 8) {
      *(f32x8*)(output0 + ridx12) = *(f32x8*)(acc1 + ridx12);
    }
  }
}

struct kernel_3_args { const float* input0; const float* input1; float* output0; };

/* generation 2 · elementwise over [n, 40] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_3(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_3_args* a = arg;
  const float* input0 = a->input0;
  const float* input1 = a->input1;
  float* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const float* input0_row = input0 + ridx0 * 40;
    float* output0_row = output0 + ridx0 * 40;
    float kept0[16] __attribute__((aligned(64))); /* what the first step reads, which is executed last, when other steps may have overwritten it */
    *(f32x16*)kept0 = *(const f32x16*)input0_row;
    const float* kept0_source = input0_row; /* where a step reads: the last one in kept0 */
    for (int64_t ridx1 = 8, ridx1_last = 24; ridx1 <= ridx1_last; kept0_source = kept0, ridx1 = ridx1_last > 0 ? 0 : 40, ridx1_last = 0) { /* the first step overlaps the second and is executed last */
      for (; ridx1 <= ridx1_last; ridx1 += 16) {
        *(f32x16*)(output0_row + ridx1) = tanh_f32x16(*(const f32x16*)(kept0_source + ridx1) - load_reversed_f32x16(input1 + 39 - ridx1));
      }
    }
  }
}

struct kernel_4_args { const float* input0; float* output0; };

/* generation 3 · elementwise over [n, 40] · elementwise [thread, sequential simd=16] partition overlap */
static __attribute__((noinline)) void kernel_4(void* arg, size_t begin0, size_t end0, size_t worker) {
  const struct kernel_4_args* a = arg;
  const float* input0 = a->input0;
  float* output0 = a->output0;
  (void)worker;
  for (int64_t ridx0 = (int64_t)begin0; ridx0 < (int64_t)end0; ++ridx0) {
    const f32x16 alu0 = *(const f32x16*)(input0 + ridx0 * 40 + 16);
    const f32x16 alu1 = load_reversed_f32x16(input0 + ridx0 * 40 + 23);
    const f32x16 alu2 = *(const f32x16*)(input0 + ridx0 * 40 + 24);
    const f32x16 alu3 = load_reversed_f32x16(input0 + ridx0 * 40 + 15);
    *(f32x16*)(output0 + ridx0 * 40) = *(const f32x16*)(input0 + ridx0 * 40) + load_reversed_f32x16(input0 + ridx0 * 40 + 39);
    *(f32x16*)(output0 + ridx0 * 40 + 16) = alu0 + alu1;
    *(f32x16*)(output0 + ridx0 * 40 + 24) = alu2 + alu3;
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

static void kernel_main(const float* input0, const float* input1, const float* input2, float* output0, float* output1, int64_t shape0, char* workspace, const harp_runtime* rt, const volatile int32_t* cancel) {
  float* const tmp0 = (float*)(workspace + 0);
  float* const tmp1 = (float*)(workspace + shape0 * 128 + (shape0 + 1) / 2 * 64);
  { /* generation 0 */
    struct kernel_0_args args0 = {input1, input2, output1};
    struct kernel_1_args args1 = {input0, tmp0};
    struct harp_task tasks[] = {
      {kernel_0, &args0, shape0, 1, shape0 * 5360, 0, 0},
      {kernel_1, &args1, shape0, 1, shape0 * 22360, 0, 0},
    };
    harp_run_together(rt, cancel, 2, tasks);
  }
  /* generation 1 */
  if (harp_is_set(cancel)) return;
  kernel_2(tmp0, tmp1, shape0, cancel);
  { /* generation 2 */
    struct kernel_3_args args0 = {tmp0, tmp1, tmp0};
    harp_for(rt, cancel, shape0, shape0 * 21360, kernel_3, &args0);
  }
  { /* generation 3 */
    struct kernel_4_args args0 = {tmp0, output0};
    harp_for(rt, cancel, shape0, shape0 * 5360, kernel_4, &args0);
  }
}

__attribute__((visibility("protected"))) int32_t entry_point_ex(void** inputs, void** outputs, size_t* shape_vars, const harp_runtime* rt) {
  const volatile int32_t* const cancel = harp_flag(rt);
  if (harp_is_set(cancel)) return 12; /* cancelled */
  const int64_t shape0 = (int64_t)shape_vars[0];
  const size_t bytes = (size_t)(shape0 * 128 + (shape0 + 1) / 2 * 64 + 192);
  void* own;
  char* workspace = harp_allocate(rt, bytes, &own);
  if (!workspace && bytes) return 11; /* out of memory */
  const harp_environment found = harp_enter();
  kernel_main(inputs[0], inputs[1], inputs[2], outputs[0], outputs[1], (int64_t)shape_vars[0], workspace, rt, cancel);
  harp_leave(found);
  const int32_t status = harp_is_set(cancel) ? 12 : 0;
  harp_release(rt, own);
  return status;
}

__attribute__((visibility("protected"))) void entry_point(void** inputs, void** outputs, size_t* shape_vars) {
  entry_point_ex(inputs, outputs, shape_vars, 0);
}
