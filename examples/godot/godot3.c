/* HarpField, a class for Godot 3 scripts (GDNative, NativeScript 1.0): a simulation of water on a torus, which does one step in each frame,
 * in `_process`. The arrays belong to the engine. A script calls
 *
 *     setup(step, picture, size, library, backend) -> bool   texts of the two graphs (water.h); library and backend may be ""
 *     start(h, depth) -> bool     PoolRealArrays of size * size numbers: the surface relative to rest, and the depth at rest
 *     play(frames)                does a step in each of the next `frames` frames
 *     frames_left() -> int
 *     surface() -> PoolRealArray
 *     picture() -> PoolByteArray  size * size * 3 bytes, for Image.create_from_data
 *     save(array, path) -> bool   "h", "u", "v" or "depth" as a .npy file
 *     frame_times() -> PoolRealArray  microseconds of each step since start
 *     measure(rounds) -> PoolRealArray  see measure below
 *     backend() -> String         "c" or "interp", "" before setup
 *
 * Errors are reported in the engine's error list; the scene continues, but the water does not move. */
#include "by_hand.h"
#include "water.h"

#include <gdnative_api_struct.gen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const godot_gdnative_core_api_struct* core;
static const godot_gdnative_ext_nativescript_api_struct* script;

typedef struct {
  struct water* water;
  godot_pool_real_array h, next_h, u, v, depth, times;
  int64_t frames_left;
} field;

#define REPORT(text) core->godot_print_error(text, __func__, __FILE__, __LINE__)

static void warn(const char* text) { core->godot_print_warning(text, "HarpField", __FILE__, __LINE__); }

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* ---- locked arrays of the engine: while an array is locked, the engine neither moves nor frees it, so nothing has to be copied ---- */

typedef struct {
  godot_pool_real_array_read_access* lock;
  const float* data;
} reading;
typedef struct {
  godot_pool_real_array_write_access* lock;
  float* data;
} writing;

static reading lock_read(const godot_pool_real_array* array) {
  reading r = {core->godot_pool_real_array_read(array), NULL};
  r.data = core->godot_pool_real_array_read_access_ptr(r.lock);
  return r;
}
/* If a script also refers to the array, the engine makes a separate copy for this writer first (copy on write). */
static writing lock_write(godot_pool_real_array* array) {
  writing w = {core->godot_pool_real_array_write(array), NULL};
  w.data = core->godot_pool_real_array_write_access_ptr(w.lock);
  return w;
}
static void unlock_read(reading r) { core->godot_pool_real_array_read_access_destroy(r.lock); }
static void unlock_write(writing w) { core->godot_pool_real_array_write_access_destroy(w.lock); }

/* ---- values of scripts ---- */

static godot_variant nil(void) {
  godot_variant result;
  core->godot_variant_new_nil(&result);
  return result;
}
static godot_variant boolean(int value) {
  godot_variant result;
  core->godot_variant_new_bool(&result, value != 0);
  return result;
}
static godot_variant reals(const godot_pool_real_array* array) {
  godot_variant result;
  core->godot_variant_new_pool_real_array(&result, array);
  return result;
}
/* Returns the text of an argument; the caller frees it. */
static char* text_of(const godot_variant* value) {
  godot_string string = core->godot_variant_as_string(value);
  godot_char_string utf8 = core->godot_string_utf8(&string);
  char* text = strdup(core->godot_char_string_get_data(&utf8));
  core->godot_char_string_destroy(&utf8);
  core->godot_string_destroy(&string);
  return text;
}
static int has_arguments(const char* method, int found, int expected) {
  char text[128];
  if (found == expected) return 1;
  snprintf(text, sizeof text, "HarpField.%s: expected %d arguments, found %d", method, expected, found);
  REPORT(text);
  return 0;
}
static int is_set_up(const field* f) {
  if (!f->water) REPORT("HarpField: setup has not been called, or failed");
  return f->water != NULL;
}

/* ---- creating and destroying objects ---- */

