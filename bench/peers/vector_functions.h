/* The vector functions of a library, each as a loop over an array. peers/sleef.c and peers/libmvec.c define these tables for each CPU
 * level. */
#ifndef BENCH_PEERS_VECTOR_FUNCTIONS_H
#define BENCH_PEERS_VECTOR_FUNCTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vector_function {
  const char* name;
  void (*apply)(const float* x, float* y, size_t n); /* n is a multiple of the vector's width */
};

struct vector_level {
  const char* target;                      /* harp's name of the level */
  const struct vector_function* functions; /* the last entry has a NULL name */
};

/* Lowest level first, then NULL. */
extern const struct vector_level* const sleef_levels[];
extern const struct vector_level* const libmvec_levels[]; /* empty if the C library has no libmvec */

#ifdef __cplusplus
}
#endif

#endif
