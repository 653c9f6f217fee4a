/* A simulation of water by harp, for any game engine. It loads harp, compiles the graphs of a scene, and advances arrays that belong to
 * the engine. godot3.c and godot4.c contain the code for particular engines. */
#ifndef WATER_H
#define WATER_H

#include <harp.h>
#include <stddef.h>
#include <stdint.h>

struct water;

struct water_options {
  const char* library;      /* as in open_harp */
  const char* backend;      /* "c" or "interp"; "": "c" if there is a C compiler, otherwise "interp" */
  const char* step_text;    /* text of a graph h, u, v, depth -> h, u, v with arrays f32[n, m] */
  const char* picture_text; /* text of a graph h, depth -> rgb: from f32[n, m] to u8[n, m, 3] */
  int64_t size;             /* the value of n and m */

  /* The engine's thread pool, as in harp_context_options; NULL: only the calling thread. */
  void (*parallel_for)(void* user, size_t n, size_t grain, harp_range_body body, void* arg);
  void* parallel_for_user;
  size_t width;

  /* Receives warnings, from any thread. */
  void (*warn)(const char* text);
};

/* Makes a simulation. On failure returns NULL and writes the reason to `error`, which has room for `size` bytes. The options' texts are
 * not needed afterwards. */
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
