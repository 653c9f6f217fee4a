/* The hand-written peers: the same computations as plain loops in C. They are compiled with the flags that harp uses for its own
 * kernels, once for each CPU level that harp knows, so that only the code differs. The benchmark selects the table of the level that
 * harp compiles for. The results of every chain have the same bits as harp's; the benchmark checks this before it measures. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y[0..n-1] from up to three inputs; unused inputs are NULL. Arrays do not overlap. */
typedef void (*peer_chain)(const float* a, const float* b, const float* c, float* y, size_t n);

/* Reads n floats as fast as possible. Returns a sum of them, so that the compiler cannot remove a load. */
typedef float (*peer_read)(const float* x, size_t n);

/* Computes at least `steps` vector multiply-adds at the peak rate of the core, with enough accumulators to hide the latency. The number
 * is rounded up to a multiple of the multiply-adds in one iteration of the unrolled loop. */
typedef float (*peer_multiply_add)(size_t steps);

/* Computes one diagonal of the table of Nussinov's recurrence for a strand of `bases` bases: `count` elements, which end in the last
 * column. */
typedef void (*peer_nussinov)(const int* table, const int* strand, int* next, size_t bases, size_t count);

/* Stores for each point of the plane the number of steps, at most `most`, until it leaves the circle with radius 2. */
typedef void (*peer_mandelbrot)(const float* re, const float* im, int* steps, size_t height, size_t width, int most);

/* An elementwise function with harp's name of the operation. Predicates (isnan ...) write n bytes instead of n floats. */
struct peer_function {
  const char* name;
  peer_chain apply; /* of a */
};

struct peers {
  const char* target;     /* harp's name of the CPU level */
  peer_chain copy;        /* y = a; compilers replace this loop by a call of memcpy */
  peer_chain copy_line;   /* y = a, copied one vector after the other */
  peer_chain triad;       /* a + 3 b */
  peer_chain product_sum; /* a b + c */
  peer_chain relu;        /* y = max(a b + c, 0) * 2 */
  peer_chain exp;         /* y = a / (1 + exp(-(1.702 a + b))) + a */
  peer_chain exp6;        /* y = |exp(-a a) / 2 - a| */
  peer_chain where;       /* y = a > 1/4 ? clip(2 a, -1, 1) : a + 1/2 */
  peer_read read_line;    /* one stream */
  peer_read read_streams; /* reads four streams, a quarter of the array each */
  peer_multiply_add multiply_add;
  peer_nussinov nussinov;
  peer_mandelbrot mandelbrot;
  size_t lanes;                          /* number of floats in a vector */
  const struct peer_function* functions; /* functions of one or two instructions; the last entry has a NULL name */
};

/* The tables of all CPU levels for which the loops are compiled, lowest level first; the last entry is NULL. */
extern const struct peers* const peers_of_targets[];

#ifdef __cplusplus
}
#endif
#endif
