/* The Gray-Scott step by hand. Both variants split each row into its two border columns and the interior, read neighbours through row
 * pointers, and tell the compiler that the arrays do not overlap; they differ in how the interior is written. They are compiled with the
 * flags that harp uses for its own kernels. If -fopenmp is added, threads share the rows. */
#include "by_hand.h"

/* Computes a cell from its values and those of its four neighbours. */
static inline void cell(float u, float u_up, float u_down, float u_left, float u_right, float v, float v_up, float v_down, float v_left,
                        float v_right, float* next_u, float* next_v) {
  const float laplace_u = u_up + u_down + u_left + u_right - 4.0f * u;
  const float laplace_v = v_up + v_down + v_left + v_right - 4.0f * v;
  const float reaction = u * v * v;
  *next_u = u + (DIFFUSION_U * laplace_u - reaction + FEED * (1.0f - u));
  *next_v = v + (DIFFUSION_V * laplace_v + reaction - (FEED + KILL) * v);
}

static inline void border(const float* u, const float* u_up, const float* u_down, const float* v, const float* v_up, const float* v_down,
                          float* next_u, float* next_v, ptrdiff_t j, ptrdiff_t width) {
  const ptrdiff_t left = j > 0 ? j - 1 : width - 1, right = j + 1 < width ? j + 1 : 0;
  cell(u[j], u_up[j], u_down[j], u[left], u[right], v[j], v_up[j], v_down[j], v[left], v[right], next_u + j, next_v + j);
}

/* A plain loop over the interior, which the compiler vectorises. */
static void interior_plain(const float* restrict u, const float* restrict u_up, const float* restrict u_down, const float* restrict v,
                           const float* restrict v_up, const float* restrict v_down, float* restrict next_u, float* restrict next_v,
                           ptrdiff_t width) {
  for (ptrdiff_t j = 1; j < width - 1; ++j)
    cell(u[j], u_up[j], u_down[j], u[j - 1], u[j + 1], v[j], v_up[j], v_down[j], v[j - 1], v[j + 1], next_u + j, next_v + j);
}

typedef float vector __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
enum { LANES = VECTOR_BYTES / 4 };
static inline vector at(const float* p) { return *(const vector*)p; }

/* The interior by explicit vectors. The last vector overlaps the one before it, so that no cells are left over. */
static void interior_vector(const float* restrict u, const float* restrict u_up, const float* restrict u_down, const float* restrict v,
                            const float* restrict v_up, const float* restrict v_down, float* restrict next_u, float* restrict next_v,
                            ptrdiff_t width) {
  if (width - 2 < LANES) {
    interior_plain(u, u_up, u_down, v, v_up, v_down, next_u, next_v, width);
    return;
  }
  for (ptrdiff_t i = 1; i < width - 1; i += LANES) {
    const ptrdiff_t j = i < width - 1 - LANES ? i : width - 1 - LANES;
    const vector a = at(u + j), b = at(v + j);
    const vector laplace_u = at(u_up + j) + at(u_down + j) + at(u + j - 1) + at(u + j + 1) - 4.0f * a;
    const vector laplace_v = at(v_up + j) + at(v_down + j) + at(v + j - 1) + at(v + j + 1) - 4.0f * b;
    const vector reaction = a * b * b;
    *(vector*)(next_u + j) = a + (DIFFUSION_U * laplace_u - reaction + FEED * (1.0f - a));
    *(vector*)(next_v + j) = b + (DIFFUSION_V * laplace_v + reaction - (FEED + KILL) * b);
  }
}

#define STEP(name, interior)                                                                                                     \
  static void name(const float* u, const float* v, float* next_u, float* next_v, ptrdiff_t height, ptrdiff_t width) {            \
    _Pragma("omp parallel for schedule(static)") for (ptrdiff_t i = 0; i < height; ++i) {                                        \
      const ptrdiff_t row = i * width;                                                                                           \
      const ptrdiff_t up = (i > 0 ? i - 1 : height - 1) * width, down = (i + 1 < height ? i + 1 : 0) * width;                    \
      border(u + row, u + up, u + down, v + row, v + up, v + down, next_u + row, next_v + row, 0, width);                        \
      interior(u + row, u + up, u + down, v + row, v + up, v + down, next_u + row, next_v + row, width);                         \
      if (width > 1) border(u + row, u + up, u + down, v + row, v + up, v + down, next_u + row, next_v + row, width - 1, width); \
    }                                                                                                                            \
  }
STEP(step_plain, interior_plain)
STEP(step_vector, interior_vector)

const struct variant by_hand[] = {{"plain loop", step_plain}, {"explicit vectors", step_vector}, {0, 0}};