static void* create(godot_object* object, void* data) {
  (void)object, (void)data;
  field* f = calloc(1, sizeof *f);
  godot_pool_real_array* arrays[] = {&f->h, &f->next_h, &f->u, &f->v, &f->depth, &f->times};
  for (int i = 0; i < 6; ++i) core->godot_pool_real_array_new(arrays[i]);
  return f;
}
static void destroy(godot_object* object, void* data, void* self) {
  (void)object, (void)data;
  field* f = self;
  water_delete(f->water);
  godot_pool_real_array* arrays[] = {&f->h, &f->next_h, &f->u, &f->v, &f->depth, &f->times};
  for (int i = 0; i < 6; ++i) core->godot_pool_real_array_destroy(arrays[i]);
  free(f);
}

/* ---- methods ---- */

#define METHOD(name) static godot_variant name(godot_object* object, void* data, void* self, int n, godot_variant** arguments)
#define UNUSED (void)object, (void)data, (void)self, (void)n, (void)arguments

METHOD(setup) {
  UNUSED;
  field* f = self;
  if (!has_arguments("setup", n, 5)) return boolean(0);
  char *step = text_of(arguments[0]), *picture = text_of(arguments[1]), *library = text_of(arguments[3]), *backend = text_of(arguments[4]);
  /* Plug-ins for Godot 3 have no access to a thread pool of the engine, so the step runs on the thread that calls `_process`. */
  const struct water_options options = {.library = library,
                                        .backend = backend,
                                        .step_text = step,
                                        .picture_text = picture,
                                        .size = core->godot_variant_as_int(arguments[2]),
                                        .warn = warn};
  char error[2048];
  water_delete(f->water);
  f->frames_left = 0;
  f->water = water_new(&options, error, sizeof error);
  if (!f->water) REPORT(error);
  free(step);
  free(picture);
  free(library);
  free(backend);
  return boolean(f->water != NULL);
}

METHOD(start) {
  UNUSED;
  field* f = self;
  if (!has_arguments("start", n, 2) || !is_set_up(f)) return boolean(0);
  const godot_int count = (godot_int)(water_size(f->water) * water_size(f->water));
  godot_pool_real_array* given[] = {&f->h, &f->depth};
  for (int i = 0; i < 2; ++i) {
    core->godot_pool_real_array_destroy(given[i]);
    *given[i] = core->godot_variant_as_pool_real_array(arguments[i]);
    if (core->godot_pool_real_array_size(given[i]) != count) {
      char text[128];
      snprintf(text, sizeof text, "HarpField.start: expected %d numbers, found %d", count, core->godot_pool_real_array_size(given[i]));
      REPORT(text);
      core->godot_pool_real_array_resize(given[i], count);
      f->frames_left = 0;
      return boolean(0);
    }
  }
  godot_pool_real_array* made[] = {&f->u, &f->v, &f->next_h};
  for (int i = 0; i < 3; ++i) {
    core->godot_pool_real_array_resize(made[i], count);
    writing w = lock_write(made[i]);
    memset(w.data, 0, (size_t)count * sizeof(float));
    unlock_write(w);
  }
  core->godot_pool_real_array_resize(&f->times, 0);
  return boolean(1);
}

METHOD(play) {
  UNUSED;
  field* f = self;
  if (has_arguments("play", n, 1) && is_set_up(f)) f->frames_left = core->godot_variant_as_int(arguments[0]);
  return nil();
}

METHOD(frames_left) {
  UNUSED;
  godot_variant result;
  core->godot_variant_new_int(&result, ((field*)self)->frames_left);
  return result;
}

/* The engine calls this once a frame. */
METHOD(process) {
  UNUSED;
  field* f = self;
  if (!f->water || f->frames_left <= 0) return nil();
  char error[1024];
  const double begin = microseconds();
  const reading h = lock_read(&f->h), depth = lock_read(&f->depth);
  const writing next_h = lock_write(&f->next_h), u = lock_write(&f->u), v = lock_write(&f->v);
  const int status = water_step(f->water, h.data, u.data, v.data, depth.data, next_h.data, error, sizeof error);
  unlock_read(h);
  unlock_read(depth);
  unlock_write(next_h);
  unlock_write(u);
  unlock_write(v);
  const double end = microseconds();
  if (status) {
    REPORT(error);
    f->frames_left = 0;
    return nil();
  }
  const godot_pool_real_array swapped = f->h;
  f->h = f->next_h;
  f->next_h = swapped;
  core->godot_pool_real_array_append(&f->times, (godot_real)(end - begin));
  f->frames_left -= 1;
  return nil();
}

