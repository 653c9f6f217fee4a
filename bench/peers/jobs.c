/* An ensemble of Lorenz attractors, written by hand. The members are divided into blocks whose coordinates stay in registers and the L1
 * cache for all steps; the compiler vectorises the loop over the members of a block. This file is compiled once for each CPU level, with
 * -DTARGET_SYMBOL (the name of the table), -DTARGET_NAME (harp's name of the level) and -Dby_hand (the name of the level's table of
 * Gray-Scott steps). */
#include "jobs.h"

struct point {
  float x, y, z;
};

static inline struct point velocity(struct point p) {
  return (struct point){10.0f * (p.y - p.x), p.x * (28.0f - p.z) - p.y, p.x * p.y - (float)(8.0 / 3) * p.z};
}

static inline struct point moved(struct point p, float factor, struct point d) {
  return (struct point){p.x + factor * d.x, p.y + factor * d.y, p.z + factor * d.z};
}

static inline float total(float k1, float k2, float k3, float k4) { return k1 + 2.0f * (k2 + k3) + k4; }

/* Advances a point by one Runge-Kutta step. */
static inline struct point step(struct point p) {
  const float time = 0.0078125f;
  const struct point k1 = velocity(p), k2 = velocity(moved(p, time / 2, k1)), k3 = velocity(moved(p, time / 2, k2)),
                     k4 = velocity(moved(p, time, k3));
  const struct point sum = {total(k1.x, k2.x, k3.x, k4.x), total(k1.y, k2.y, k3.y, k4.y), total(k1.z, k2.z, k3.z, k4.z)};
  return moved(p, (float)(0.0078125 / 6), sum);
}

static void lorenz(struct ensemble from, struct ensemble to, size_t members, size_t steps) {
  enum { BLOCK = 64 };
#pragma omp parallel for schedule(static)
  for (size_t begin = 0; begin < members; begin += BLOCK) {
    float x[BLOCK], y[BLOCK], z[BLOCK];
    const size_t count = begin + BLOCK <= members ? BLOCK : members - begin;
    for (size_t i = 0; i < BLOCK; ++i) {
      const size_t at = begin + (i < count ? i : 0);
      x[i] = from.x[at], y[i] = from.y[at], z[i] = from.z[at];
    }
    for (size_t s = 0; s < steps; ++s)
      for (size_t i = 0; i < BLOCK; ++i) {
        const struct point p = step((struct point){x[i], y[i], z[i]});
        x[i] = p.x, y[i] = p.y, z[i] = p.z;
      }
    for (size_t i = 0; i < count; ++i) to.x[begin + i] = x[i], to.y[begin + i] = y[i], to.z[begin + i] = z[i];
  }
}

const struct jobs TARGET_SYMBOL = {TARGET_NAME, by_hand, lorenz};
