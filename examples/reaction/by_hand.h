/* The same simulation step written by hand in C, against which harp is measured, and the parameters of the model. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <stddef.h>

/* Parameters of the Gray-Scott model (time step 1, grid spacing 1). */
#define DIFFUSION_U 0.16f
#define DIFFUSION_V 0.08f
#define FEED 0.0545f
#define KILL 0.062f

/* One step of a height x width grid, periodic at the edges: from (u, v) to (next_u, next_v), which must not overlap them. */
typedef void (*step_function)(const float* u, const float* v, float* next_u, float* next_v, ptrdiff_t height, ptrdiff_t width);

struct variant {
  const char* name;
  step_function step;
};
/* Every hand-written variant; the fastest one is the peer. Ends with a NULL name. */
extern const struct variant by_hand[];

#endif
