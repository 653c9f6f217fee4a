/* A program of another project, which only has harp's installed header and library. It is compiled as C99 and as C++11. It includes the
   header twice, builds a graph that computes y[n, 3] = tanh(a * w + 0.5) for any n, runs the graph for two sizes, and checks shapes and
   values. */
#include <harp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, const harp_error* err) {
  fprintf(stderr, "consumer: %s: %s\n", what, err ? harp_error_message(err) : "no error given");
  return 1;
}

static int run_rows(harp_context* ctx, harp_program* program, int64_t rows) {
  harp_error* err = NULL;
  float a[12], w[3] = {1.0f, -2.0f, 0.25f};
  harp_dim ad[2], wd[1] = {3};
  const int64_t* yd;
  harp_buffer* in[2];
  harp_buffer *ab, *wb, *out = NULL;
  const float* y;
  int64_t i;
  ad[0] = rows;
  ad[1] = 3;
  for (i = 0; i < rows * 3; ++i) a[i] = (float)i / 7.0f;
  ab = harp_buffer_wrap(ctx, HARP_F32, 2, ad, a, NULL, NULL, &err);
  if (!ab) return fail("harp_buffer_wrap", err);
  wb = harp_buffer_wrap(ctx, HARP_F32, 1, wd, w, NULL, NULL, &err);
  if (!wb) return fail("harp_buffer_wrap", err);
  in[0] = ab;
  in[1] = wb;
  if (harp_program_run(program, 2, in, 1, &out, NULL, &err) != HARP_OK) return fail("harp_program_run", err);
  yd = harp_buffer_dims(out);
  if (harp_buffer_rank(out) != 2 || yd[0] != rows || yd[1] != 3) return fail("shape of y", NULL);
  y = (const float*)harp_buffer_data(out);
  for (i = 0; i < rows * 3; ++i)
    if (fabs(y[i] - tanh((double)a[i] * w[i % 3] + 0.5)) > 1e-6) return fail("value of y", NULL);
  harp_buffer_release(out);
  harp_buffer_release(wb);
  harp_buffer_release(ab);
  return 0;
}

int main(void) {
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  harp_graph* graph;
  harp_program* program;
  harp_node *a, *w;
  harp_dim ad[2], wd[1];
  if (!ctx) return fail("harp_context_new", err);
  graph = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, &err);
  if (!graph) return fail("harp_graph_new", err);
  ad[0] = harp_dim_var(graph, "n", 0, 4096);
  ad[1] = wd[0] = 3;
  a = harp_input(graph, "a", HARP_F32, 2, ad); /* separate statements, because the order of the calls is the order of the inputs */
  w = harp_input(graph, "w", HARP_F32, 1, wd);
  harp_output(graph, "y", harp_tanh(harp_add(harp_mul(a, w), harp_constant(graph, HARP_F32, 0.5))));
  program = harp_compile(graph, NULL, &err);
  if (!program) return fail("harp_compile", err);
  if (run_rows(ctx, program, 4) != 0 || run_rows(ctx, program, 0) != 0) return 1;
  harp_program_release(program);
  harp_graph_release(graph);
  harp_context_release(ctx);
  printf("harp %s ok\n", harp_version_string());
  return 0;
}