METHOD(surface) {
  UNUSED;
  return reals(&((field*)self)->h);
}
METHOD(frame_times) {
  UNUSED;
  return reals(&((field*)self)->times);
}

METHOD(picture) {
  UNUSED;
  field* f = self;
  godot_pool_byte_array bytes;
  core->godot_pool_byte_array_new(&bytes);
  if (is_set_up(f)) {
    char error[1024];
    core->godot_pool_byte_array_resize(&bytes, (godot_int)(water_size(f->water) * water_size(f->water) * 3));
    const reading h = lock_read(&f->h), depth = lock_read(&f->depth);
    godot_pool_byte_array_write_access* lock = core->godot_pool_byte_array_write(&bytes);
    uint8_t* rgb = core->godot_pool_byte_array_write_access_ptr(lock);
    if (water_picture(f->water, h.data, depth.data, rgb, error, sizeof error)) REPORT(error);
    core->godot_pool_byte_array_write_access_destroy(lock);
    unlock_read(h);
    unlock_read(depth);
  }
  godot_variant result;
  core->godot_variant_new_pool_byte_array(&result, &bytes);
  core->godot_pool_byte_array_destroy(&bytes);
  return result;
}

METHOD(save) {
  UNUSED;
  field* f = self;
  if (!has_arguments("save", n, 2) || !is_set_up(f)) return boolean(0);
  char *name = text_of(arguments[0]), *path = text_of(arguments[1]), error[1024];
  const struct {
    const char* name;
    const godot_pool_real_array* array;
  } arrays[] = {{"h", &f->h}, {"u", &f->u}, {"v", &f->v}, {"depth", &f->depth}};
  int saved = 0, known = 0;
  for (int i = 0; i < 4; ++i) {
    if (strcmp(name, arrays[i].name) != 0) continue;
    const reading r = lock_read(arrays[i].array);
    known = 1;
    saved = water_save(f->water, r.data, path, error, sizeof error) == 0;
    unlock_read(r);
  }
  if (!known) snprintf(error, sizeof error, "HarpField.save: expected h, u, v or depth, found %s", name);
  if (!saved) REPORT(error);
  free(name);
  free(path);
  return boolean(saved);
}

METHOD(backend) {
  UNUSED;
  const field* f = self;
  godot_variant result;
  godot_string text = core->godot_string_chars_to_utf8(f->water ? water_backend(f->water) : "");
  core->godot_variant_new_string(&result, &text);
  core->godot_string_destroy(&text);
  return result;
}

/* ---- measurement ---- */

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The arrays of one contestant (harp or a variant of by_hand.c): h, u, v, depth, next_h. */
typedef struct {
  float* array[5];
} lane;

static int make_lane(const field* f, lane* l) {
  const godot_pool_real_array* from[] = {&f->h, &f->u, &f->v, &f->depth, &f->h};
  const size_t bytes = (size_t)(water_size(f->water) * water_size(f->water)) * sizeof(float);
  for (int i = 0; i < 5; ++i) {
    l->array[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!l->array[i]) return -1;
    const reading r = lock_read(from[i]);
    memcpy(l->array[i], r.data, bytes);
    unlock_read(r);
  }
  return 0;
}

enum { CONTESTANTS = 3, STEPS_A_ROUND = 20 };

static int play_round(const field* f, int contestant, lane* l, char* error, size_t size) {
  const int64_t side = water_size(f->water);
  for (int i = 0; i < STEPS_A_ROUND; ++i) {
    float** a = l->array;
    if (contestant > 0)
      by_hand[contestant - 1].step(a[0], a[1], a[2], a[3], a[4], side, side);
    else if (water_step(f->water, a[0], a[1], a[2], a[3], a[4], error, size))
      return -1;
    float* swapped = a[0];
    a[0] = a[4];
    a[4] = swapped;
  }
  return 0;
}

