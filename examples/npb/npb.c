#define _POSIX_C_SOURCE 200809L
#include "npb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double npb_random(uint64_t* state) {
  *state = (*state * UINT64_C(1220703125)) & ((UINT64_C(1) << 46) - 1); /* 2^64 is a multiple of 2^46, so the overflow does no harm */
  return ldexp((double)*state, -46);
}

double npb_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int npb_failed(const char* what, harp_error* err) {
  fprintf(stderr, "%s: %s\n", what, harp_error_message(err));
  const char* output = harp_error_compiler_output(err);
  if (output && *output) fprintf(stderr, "%s\n", output);
  harp_error_release(err);
  return 1;
}

harp_program* npb_compile(harp_graph* graph, harp_error** err) {
  harp_program* program = harp_compile(graph, NULL, err);
  if (!program) return NULL;
  harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
  harp_program_stats(program, &stats, NULL);
  static const char* const caches[] = {"miss", "disk hit", "memory hit"};
  printf("compiled: %d kernels, %d generations; graph to C %.1f ms, C to program %.1f ms (cache: %s)\n", stats.kernels, stats.generations,
         stats.pipeline_ms, stats.compile_ms, caches[stats.cache]);
  return program;
}

int npb_class(int argc, char** argv, const char* program, const char* classes) {
  const char* name = argc > 1 ? argv[1] : "S";
  const char* found = argc <= 2 && name[0] && !name[1] ? strchr(classes, name[0]) : NULL;
  if (found) return (int)(found - classes);
  fprintf(stderr, "usage: %s [CLASS], one of %s\n", program, classes);
  return -1;
}

int npb_verify(const char* what, double result, double published, double tolerance, double seconds) {
  const double error = fabs(result - published) / fabs(published);
  const int verified = error <= tolerance; /* false for NaN */
  printf("%s %.13e, published %.13e, relative error %.2e (allowed %.0e)\n", what, result, published, error, tolerance);
  printf("%.3f s\n", seconds);
  printf(verified ? "VERIFICATION SUCCESSFUL\n" : "VERIFICATION FAILED\n");
  return verified ? 0 : 1;
}
