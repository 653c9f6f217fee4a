// Package calltime measures the time of a call of harp_program_call from C, to compare it with Program.Call. (Go tests cannot contain C
// code.)
package calltime

/*
#cgo pkg-config: harp
#include <harp.h>
#include <time.h>

// Returns the seconds of the fastest of `batches` batches of `times` calls of y = a * b + 1 over n elements; negative on failure.
static double measure(int batches, int times, int n) {
  harp_error* err = NULL;
  harp_context* context = harp_context_new(NULL, &err);
  harp_graph* g = harp_graph_new(context, HARP_GRAPH_BROADCAST, &err);
  harp_dim dims[1] = {n};
  harp_node* a = harp_input(g, "a", HARP_F32, 1, dims);
  harp_node* b = harp_input(g, "b", HARP_F32, 1, dims);
  harp_output(g, "y", harp_add(harp_mul(a, b), harp_constant(g, HARP_F32, 1)));
  harp_program* program = harp_compile(g, NULL, &err);
  float x[4096] = {0}, y[4096];
  double seconds = -1;
  if (program != NULL && n <= 4096) {
    int64_t sizes[1] = {n};
    harp_const_array inputs[2] = {{x, sizes, HARP_F32, 1}, {x, sizes, HARP_F32, 1}};
    harp_array output = {y, sizes, HARP_F32, 1};
    struct timespec begin, end;
    for (int batch = 0; batch < batches; ++batch) {
      clock_gettime(CLOCK_MONOTONIC, &begin);
      for (int i = 0; i < times; ++i) {
        if (harp_program_call(program, 2, inputs, 1, &output, NULL, NULL) != HARP_OK) break;
      }
      clock_gettime(CLOCK_MONOTONIC, &end);
      const double took = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
      if (seconds < 0 || took < seconds) seconds = took;
    }
  }
  harp_program_release(program), harp_graph_release(g), harp_context_release(context), harp_error_release(err);
  return seconds;
}
*/
import "C"

// FromC returns the nanoseconds of one call from C, in the fastest batch of calls; negative on failure.
func FromC(batches, times, n int) float64 {
	return float64(C.measure(C.int(batches), C.int(times), C.int(n))) / float64(times) * 1e9
}
