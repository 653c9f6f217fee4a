/* The hand-written loops. Chains and the loops of custom functions are plain loops over restrict pointers, which the compiler vectorises.
 * The functions that only read an array add up its elements by explicit vectors, because a compiler must keep the order of a
 * floating-point sum and therefore cannot vectorise it. This file is compiled once for each CPU level, with -DTARGET_SYMBOL (the name of
 * the table), -DTARGET_NAME (harp's name of the level) and -DVECTOR_BYTES. */
#include "peers.h"

static void copy(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)b, (void)c;
  for (size_t i = 0; i < n; ++i) y[i] = a[i];
}

static void triad(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)c;
  for (size_t i = 0; i < n; ++i) y[i] = a[i] + 3.0f * b[i];
}

/* The inputs of the chains contain no NaN and no negative zero. If gcc may assume this, it computes the max of two numbers by one
 * instruction, as clang always does. Otherwise it emits dependent comparisons, and `where` takes 3.5 times as long. */
#pragma GCC push_options
#pragma GCC optimize("finite-math-only", "no-signed-zeros")

static void product_sum(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = a[i] * b[i] + c[i];
}

static void relu(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const float t = a[i] * b[i] + c[i];
    y[i] = (t > 0.0f ? t : 0.0f) * 2.0f;
  }
}

static inline float float_of(int bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

static inline int bits_of(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* e^x as docs/semantics.md defines it: x = n ln 2 + r, a polynomial of degree 6 in r, and 2^n as two factors, so that results below the
 * normal range are rounded once. */
static inline float law_exp(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const float rounder = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  const float z = __builtin_fmaf(x, 1.44269504f, rounder), n = z - rounder;
  const float high = __builtin_fmaf(n, -0x1.62e4p-1f, x), low = n * -0x1.7f7d1cp-20f, r = high + low;
  float q = __builtin_fmaf(0x1.6ca998p-10f, r, 0x1.120ac2p-7f);
  q = __builtin_fmaf(q, r, 0x1.55556cp-5f);
  q = __builtin_fmaf(q, r, 0x1.5554dep-3f);
  q = __builtin_fmaf(q, r, 0.5f);
  const float p = 1.0f + (high + __builtin_fmaf(r * r, q, low));
  const int exponent = bits_of(z) - bits_of(rounder), half = exponent >> 1;
  return p * float_of((half + 127) << 23) * float_of((exponent - half + 127) << 23);
}

static void exp_chain(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)c;
  for (size_t i = 0; i < n; ++i) y[i] = a[i] / (1.0f + law_exp(-(a[i] * 1.702f + b[i]))) + a[i];
}

static void exp6(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)b, (void)c;
  for (size_t i = 0; i < n; ++i) y[i] = __builtin_fabsf(law_exp(-(a[i] * a[i])) * 0.5f - a[i]);
}

static void where(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)b, (void)c;
  for (size_t i = 0; i < n; ++i) {
    const float twice = a[i] * 2.0f, least = twice > -1.0f ? twice : -1.0f;
    y[i] = a[i] > 0.25f ? (least < 1.0f ? least : 1.0f) : a[i] + 0.5f;
  }
}

#pragma GCC pop_options

/* Functions that take one or two instructions: name, type of the argument, type of the result, and the result as an expression in x. */
#define FUNCTIONS(DO)                                                       \
  DO(neg, float, float, -x)                                                 \
  DO(abs, float, float, __builtin_fabsf(x))                                 \
  DO(sign, float, float, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x)            \
  DO(square, float, float, (x) * (x))                                       \
  DO(floor, float, float, __builtin_floorf(x))                              \
  DO(ceil, float, float, __builtin_ceilf(x))                                \
  DO(round, float, float, __builtin_rintf(x))                               \
  DO(trunc, float, float, __builtin_truncf(x))                              \
  DO(relu, float, float, x > 0.0f ? x : 0.0f)                               \
  DO(isnan, float, unsigned char, x != x)                                   \
  DO(isinf, float, unsigned char, __builtin_fabsf(x) == __builtin_inff())   \
  DO(isfinite, float, unsigned char, __builtin_fabsf(x) < __builtin_inff()) \
  DO(logical_not, float, unsigned char, x == 0.0f)                          \
  DO(bitwise_not, integer, integer, ~x)

typedef int integer __attribute__((may_alias));

#define LOOP(name, type, result, expression)                                                                                         \
  static void apply_##name(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) { \
    (void)b, (void)c;                                                                                                                \
    const type* restrict from = (const type*)a;                                                                                      \
    result* restrict to = (result*)y;                                                                                                \
    for (size_t i = 0; i < n; ++i) {                                                                                                 \
      const type x = from[i];                                                                                                        \
      to[i] = expression;                                                                                                            \
    }                                                                                                                                \
  }
FUNCTIONS(LOOP)

#define ENTRY(name, type, result, expression) {#name, apply_##name},
static const struct peer_function functions[] = {FUNCTIONS(ENTRY){0, 0}};

typedef float vector __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
enum { LANES = VECTOR_BYTES / 4, STREAMS = 4 };

static inline vector at(const float* p) { return *(const vector*)p; }

