/* The step of scene/water.harp, written by hand in C. HarpField.measure compares harp with it. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include <stddef.h>

struct by_hand {
  const char* name;
  /* Advances the field by one step: u and v in place, h into next_h. All arrays are row-major, [height, width]. */
  void (*step)(const float* h, float* u, float* v, const float* depth, float* next_h, ptrdiff_t height, ptrdiff_t width);
};

/* The variants; the array ends with an element whose name is NULL. */
extern const struct by_hand by_hand[];

#endif
