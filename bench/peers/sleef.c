/* SLEEF's functions of one CPU level, those with an error of at most 1.0 ulp (erfc: 1.5, its best). Compiled once per level with
 * -DTARGET_SYMBOL, -DTARGET_NAME, -DVECTOR_TYPE (__m512), and SLEEF's own suffix in two parts: -DWIDTH=16 -DLEVEL=avx512f. */
#include "sleef.h"

#include <sleef.h>

#define JOIN_(name, width, precision, level) Sleef_##name##f##width##_##precision##level
#define JOIN(name, width, precision, level) JOIN_(name, width, precision, level)

#define LOOP(name, precision)                                             \
  static void apply_##name(const float* x, float* y, size_t n) {          \
    for (size_t i = 0; i < n; i += WIDTH) {                               \
      VECTOR_TYPE v;                                                      \
      __builtin_memcpy(&v, x + i, sizeof v);                              \
      v = JOIN(name, WIDTH, precision, LEVEL)(v);                         \
      __builtin_memcpy(y + i, &v, sizeof v);                              \
    }                                                                     \
  }

#define FUNCTIONS(DO)                                                                                                            \
  DO(exp, u10) DO(exp2, u10) DO(expm1, u10) DO(log, u10) DO(log2, u10) DO(log10, u10) DO(log1p, u10) DO(sin, u10) DO(cos, u10)   \
  DO(tan, u10) DO(asin, u10) DO(acos, u10) DO(atan, u10) DO(sinh, u10) DO(cosh, u10) DO(tanh, u10) DO(asinh, u10) DO(acosh, u10) \
  DO(atanh, u10) DO(cbrt, u10) DO(erf, u10) DO(erfc, u15)

FUNCTIONS(LOOP)

#define ENTRY(name, precision) {#name, apply_##name},
static const struct sleef_function functions[] = {FUNCTIONS(ENTRY){NULL, NULL}};

const struct sleef_level TARGET_SYMBOL = {TARGET_NAME, functions};
