/*
 * MG of the NAS Parallel Benchmarks: four or more V-cycles of multigrid for the Poisson equation on a periodic cube. The right-hand side is
 * +1 at ten points and -1 at ten others.
 *
 *     mg [S|W|A|B|C]
 *
 * A whole cycle, down and up through all levels, and the norm of the residual are one graph; the host places the charges, swaps buffers and
 * prints.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npb.h"

struct problem {
  char name;
  int size, cycles;
  double norm; /* norm of the residual after the last cycle */
};
static const struct problem problems[] = {{'S', 32, 4, 0.5307707005734e-4},
                                          {'W', 128, 4, 0.6467329375339e-5},
                                          {'A', 256, 4, 0.2433365309069e-5},
                                          {'B', 256, 20, 0.1800564401355e-5},
                                          {'C', 512, 20, 0.5706732285740e-6}};

/* Weights of a point, of its 6 neighbours across faces, 12 across edges and 8 across corners. */
typedef double stencil[4];
static const stencil poisson = {-8.0 / 3.0, 0, 1.0 / 6.0, 1.0 / 12.0};
static const stencil smoother_small = {-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0}, smoother_large = {-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0};
static const stencil restriction = {1.0 / 2.0, 1.0 / 4.0, 1.0 / 8.0, 1.0 / 16.0};

/* --- the graph --------------------------------------------------------------------------------------------------------------- */

static harp_node* scaled(harp_graph* g, double weight, harp_node* x) { return harp_mul(harp_constant(g, HARP_F64, weight), x); }

/* The sum of the two neighbours of each point along an axis; the cube is periodic. */
static harp_node* beside(harp_node* x, int32_t axis) {
  const harp_dim forward = 1, back = -1;
  return harp_add(harp_roll(x, 1, &forward, &axis), harp_roll(x, 1, &back, &axis));
}

static harp_node* apply(harp_graph* g, const stencil weights, harp_node* x) {
  harp_node *a = beside(x, 0), *b = beside(x, 1), *c = beside(x, 2), *ab = beside(a, 1);
  harp_node* by_distance[4] = {x, harp_add(harp_add(a, b), c), harp_add(harp_add(ab, beside(a, 2)), beside(b, 2)), beside(ab, 2)};
  harp_node* sum = scaled(g, weights[0], x);
  for (int i = 1; i < 4; ++i)
    if (weights[i] != 0) sum = harp_add(sum, scaled(g, weights[i], by_distance[i]));
  return sum;
}

/* The coarse grid consists of the points of the fine grid with odd indices. */
static harp_node* coarser(harp_graph* g, harp_node* fine) {
  const harp_dim start[3] = {1, 1, 1}, stop[3] = {HARP_SLICE_NONE, HARP_SLICE_NONE, HARP_SLICE_NONE};
  const int64_t step[3] = {2, 2, 2};
  return harp_slice(apply(g, restriction, fine), 3, start, stop, step);
}

static harp_node* finer(harp_graph* g, harp_node* coarse, int size) {
  harp_dim dims[3] = {size / 2, size / 2, size / 2};
  for (int32_t axis = 0; axis < 3; ++axis) {
    const harp_dim forward = 1;
    harp_node* between = scaled(g, 0.5, harp_add(coarse, harp_roll(coarse, 1, &forward, &axis)));
    harp_node* both[2] = {between, coarse};
    dims[axis] = size;
    coarse = harp_reshape(harp_stack(2, both, axis + 1), 3, dims);
  }
  return coarse;
}

static harp_graph* cycle(harp_context* ctx, const struct problem* problem, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, 0, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "mg", NULL);
  const double* smoother = problem->name == 'B' || problem->name == 'C' ? smoother_large : smoother_small;
  const int size = problem->size;
  const harp_dim dims[3] = {size, size, size};
  harp_node* u = harp_input(g, "u", HARP_F64, 3, dims);
  harp_node* v = harp_input(g, "v", HARP_F64, 3, dims);
  harp_node* r = harp_input(g, "r", HARP_F64, 3, dims);

  harp_node* residual[32] = {r}; /* the residual of each level, the finest first */
  int levels = 1;
  for (int n = size; n > 2; n /= 2, ++levels) residual[levels] = coarser(g, residual[levels - 1]);
  harp_node* z = apply(g, smoother, residual[levels - 1]);
  for (int level = levels - 2; level > 0; --level) {
    z = finer(g, z, size >> level);
    r = harp_sub(residual[level], apply(g, poisson, z));
    z = harp_add(z, apply(g, smoother, r));
  }
  u = harp_add(u, finer(g, z, size));
  r = harp_sub(v, apply(g, poisson, u));
  u = harp_add(u, apply(g, smoother, r));
  r = harp_sub(v, apply(g, poisson, u));
  harp_output(g, "next_u", u);
  harp_output(g, "next_r", r);
  harp_output(g, "norm", harp_sqrt(harp_mean(harp_mul(r, r), 0, NULL, 0)));
  return g;
}

