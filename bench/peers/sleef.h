/* SLEEF's functions of one CPU level, each as a loop over an array: what peers/sleef.c is compiled to, once for every level. */
#ifndef BENCH_PEERS_SLEEF_H
#define BENCH_PEERS_SLEEF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sleef_function {
  const char* name;
  void (*apply)(const float* x, float* y, size_t n); /* n is a multiple of the vector's width */
};

struct sleef_level {
  const char* target;                     /* harp's name of the level */
  const struct sleef_function* functions; /* ends with a NULL name */
};

/* Lowest first; ends with NULL. */
extern const struct sleef_level* const sleef_levels[];

#ifdef __cplusplus
}
#endif

#endif
