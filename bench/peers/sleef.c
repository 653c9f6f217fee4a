/* SLEEF's vector functions for one CPU level, in the variants with an error of at most 1.0 ulp (for erfc 1.5 ulp, the best that SLEEF
 * has). This file is compiled once for each level, with -DTARGET_SYMBOL, -DTARGET_NAME, -DVECTOR_TYPE (such as __m512), and the two
 * parts of SLEEF's suffix for the level (such as -DWIDTH=16 -DLEVEL=avx512f). */
#include "vector_functions.h"

#include <sleef.h>

#define JOIN_(name, width, precision, level) Sleef_##name##f##width##_##precision##level
#define JOIN(name, width, precision, level) JOIN_(name, width, precision, level)

#define LOOP(name, precision)                                    \
  static void apply_##name(const float* x, float* y, size_t n) { \
    for (size_t i = 0; i < n; i += WIDTH) {                      \
      VECTOR_TYPE v;                                             \
      __builtin_memcpy(&v, x + i, sizeof v);                     \
      v = JOIN(name, WIDTH, precision, LEVEL)(v);                \
      __builtin_memcpy(y + i, &v, sizeof v);                     \
    }                                                            \
  }

#define FUNCTIONS(DO)                                                                                                                  \
  DO(exp, u10)                                                                                                                         \
  DO(exp2, u10) DO(expm1, u10) DO(log, u10) DO(log2, u10) DO(log10, u10) DO(log1p, u10) DO(sin, u10) DO(cos, u10) DO(tan, u10)         \
      DO(asin, u10) DO(acos, u10) DO(atan, u10) DO(sinh, u10) DO(cosh, u10) DO(tanh, u10) DO(asinh, u10) DO(acosh, u10) DO(atanh, u10) \
          DO(cbrt, u10) DO(erf, u10) DO(erfc, u15)

FUNCTIONS(LOOP)

/* Functions that SLEEF lacks, composed of SLEEF's functions. */
#define PLAIN_(name, width, level) Sleef_##name##f##width##_##level
#define PLAIN(name, width, level) PLAIN_(name, width, level)
#define OF(name, v) JOIN(name, WIDTH, u10, LEVEL)(v)

static VECTOR_TYPE sigmoid(VECTOR_TYPE x) { return 1.0f / (1.0f + OF(exp, -x)); }
static VECTOR_TYPE silu(VECTOR_TYPE x) { return x * sigmoid(x); }
static VECTOR_TYPE softplus(VECTOR_TYPE x) {
  return PLAIN(fmax, WIDTH, LEVEL)(x, x - x) + OF(log1p, OF(exp, -PLAIN(fabs, WIDTH, LEVEL)(x)));
}
static VECTOR_TYPE gelu(VECTOR_TYPE x) { return 0.5f * x * (1.0f + OF(erf, x * 0.70710678f)); }
static VECTOR_TYPE gelu_tanh(VECTOR_TYPE x) { return 0.5f * x * (1.0f + OF(tanh, 0.79788456f * (x + 0.044715f * x * x * x))); }

#define COMPOSED(name)                                           \
  static void apply_##name(const float* x, float* y, size_t n) { \
    for (size_t i = 0; i < n; i += WIDTH) {                      \
      VECTOR_TYPE v;                                             \
      __builtin_memcpy(&v, x + i, sizeof v);                     \
      v = name(v);                                               \
      __builtin_memcpy(y + i, &v, sizeof v);                     \
    }                                                            \
  }
COMPOSED(sigmoid)
COMPOSED(silu) COMPOSED(softplus) COMPOSED(gelu) COMPOSED(gelu_tanh)

#define ENTRY(name, precision) {#name, apply_##name},
    static const struct vector_function functions[] = {FUNCTIONS(ENTRY) ENTRY(sigmoid, ) ENTRY(silu, ) ENTRY(softplus, ) ENTRY(gelu, )
                                                           ENTRY(gelu_tanh, ){NULL, NULL}};

const struct vector_level TARGET_SYMBOL = {TARGET_NAME, functions};