/* Copies the field for harp and for each of the two variants of by_hand.c, and steps the copies in alternating rounds of 20 steps.
 * Returns the microseconds of a step for harp, for two sweeps and for one sweep, each as the lowest tenth of its rounds (other processes
 * slow down some rounds); then 1 if all bits agree, else 0. */
METHOD(measure) {
  UNUSED;
  field* f = self;
  godot_pool_real_array figures;
  core->godot_pool_real_array_new(&figures);
  const int64_t rounds = has_arguments("measure", n, 1) ? core->godot_variant_as_int(arguments[0]) : 0;
  double* times = rounds > 0 ? malloc((size_t)rounds * CONTESTANTS * sizeof *times) : NULL;
  lane lanes[CONTESTANTS] = {{{NULL}}};
  char error[1024] = "HarpField.measure: no memory";
  int status = times && is_set_up(f) ? 0 : -1;
  for (int c = 0; c < CONTESTANTS && !status; ++c) status = make_lane(f, &lanes[c]);
  for (int64_t round = 0; round < rounds && !status; ++round) {
    for (int c = 0; c < CONTESTANTS && !status; ++c) {
      const double begin = microseconds();
      status = play_round(f, c, &lanes[c], error, sizeof error);
      times[c * rounds + round] = (microseconds() - begin) / STEPS_A_ROUND;
    }
  }
  if (!status) {
    const size_t bytes = (size_t)(water_size(f->water) * water_size(f->water)) * sizeof(float);
    int same = 1;
    for (int c = 0; c < CONTESTANTS; ++c) {
      qsort(times + c * rounds, (size_t)rounds, sizeof *times, ascending);
      core->godot_pool_real_array_append(&figures, (godot_real)times[c * rounds + rounds / 10]);
      for (int a = 0; a < 3; ++a) same = same && memcmp(lanes[c].array[a], lanes[0].array[a], bytes) == 0;
    }
    core->godot_pool_real_array_append(&figures, (godot_real)same);
  } else {
    REPORT(error);
  }
  for (int c = 0; c < CONTESTANTS; ++c)
    for (int i = 0; i < 5; ++i) free(lanes[c].array[i]);
  free(times);
  const godot_variant result = reals(&figures);
  core->godot_pool_real_array_destroy(&figures);
  return result;
}

/* ---- entry points that the engine looks up ---- */

__attribute__((visibility("default"))) void godot_gdnative_init(godot_gdnative_init_options* options) {
  core = options->api_struct;
  for (unsigned i = 0; i < core->num_extensions; ++i)
    if (core->extensions[i]->type == GDNATIVE_EXT_NATIVESCRIPT)
      script = (const godot_gdnative_ext_nativescript_api_struct*)core->extensions[i];
}

__attribute__((visibility("default"))) void godot_gdnative_terminate(godot_gdnative_terminate_options* options) {
  (void)options;
  core = NULL;
  script = NULL;
}

__attribute__((visibility("default"))) void godot_nativescript_init(void* handle) {
  static const struct {
    const char* name;
    godot_variant (*call)(godot_object*, void*, void*, int, godot_variant**);
  } methods[] = {{"setup", setup},     {"start", start},     {"play", play}, {"frames_left", frames_left}, {"_process", process},
                 {"surface", surface}, {"picture", picture}, {"save", save}, {"frame_times", frame_times}, {"measure", measure},
                 {"backend", backend}};
  const godot_instance_create_func create_function = {create, NULL, NULL};
  const godot_instance_destroy_func destroy_function = {destroy, NULL, NULL};
  script->godot_nativescript_register_class(handle, "HarpField", "Node", create_function, destroy_function);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    const godot_method_attributes attributes = {GODOT_METHOD_RPC_MODE_DISABLED};
    const godot_instance_method method = {methods[i].call, NULL, NULL};
    script->godot_nativescript_register_method(handle, "HarpField", methods[i].name, attributes, method);
  }
}
