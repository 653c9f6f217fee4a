#include "water.h"

#include "../load_harp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct water {
  struct harp_library library;
  harp_context* context;
  harp_program *step, *picture;
  const char* backend;
  int64_t size;
  void (*warn)(const char* text);
  void* workspace; /* used by both programs, which never run at the same time */
  size_t workspace_size;
};

enum { WORKSPACE_ALIGNMENT = 64 };

/* Writes what failed and harp's message to `error`, releases the harp_error and returns -1. */
static int failed(const struct water* water, const char* what, harp_error* err, char* error, size_t size) {
  const harp_api* api = water->library.api;
  snprintf(error, size, "%s: %s", what, api->harp_error_message(err));
  api->harp_error_release(err);
  return -1;
}

static void on_log(void* user, int32_t level, const char* text, size_t size) {
  const struct water* water = user;
  char line[1024];
  (void)level; /* warnings only: log_level excludes all other messages */
  snprintf(line, sizeof line, "harp: %.*s", size < 1000 ? (int)size : 1000, text);
  water->warn(line);
}

static int make_context(struct water* water, const struct water_options* options, char* error, size_t size) {
  const harp_api* api = water->library.api;
  harp_error* err = NULL;
  harp_context_options context = HARP_CONTEXT_OPTIONS_INIT;
  context.log = on_log;
  context.log_user = water;
  context.log_level = HARP_LOG_WARNING;
  context.parallel_for = options->parallel_for;
  context.parallel_for_user = options->parallel_for_user;
  context.width = options->width;
  water->context = api->harp_context_new(&context, &err);
  if (!water->context) return failed(water, "cannot start harp", err, error, size);
  if (*options->backend) {
    water->backend = strcmp(options->backend, "interp") == 0 ? "interp" : "c";
  } else if (api->harp_backend_available(water->context, "c")) {
    water->backend = "c";
  } else {
    water->backend = "interp";
    water->warn("harp found no C compiler (cc, gcc, clang): the water is interpreted, with the same results, but slower");
  }
  return 0;
}

/* Compiles a text for this size. If the C compiler does not work, the graph is interpreted instead. */
static int compile(struct water* water, const char* text, const char* what, harp_program** program, char* error, size_t size) {
  const harp_api* api = water->library.api;
  harp_error* err = NULL;
  harp_graph* graph = api->harp_graph_parse(water->context, strlen(text), text, &err);
  if (!graph) return failed(water, what, err, error, size);
  const char* names[] = {"n", "m"};
  const int64_t values[] = {water->size, water->size};
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = water->backend;
  options.n_specialize = 2;
  options.specialize_names = names;
  options.specialize_values = values;
  *program = api->harp_compile(graph, &options, &err);
  if (!*program && api->harp_error_code(err) == HARP_ERROR_COMPILER) {
    water->warn(api->harp_error_message(err));
    water->warn("the water is interpreted, with the same results, but slower");
    api->harp_error_release(err);
    err = NULL;
    water->backend = options.backend = "interp";
    *program = api->harp_compile(graph, &options, &err);
  }
  api->harp_graph_release(graph);
  return *program ? 0 : failed(water, what, err, error, size);
}

/* Checks the signature of a program, so that a graph with other inputs is reported by water_new; harp_program_call would report it only
 * in the first step. */
static int expect(struct water* water, harp_program* program, const char* what, const char* expected, char* error, size_t size) {
  const harp_api* api = water->library.api;
  harp_error* err = NULL;
  harp_string* signature = api->harp_program_signature(program, &err);
  if (!signature) return failed(water, what, err, error, size);
  const char* found = strchr(api->harp_string_data(signature), '(');
  char wanted[256];
  const int length = snprintf(wanted, sizeof wanted, expected, (int)water->size, (int)water->size);
  /* Only the beginning of the signature must be equal: what follows, such as "(in place of u)", may differ. */
  const int same = found && strncmp(found, wanted, (size_t)length) == 0;
  if (!same) snprintf(error, size, "%s: expected a graph%s, found %s", what, wanted, api->harp_string_data(signature));
  api->harp_string_release(signature);
  return same ? 0 : -1;
}

