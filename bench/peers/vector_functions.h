/* A library's functions of vectors, each as a loop over an array: what peers/sleef.c and peers/libmvec.c are compiled to, for each CPU
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
  const struct vector_function* functions; /* ends with a NULL name */
};

/* Lowest first; ends with NULL. */
extern const struct vector_level* const sleef_levels[];
extern const struct vector_level* const libmvec_levels[]; /* empty where the C library has none */

#ifdef __cplusplus
}
#endif

#endif
