/*
 * CG of the NAS Parallel Benchmarks: computes the smallest eigenvalue of a sparse random matrix by inverse power iteration, in which each
 * linear system is solved by 25 steps of conjugate gradients. Here the matrix is stored as a dense one.
 *
 *     cg [S|W|A]
 *
 * An outer iteration with its 25 steps is one graph; the host makes the matrix, swaps buffers and prints.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npb.h"

enum { STEPS = 25 };

struct problem {
  char name;
  int size, nonzeros, iterations; /* nonzeros: number of elements of a random vector that are not 0 */
  double shift, zeta;
};
static const struct problem problems[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648}, {'W', 7000, 8, 15, 12, 10.362595087124}, {'A', 14000, 11, 15, 20, 17.130235054029}};
static const double condition = 0.1;

/* --- the graph --------------------------------------------------------------------------------------------------------------- */

static harp_graph* power_step(harp_context* ctx, const struct problem* problem, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "cg", NULL);
  const harp_dim n = harp_dim_var(g, "n", 1, 1 << 20), dims[2] = {n, n};
  harp_node* a = harp_input(g, "a", HARP_F64, 2, dims);
  harp_node* x = harp_input(g, "x", HARP_F64, 1, dims);

  harp_node *z = NULL, *r = x, *p = x, *rho = harp_dot(r, r); /* z starts at 0 */
  for (int i = 0; i < STEPS; ++i) {
    harp_node* q = harp_matmul(a, p);
    harp_node* alpha = harp_div(rho, harp_dot(p, q));
    harp_node* step = harp_mul(alpha, p);
    z = z ? harp_add(z, step) : step;
    r = harp_sub(r, harp_mul(alpha, q));
    harp_node* before = rho;
    rho = harp_dot(r, r);
    p = harp_add(r, harp_mul(harp_div(rho, before), p));
  }
  harp_node* rest = harp_sub(x, harp_matmul(a, z));
  harp_output(g, "next_x", harp_div(z, harp_sqrt(harp_dot(z, z))));
  harp_output(g, "zeta", harp_add(harp_constant(g, HARP_F64, problem->shift), harp_div(harp_constant(g, HARP_F64, 1), harp_dot(x, z))));
  harp_output(g, "residual", harp_sqrt(harp_dot(rest, rest)));
  return g;
}

/* --- the matrix ---------------------------------------------------------------------------------------------------------------- */

/* Makes a random sparse vector: `count` different positions and their values, in the order in which they are drawn. */
static void random_vector(uint64_t* state, int size, int count, int* place, double* value) {
  int power = 2;
  while (power < size) power *= 2;
  for (int have = 0; have < count;) {
    const double v = npb_random(state);
    const int at = (int)(power * npb_random(state));
    int is_new = at < size;
    for (int i = 0; i < have; ++i) is_new &= place[i] != at;
    if (is_new) place[have] = at, value[have++] = v;
  }
}

/* The matrix is the sum of the outer products of random vectors with themselves, with weights that decrease from 1 to `condition`, plus
 * (condition - shift) times the identity. */
static void make_matrix(double* a, const struct problem* problem) {
  enum { MOST = 32 };
  int place[MOST];
  double value[MOST];
  const size_t n = (size_t)problem->size;
  memset(a, 0, n * n * sizeof *a);
  uint64_t state = NPB_SEED;
  npb_random(&state); /* the benchmark discards the first number */
  const double ratio = pow(condition, 1.0 / problem->size);
  double weight = 1;
  for (int i = 0; i < problem->size; ++i, weight *= ratio) {
    int count = problem->nonzeros, own = 0;
    random_vector(&state, problem->size, count, place, value);
    while (own < count && place[own] != i) ++own;
    if (own == count) ++count;
    place[own] = i, value[own] = 0.5;
    for (int row = 0; row < count; ++row)
      for (int column = 0; column < count; ++column)
        a[(size_t)place[row] * n + (size_t)place[column]] += value[column] * (weight * value[row]);
    a[(size_t)i * n + (size_t)i] += condition - problem->shift;
  }
}

/* --- running ------------------------------------------------------------------------------------------------------------------- */

static int run(harp_program* program, harp_context* ctx, const struct problem* problem) {
  harp_error* err = NULL;
  const int64_t dims[2] = {problem->size, problem->size};
  static const int32_t ranks[5] = {2, 1, 1, 0, 0};
  harp_buffer* b[5] = {0}; /* a, x; next x, zeta, residual */
  int status = 0;
  for (int i = 0; i < 5; ++i)
    if (status == 0 && !(b[i] = harp_buffer_new(ctx, NULL, HARP_F64, ranks[i], dims, &err))) status = npb_failed("memory", err);
  if (status == 0) {
    make_matrix(harp_buffer_data(b[0]), problem);
    double* x = harp_buffer_data(b[1]);
    for (int i = 0; i < problem->size; ++i) x[i] = 1;
    const double begin = npb_seconds();
    for (int i = 1; i <= problem->iterations && status == 0; ++i) {
      if (harp_program_run(program, 2, b, 3, b + 2, NULL, &err) != HARP_OK) {
        status = npb_failed("running", err);
      } else {
        printf("%3d  residual %.4e  zeta %.13f\n", i, *(double*)harp_buffer_data(b[4]), *(double*)harp_buffer_data(b[3]));
        harp_buffer* old = b[1];
        b[1] = b[2], b[2] = old;
      }
    }
    if (status == 0) status = npb_verify("zeta", *(double*)harp_buffer_data(b[3]), problem->zeta, 1e-10, npb_seconds() - begin);
  }
  for (int i = 0; i < 5; ++i) harp_buffer_release(b[i]);
  return status;
}

int main(int argc, char** argv) {
  const int chosen = npb_class(argc, argv, "cg", "SWA"); /* same order as in problems */
  if (chosen < 0) return 2;
  const struct problem* problem = &problems[chosen];
  printf("CG class %c: %d rows, %d iterations of %d steps\n", problem->name, problem->size, problem->iterations, STEPS);
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  harp_graph* g = ctx ? power_step(ctx, problem, &err) : NULL;
  harp_program* program = g ? npb_compile(g, &err) : NULL;
  const int status = program ? run(program, ctx, problem) : npb_failed("compiling", err);
  harp_graph_release(g);
  harp_program_release(program);
  harp_context_release(ctx);
  return status;
}
