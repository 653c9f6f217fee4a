/* What the benchmarks of this folder share: the generator of random numbers the NAS Parallel Benchmarks prescribe, time, and how a
 * result is reported. The problems, their classes and the values they have to give are those of the NAS Parallel Benchmarks
 * (NAS Technical Report RNR-94-007; classes and values of version 3.4). */
#ifndef NPB_H
#define NPB_H

#include <harp.h>
#include <stdint.h>

/* x -> 5^13 x mod 2^46, as a number in (0, 1). */
double npb_random(uint64_t* state);
#define NPB_SEED UINT64_C(314159265)

double npb_seconds(void);

/* Prints what failed, releases the error, and gives 1. */
int npb_failed(const char* what, harp_error* err);

/* Compiles, and prints kernels, generations, workspace, milliseconds and where the code came from. NULL on failure. */
harp_program* npb_compile(harp_graph* graph, harp_error** err);

/* Which of the classes, one letter each, the program's argument names, S without one; -1, and the usage on stderr, if
 * it is none of them. */
int npb_class(int argc, char** argv, const char* program, const char* classes);

/* Prints the result beside the published one, and whether they agree as closely as the benchmark demands. Gives main's exit status. */
int npb_verify(const char* what, double result, double published, double tolerance, double seconds);

#endif
