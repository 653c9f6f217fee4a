/* The vector functions of a library, each as a loop over an array. bench/peers/sleef.c and bench/peers/libmvec.c define a table of them
 * for each CPU level. */
#ifndef BENCH_PEERS_VECTOR_FUNCTIONS_H
#define BENCH_PEERS_VECTOR_FUNCTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vector_function {
  const char* name;
  void (*apply)(const float* x, float* y, size_t n); /* n must be a multiple of the number of floats in a vector */
};

struct vector_level {
  const char* target;                      /* harp's name of the CPU level */
  const struct vector_function* functions; /* the last entry has a NULL name */
};

/* The tables of SLEEF and of libmvec, lowest CPU level first; the last entry is NULL. */
extern const struct vector_level* const sleef_levels[];
extern const struct vector_level* const libmvec_levels[]; /* empty if the C library has no libmvec */

#ifdef __cplusplus
}
#endif

#endif
