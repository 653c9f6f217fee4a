/* Whole jobs written by hand in C with OpenMP. Like the loops of peers.h, they are compiled once for each CPU level that harp knows. The
 * Gray-Scott step is that of examples/reaction. */
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include <stddef.h>

#include "../../examples/reaction/by_hand.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ensemble {
  float *x, *y, *z;
};

struct jobs {
  const char* target;               /* harp's name of the CPU level */
  const struct variant* gray_scott; /* variants of the Gray-Scott step; the last entry has a NULL name */
  void (*lorenz)(struct ensemble from, struct ensemble to, size_t members, size_t steps);
};

/* The tables of all CPU levels for which the jobs are compiled; the last entry is NULL. */
extern const struct jobs* const jobs_of_targets[];

#ifdef __cplusplus
}
#endif
#endif
