/* What harp is measured against: the same loops written by hand in C. They are compiled with the flags harp gives its own kernels, once
 * for every CPU level harp knows, so that only the code is compared; the benchmark takes the table of the level that harp resolved.
 * Every chain gives harp's bits (the benchmark checks it before it measures). */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y[0..n-1] from up to three inputs; those a chain does not have are NULL. Arrays do not overlap. */
typedef void (*peer_chain)(const float* a, const float* b, const float* c, float* y, size_t n);

/* Reads n floats as fast as it can. The result is some sum of them, there so that nothing can be left out. */
typedef float (*peer_read)(const float* x, size_t n);

/* So many steps of LANES products added to sums, as fast as the core can: many sums, so that none waits for the one before. Steps are
 * rounded up to whole rounds of its loop. */
typedef float (*peer_multiply_add)(size_t steps);

/* A function of each element, by harp's name. What says yes or no writes n bytes. */
struct peer_function {
  const char* name;
  peer_chain apply; /* of a */
};

struct peers {
  const char* target;     /* harp's name of the CPU level */
  peer_chain copy;        /* a, which compilers make memcpy */
  peer_chain copy_line;   /* a, vector by vector */
  peer_chain triad;       /* a + 3 b */
  peer_chain product_sum; /* a b + c */
  peer_chain relu;        /* max(a b + c, 0) * 2 */
  peer_chain exp;         /* a / (1 + exp(-(1.702 a + b))) + a */
  peer_chain exp6;        /* |exp(-a a) / 2 - a| */
  peer_chain where;       /* a > 1/4 ? clip(2 a, -1, 1) : a + 1/2 */
  peer_read read_line;    /* one stream */
  peer_read read_streams; /* four streams, a quarter of the array each */
  peer_multiply_add multiply_add;
  size_t lanes;                          /* floats of a vector */
  const struct peer_function* functions; /* of one or two instructions; ends with a NULL name */
};

/* Every level that was compiled, lowest first; ends with NULL. */
extern const struct peers* const peers_of_targets[];

#ifdef __cplusplus
}
#endif
#endif
