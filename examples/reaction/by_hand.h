/* The simulation step, written by hand in C to compare harp with, and the parameters of the model. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <stddef.h>

/* Parameters of the Gray-Scott model (time step 1, grid spacing 1). */
#define DIFFUSION_U 0.16f
#define DIFFUSION_V 0.08f
#define FEED 0.0545f
#define KILL 0.062f

/* Does a step of a height x width grid that is periodic at the edges: from (u, v) to (next_u, next_v), which must not overlap u and v. */
typedef void (*step_function)(const float* u, const float* v, float* next_u, float* next_v, ptrdiff_t height, ptrdiff_t width);

struct variant {
  const char* name;
  step_function step;
};
/* All hand-written variants; reaction.c compares harp with the fastest. The array ends with an element whose name is NULL. */
extern const struct variant by_hand[];

#endif