/* --- the host's part ----------------------------------------------------------------------------------------------------------- */

/* Puts +1 at the positions of the ten largest of size^3 random numbers, and -1 at those of the ten smallest. */
static void place_charges(double* v, int size) {
  enum { CHARGES = 10 };
  double value[2][CHARGES];
  size_t place[2][CHARGES];
  for (int i = 0; i < CHARGES; ++i) value[0][i] = 1, value[1][i] = 0, place[0][i] = place[1][i] = 0;
  const size_t points = (size_t)size * (size_t)size * (size_t)size;
  uint64_t state = NPB_SEED;
  for (size_t p = 0; p < points; ++p) {
    const double x = npb_random(&state);
    v[p] = 0;
    for (int side = 0; side < 2; ++side) { /* keeps value[side] sorted: side 0 the smallest numbers, side 1 the largest */
      int i = CHARGES;
      for (; i > 0 && (side == 0 ? x < value[0][i - 1] : x > value[1][i - 1]); --i)
        if (i < CHARGES) value[side][i] = value[side][i - 1], place[side][i] = place[side][i - 1];
      if (i < CHARGES) value[side][i] = x, place[side][i] = p;
    }
  }
  for (int i = 0; i < CHARGES; ++i) v[place[0][i]] = -1, v[place[1][i]] = 1;
}

static int run(harp_program* program, harp_context* ctx, const struct problem* problem) {
  harp_error* err = NULL;
  const int64_t dims[3] = {problem->size, problem->size, problem->size};
  harp_buffer* b[6] = {0}; /* u, v, r; next u, next r, norm */
  int status = 0;
  for (int i = 0; i < 6; ++i)
    if (status == 0 && !(b[i] = harp_buffer_new(ctx, NULL, HARP_F64, i < 5 ? 3 : 0, dims, &err))) status = npb_failed("memory", err);
  if (status == 0) {
    place_charges(harp_buffer_data(b[1]), problem->size);
    memset(harp_buffer_data(b[0]), 0, harp_buffer_size(b[0]));
    memcpy(harp_buffer_data(b[2]), harp_buffer_data(b[1]), harp_buffer_size(b[2])); /* the residual of u = 0 is v */
    const double begin = npb_seconds();
    for (int i = 0; i < problem->cycles && status == 0; ++i) {
      if (harp_program_run(program, 3, b, 3, b + 3, NULL, &err) != HARP_OK) status = npb_failed("running", err);
      harp_buffer *u = b[0], *r = b[2];
      b[0] = b[3], b[2] = b[4], b[3] = u, b[4] = r;
    }
    if (status == 0)
      status = npb_verify("L2 norm", *(const double*)harp_buffer_const_data(b[5]), problem->norm, 1e-8, npb_seconds() - begin);
  }
  for (int i = 0; i < 6; ++i) harp_buffer_release(b[i]);
  return status;
}

int main(int argc, char** argv) {
  const int chosen = npb_class(argc, argv, "mg", "SWABC"); /* same order as in problems */
  if (chosen < 0) return 2;
  const struct problem* problem = &problems[chosen];
  printf("MG class %c: %d^3 points, %d cycles\n", problem->name, problem->size, problem->cycles);
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  harp_graph* g = ctx ? cycle(ctx, problem, &err) : NULL;
  harp_program* program = g ? npb_compile(g, &err) : NULL;
  const int status = program ? run(program, ctx, problem) : npb_failed("compiling", err);
  harp_graph_release(g);
  harp_program_release(program);
  harp_context_release(ctx);
  return status;
}