static float total(vector v) {
  float s = 0;
  for (int lane = 0; lane < LANES; ++lane) s += v[lane];
  return s;
}

/* The empty assembly statement keeps the compiler from replacing the loop by a call of memcpy. */
static void copy_line(const float* restrict a, const float* restrict b, const float* restrict c, float* restrict y, size_t n) {
  (void)b, (void)c;
  size_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    for (size_t k = 0; k < 4; ++k) *(vector*)(y + i + k * LANES) = at(a + i + k * LANES);
    __asm__ volatile("" ::: "memory");
  }
  for (; i < n; ++i) y[i] = a[i];
}

/* Returns the sum of n floats. It uses eight accumulators, which are enough to hide the latency of an addition at two loads per cycle. */
static float read_line(const float* x, size_t n) {
  vector s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  size_t i = 0;
  for (; i + 8 * LANES <= n; i += 8 * LANES) {
    s0 += at(x + i), s1 += at(x + i + LANES), s2 += at(x + i + 2 * LANES), s3 += at(x + i + 3 * LANES);
    s4 += at(x + i + 4 * LANES), s5 += at(x + i + 5 * LANES), s6 += at(x + i + 6 * LANES), s7 += at(x + i + 7 * LANES);
  }
  float rest = 0;
  for (; i < n; ++i) rest += x[i];
  return total(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))) + rest;
}

/* Reads four parts of the array at the same time. This keeps more DRAM pages open and more streams of the hardware prefetcher busy, and
 * is faster on some machines. */
static float read_streams(const float* x, size_t n) {
  const size_t quarter = n / STREAMS;
  const float *x0 = x, *x1 = x + quarter, *x2 = x + 2 * quarter, *x3 = x + 3 * quarter;
  vector s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  size_t i = 0;
  for (; i + 2 * LANES <= quarter; i += 2 * LANES) {
    s0 += at(x0 + i), s1 += at(x0 + i + LANES), s2 += at(x1 + i), s3 += at(x1 + i + LANES);
    s4 += at(x2 + i), s5 += at(x2 + i + LANES), s6 += at(x3 + i), s7 += at(x3 + i + LANES);
  }
  float rest = 0;
  for (; i < quarter; ++i) rest += (x0[i] + x1[i]) + (x2[i] + x3[i]);
  for (i = STREAMS * quarter; i < n; ++i) rest += x[i];
  return total(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))) + rest;
}

/* Only in this function may the compiler contract a product and a sum to one instruction, because the function measures that
 * instruction's peak rate. */
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#define CONTRACTED
#else
#define CONTRACTED __attribute__((optimize("fp-contract=fast")))
#endif
CONTRACTED static float multiply_add(size_t steps) {
  volatile float unknown = 0.5f;
  const vector a = (vector){0} + unknown, b = a * unknown;
  vector s0 = a, s1 = b, s2 = a + b, s3 = a - b, s4 = s2 + b, s5 = s2 + a, s6 = s2 + s2, s7 = s2 - s4, s8 = s3 + b, s9 = s3 + a;
  for (size_t i = 0; i < steps; i += 20) {
    s0 = s0 * a + a, s1 = s1 * a + a, s2 = s2 * a + a, s3 = s3 * a + a, s4 = s4 * a + a, s5 = s5 * a + a, s6 = s6 * a + a, s7 = s7 * a + a,
    s8 = s8 * a + a, s9 = s9 * a + a;
    s0 = s0 * a + b, s1 = s1 * a + b, s2 = s2 * a + b, s3 = s3 * a + b, s4 = s4 * a + b, s5 = s5 * a + b, s6 = s6 * a + b, s7 = s7 * a + b,
    s8 = s8 * a + b, s9 = s9 * a + b;
  }
  return total(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)) + (s8 + s9));
}

static inline int greater(int a, int b) { return a > b ? a : b; }

static void nussinov(const int* restrict table, const int* restrict strand, int* restrict next, size_t bases, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const size_t j = i + bases - count;
    const int* const row = table + i * bases;
    int most = greater(row[j - 1], row[bases + j]);
    most = greater(most, row[bases + j - 1] + (strand[i] + strand[j] == 3));
    for (size_t k = i + 1; k < j; ++k) most = greater(most, row[k] + table[(k + 1) * bases + j]);
    next[i] = most;
  }
}

static void mandelbrot(const float* restrict re, const float* restrict im, int* restrict steps, size_t height, size_t width, int most) {
  for (size_t i = 0; i < height; ++i)
    for (size_t j = 0; j < width; ++j) {
      float zr = 0, zi = 0;
      int n = 0;
      for (; n < most && zr * zr + zi * zi <= 4.0f; ++n) {
        const float t = zr * zr - zi * zi + re[j];
        zi = zr * zi * 2.0f + im[i];
        zr = t;
      }
      steps[i * width + j] = n;
    }
}

const struct peers TARGET_SYMBOL = {TARGET_NAME, copy,      copy_line,    triad,        product_sum, relu,       exp_chain, exp6,
                                    where,       read_line, read_streams, multiply_add, nussinov,    mandelbrot, LANES,     functions};
