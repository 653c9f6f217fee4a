/* The vector functions of the GNU C library (libmvec, whose manual promises an error of at most 4 ulp) for one CPU level, called by
 * their names in the vector ABI. This file is compiled once for each level, with -DTARGET_SYMBOL, -DTARGET_NAME, -DWIDTH (floats in a
 * vector) and -DVARIANT (the level's letter in the ABI; e is AVX-512). */
#include "vector_functions.h"

typedef float vector __attribute__((vector_size(WIDTH * sizeof(float))));

#define JOIN_(name, variant, width) _ZGV##variant##N##width##v_##name##f
#define JOIN(name, variant, width) JOIN_(name, variant, width)

#define LOOP(name)                                               \
  extern vector JOIN(name, VARIANT, WIDTH)(vector);              \
  static void apply_##name(const float* x, float* y, size_t n) { \
    for (size_t i = 0; i < n; i += WIDTH) {                      \
      vector v;                                                  \
      __builtin_memcpy(&v, x + i, sizeof v);                     \
      v = JOIN(name, VARIANT, WIDTH)(v);                         \
      __builtin_memcpy(y + i, &v, sizeof v);                     \
    }                                                            \
  }

#define FUNCTIONS(DO)                                                                                                                   \
  DO(exp)                                                                                                                               \
  DO(exp2) DO(expm1) DO(log) DO(log2) DO(log10) DO(log1p) DO(sin) DO(cos) DO(tan) DO(asin) DO(acos) DO(atan) DO(sinh) DO(cosh) DO(tanh) \
      DO(asinh) DO(acosh) DO(atanh) DO(cbrt) DO(erf) DO(erfc)

FUNCTIONS(LOOP)

#define ENTRY(name) {#name, apply_##name},
static const struct vector_function functions[] = {FUNCTIONS(ENTRY){NULL, NULL}};

const struct vector_level TARGET_SYMBOL = {TARGET_NAME, functions};
