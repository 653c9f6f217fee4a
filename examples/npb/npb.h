/* What the benchmarks of this directory share: the random number generator that the NAS Parallel Benchmarks prescribe, time, and the
 * report of a result. The problems, their classes and the expected values are those of the NAS Parallel Benchmarks (NAS Technical Report
 * RNR-94-007; classes and values of version 3.4). */
#ifndef NPB_H
#define NPB_H

#include <harp.h>
#include <stdint.h>

/* Replaces *state by 5^13 * *state mod 2^46, and returns it as a number in (0, 1). */
double npb_random(uint64_t* state);
#define NPB_SEED UINT64_C(314159265)

double npb_seconds(void);

/* Prints what failed, releases the error, and returns 1. */
int npb_failed(const char* what, harp_error* err);

/* Compiles the graph. Prints the number of kernels and of generations (groups of kernels that run together), the milliseconds of
 * the compilation, and whether the code was found in a cache. Returns NULL on failure. */
harp_program* npb_compile(harp_graph* graph, harp_error** err);

/* Returns the index in `classes` (a letter for each class) of the class that the command line names; without an argument the class is S.
 * If there is no such class, prints the usage on stderr and returns -1. */
int npb_class(int argc, char** argv, const char* program, const char* classes);

/* Prints the result and the published one, and whether they agree as closely as the benchmark requires. Returns main's exit status. */
int npb_verify(const char* what, double result, double published, double tolerance, double seconds);

#endif
