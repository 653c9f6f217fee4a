/* The shallow-water step by hand, with the operations of scene/water.harp in the same order, so that the results have the same bits.
 * Each row is split into its border columns, whose neighbours are at the other border, and the interior. `restrict` tells the compiler
 * that the arrays do not overlap. Compiled with the flags that harp uses for its own kernels. */
#include "by_hand.h"

static inline float velocity(float old, float surface, float next_surface) { return 0.9998f * (old - 0.4f * (next_surface - surface)); }

/* The flow over an edge between two cells, times 2. */
static inline float flow(float velocity, float surface, float depth, float next_surface, float next_depth) {
  return velocity * ((surface + depth) + (next_surface + next_depth));
}

static inline void velocities_of_row(const float* restrict h, const float* restrict below, float* restrict u, float* restrict v,
                                     ptrdiff_t width) {
  for (ptrdiff_t j = 0; j < width - 1; ++j) {
    u[j] = velocity(u[j], h[j], h[j + 1]);
    v[j] = velocity(v[j], h[j], below[j]);
  }
  u[width - 1] = velocity(u[width - 1], h[width - 1], h[0]);
  v[width - 1] = velocity(v[width - 1], h[width - 1], below[width - 1]);
}

/* The rows that determine the next surface of one row: that row, and those above and below. */
struct rows {
  const float *h, *h_above, *h_below, *d, *d_above, *d_below, *u, *v, *v_above;
};

static inline float surface(const struct rows* r, ptrdiff_t left, ptrdiff_t j, ptrdiff_t right) {
  const float out_u = flow(r->u[j], r->h[j], r->d[j], r->h[right], r->d[right]);
  const float in_u = flow(r->u[left], r->h[left], r->d[left], r->h[j], r->d[j]);
  const float out_v = flow(r->v[j], r->h[j], r->d[j], r->h_below[j], r->d_below[j]);
  const float in_v = flow(r->v_above[j], r->h_above[j], r->d_above[j], r->h[j], r->d[j]);
  return r->h[j] - 0.2f * ((out_u - in_u) + (out_v - in_v));
}

static inline void surface_of_row(const struct rows* rows, float* restrict next, ptrdiff_t width) {
  const struct rows r = *rows; /* a copy, because stores could change *rows */
  next[0] = surface(&r, width - 1, 0, width > 1);
  for (ptrdiff_t j = 1; j < width - 1; ++j) next[j] = surface(&r, j - 1, j, j + 1);
  if (width > 1) next[width - 1] = surface(&r, width - 2, width - 1, 0);
}

static inline struct rows rows_at(const float* h, const float* u, const float* v, const float* d, ptrdiff_t i, ptrdiff_t height,
                                  ptrdiff_t width) {
  const ptrdiff_t at = i * width, above = (i > 0 ? i - 1 : height - 1) * width, below = (i + 1 < height ? i + 1 : 0) * width;
  return (struct rows){h + at, h + above, h + below, d + at, d + above, d + below, u + at, v + at, v + above};
}

/* First all velocities, then the surface, in the order of the equations. */
static void in_two_sweeps(const float* h, float* u, float* v, const float* depth, float* next_h, ptrdiff_t height, ptrdiff_t width) {
  for (ptrdiff_t i = 0; i < height; ++i)
    velocities_of_row(h + i * width, h + (i + 1 < height ? i + 1 : 0) * width, u + i * width, v + i * width, width);
  for (ptrdiff_t i = 0; i < height; ++i) {
    const struct rows rows = rows_at(h, u, v, depth, i, height, width);
    surface_of_row(&rows, next_h + i * width, width);
  }
}

/* Computes the surface of each row directly after the velocities of that row, while both are in the L1 cache. The first row needs
 * velocities of the last row, so its surface is computed last. */
static void in_one_sweep(const float* h, float* u, float* v, const float* depth, float* next_h, ptrdiff_t height, ptrdiff_t width) {
  for (ptrdiff_t i = 0; i < height; ++i) {
    velocities_of_row(h + i * width, h + (i + 1 < height ? i + 1 : 0) * width, u + i * width, v + i * width, width);
    if (i == 0) continue;
    const struct rows rows = rows_at(h, u, v, depth, i, height, width);
    surface_of_row(&rows, next_h + i * width, width);
  }
  const struct rows rows = rows_at(h, u, v, depth, 0, height, width);
  surface_of_row(&rows, next_h, width);
}

const struct by_hand by_hand[] = {{"two sweeps", in_two_sweeps}, {"one sweep", in_one_sweep}, {NULL, NULL}};