static int make_workspace(struct water* water, size_t width, char* error, size_t size) {
  const harp_api* api = water->library.api;
  harp_program* programs[] = {water->step, water->picture};
  for (int i = 0; i < 2; ++i) {
    harp_error* err = NULL;
    size_t bytes = 0;
    if (api->harp_program_workspace_size(programs[i], 0, NULL, width, &bytes, &err)) return failed(water, "workspace", err, error, size);
    if (bytes > water->workspace_size) water->workspace_size = bytes;
  }
  if (!water->workspace_size) return 0;
  water->workspace_size = (water->workspace_size + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
  water->workspace = aligned_alloc(WORKSPACE_ALIGNMENT, water->workspace_size);
  if (water->workspace) return 0;
  snprintf(error, size, "no memory for a workspace of %zu bytes", water->workspace_size);
  return -1;
}

struct water* water_new(const struct water_options* options, char* error, size_t size) {
  struct water* water = calloc(1, sizeof *water);
  if (!water) {
    snprintf(error, size, "no memory");
    return NULL;
  }
  water->size = options->size;
  water->warn = options->warn;
  if (open_harp(options->library, &water->library, error, size) == 0 && make_context(water, options, error, size) == 0 &&
      compile(water, options->step_text, "the graph of a step", &water->step, error, size) == 0 &&
      expect(water, water->step, "the graph of a step",
             "(h: f32[%1$d, %2$d], u: f32[%1$d, %2$d], v: f32[%1$d, %2$d], depth: f32[%1$d, %2$d])", error, size) == 0 &&
      compile(water, options->picture_text, "the graph of a picture", &water->picture, error, size) == 0 &&
      expect(water, water->picture, "the graph of a picture", "(h: f32[%1$d, %2$d], depth: f32[%1$d, %2$d]) -> rgb: u8[%1$d, %2$d, 3]",
             error, size) == 0 &&
      make_workspace(water, options->width, error, size) == 0)
    return water;
  water_delete(water);
  return NULL;
}

void water_delete(struct water* water) {
  if (!water) return;
  if (water->library.api) {
    const harp_api* api = water->library.api;
    api->harp_program_release(water->step);
    api->harp_program_release(water->picture);
    api->harp_context_release(water->context);
  }
  close_harp(&water->library);
  free(water->workspace);
  free(water);
}

int water_step(struct water* water, const float* h, float* u, float* v, const float* depth, float* next_h, char* error, size_t size) {
  const int64_t dims[] = {water->size, water->size};
  const harp_const_array inputs[] = {{h, dims, HARP_F32, 2}, {u, dims, HARP_F32, 2}, {v, dims, HARP_F32, 2}, {depth, dims, HARP_F32, 2}};
  const harp_array outputs[] = {{next_h, dims, HARP_F32, 2}, {u, dims, HARP_F32, 2}, {v, dims, HARP_F32, 2}};
  harp_run_options run = HARP_RUN_OPTIONS_INIT;
  run.workspace = water->workspace;
  run.workspace_size = water->workspace_size;
  harp_error* err = NULL;
  if (!water->library.api->harp_program_call(water->step, 4, inputs, 3, outputs, &run, &err)) return 0;
  return failed(water, "the step failed", err, error, size);
}

int water_picture(struct water* water, const float* h, const float* depth, uint8_t* rgb, char* error, size_t size) {
  const int64_t dims[] = {water->size, water->size, 3};
  const harp_const_array inputs[] = {{h, dims, HARP_F32, 2}, {depth, dims, HARP_F32, 2}};
  const harp_array output = {rgb, dims, HARP_U8, 3};
  harp_run_options run = HARP_RUN_OPTIONS_INIT;
  run.workspace = water->workspace;
  run.workspace_size = water->workspace_size;
  harp_error* err = NULL;
  if (!water->library.api->harp_program_call(water->picture, 2, inputs, 1, &output, &run, &err)) return 0;
  return failed(water, "the picture failed", err, error, size);
}

int water_save(struct water* water, const float* data, const char* path, char* error, size_t size) {
  const harp_api* api = water->library.api;
  const int64_t dims[] = {water->size, water->size};
  harp_error* err = NULL;
  harp_buffer* buffer = api->harp_buffer_wrap_const(water->context, HARP_F32, 2, dims, data, NULL, NULL, &err);
  const int saved = buffer && api->harp_npy_save(buffer, path, &err) == HARP_OK;
  api->harp_buffer_release(buffer);
  return saved ? 0 : failed(water, "cannot save the field", err, error, size);
}

int64_t water_size(const struct water* water) { return water->size; }
const char* water_backend(const struct water* water) { return water->backend; }
