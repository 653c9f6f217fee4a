/* Water that harp computes, for any engine: loads harp, compiles the graphs that a scene contains, and steps arrays that the engine
 * owns. The code for particular engines is in godot3.c and godot4.c. */
#ifndef WATER_H
#define WATER_H

#include <harp.h>
#include <stddef.h>
#include <stdint.h>

struct water;

struct water_options {
  const char* library;      /* as in open_harp */
  const char* backend;      /* "c", "interp", or "": "c" if there is a C compiler */
  const char* step_text;    /* a graph h, u, v, depth -> h, u, v of f32[n, m] */
  const char* picture_text; /* a graph h, depth -> rgb, u8[n, m, 3], of f32[n, m] */
  int64_t size;             /* n and m */

  /* The engine's thread pool, as in harp_context_options; NULL: only the calling thread. */
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg);
  void* parallel_for_user;
  size_t width;

  /* Receives warnings, from any thread. */
  void (*warn)(const char* text);
};

/* Makes a water; NULL on failure, with the reason in `error`, which has room for `size` bytes. The options' texts are not needed
 * afterwards. */
struct water* water_new(const struct water_options* options, char* error, size_t size);
void water_delete(struct water* water);

/* One step: u and v in place, h into next_h. Allocates nothing with the backend "c". Returns 0; -1 with the reason in `error`. */
int water_step(struct water* water, const float* h, float* u, float* v, const float* depth, float* next_h, char* error, size_t size);
/* Draws the surface from above, as size * size * 3 bytes: red, green, blue. */
int water_picture(struct water* water, const float* h, const float* depth, uint8_t* rgb, char* error, size_t size);
/* Writes an array of size * size numbers to a .npy file. */
int water_save(struct water* water, const float* data, const char* path, char* error, size_t size);

int64_t water_size(const struct water* water);
const char* water_backend(const struct water* water); /* "c" or "interp" */

#endif
