/* A program that loads several copies of harp and calls each copy only through its table of functions. In some tests it is also linked with
   functions that have the names of harp's functions and end the program (copies_test.py writes them). No copy may call these functions, or
   the functions of another copy. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <harp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char* path, const char* what, const char* more) {
  fprintf(stderr, "copies: %s: %s: %s\n", path, what, more);
  return 1;
}

/* Tests whether every function in the table belongs to the copy at `path`. */
static int is_own(const char* path, const harp_api* api) {
  const size_t first = offsetof(harp_api, harp_version);
  size_t at;
  for (at = first; at < api->struct_size; at += sizeof(void*)) {
    void* function;
    Dl_info info;
    memcpy(&function, (const char*)api + at, sizeof function);
    if (!dladdr(function, &info) || strcmp(info.dli_fname, path) != 0) return fail(path, "a function of its table is of", info.dli_fname);
  }
  return 0;
}

/* Computes y = 3 * x + 1 with harp's C backend and with the interpreter, and causes an error. This uses most layers of harp. */
static int run(const char* path, const harp_api* api) {
  const char* text = "harp 1\ngraph g(x: f32[n]) {\n  return y = x * f32(3) + f32(1)\n}\n";
  const char* backends[] = {"c", "interp"};
  harp_error* err = NULL;
  harp_context* context = api->harp_context_new(NULL, &err);
  harp_graph* graph = context ? api->harp_graph_parse(context, strlen(text), text, &err) : NULL;
  int i;
  if (!graph) return fail(path, "graph", api->harp_error_message(err));
  for (i = 0; i < 2; ++i) {
    float x[2] = {1.0f, 2.0f};
    const harp_dim dims[1] = {2};
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    harp_buffer *in, *out = NULL;
    harp_program* program;
    const float* y;
    options.backend = backends[i];
    program = api->harp_compile(graph, &options, &err);
    if (!program) return fail(path, "compile", api->harp_error_message(err));
    in = api->harp_buffer_wrap(context, HARP_F32, 1, dims, x, NULL, NULL, &err);
    if (api->harp_program_run(program, 1, &in, 1, &out, NULL, &err) != HARP_OK) return fail(path, "run", api->harp_error_message(err));
    y = (const float*)api->harp_buffer_const_data(out);
    if (y[0] != 4.0f || y[1] != 7.0f) return fail(path, "values of", backends[i]);
    api->harp_buffer_release(out);
    api->harp_buffer_release(in);
    api->harp_program_release(program);
  }
  if (api->harp_graph_parse(context, 8, "harp 1\n?", &err) != NULL || err == NULL) return fail(path, "no error", "");
  api->harp_error_release(err);
  api->harp_graph_release(graph);
  api->harp_context_release(context);
  return 0;
}

/* Loads and closes the same copy several times, while programs of earlier rounds still exist. Each program must have its own code. */
static int load_again(const char* path) {
  int i;
  for (i = 1; i <= 5; ++i) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const harp_api* (*get_api)(uint32_t);
    const harp_api* api;
    harp_error* err = NULL;
    harp_context* context;
    harp_graph* graph;
    harp_program* program;
    harp_entry_point entry;
    char text[80];
    float x = 2.0f, y = 0.0f;
    void *in = &x, *out = &y;
    if (!library) return fail(path, "dlopen", dlerror());
    *(void**)&get_api = dlsym(library, "harp_get_api");
    api = get_api(HARP_API_VERSION);
    context = api->harp_context_new(NULL, &err);
    sprintf(text, "harp 1\ngraph g(x: f32[1]) {\n  return y = x * f32(%d)\n}\n", i);
    graph = context ? api->harp_graph_parse(context, strlen(text), text, &err) : NULL;
    program = graph ? api->harp_compile(graph, NULL, &err) : NULL;
    if (!program) return fail(path, "compile", api->harp_error_message(err));
    entry = api->harp_program_entry(program, &err);
    entry(&in, &out, NULL);
    if (y != 2.0f * (float)i) return fail(path, "values", text);
    dlclose(library); /* the context and its program are not released, so the memory that is mapped for them stays */
  }
  printf("loaded again\n");
  return 0;
}

/* Arguments: "global" or "local" (the first copy is loaded with RTLD_GLOBAL or RTLD_LOCAL), then the paths of the copies; or "again" and
   the path of one copy. */
int main(int argc, char** argv) {
  int i;
  if (argc == 3 && strcmp(argv[1], "again") == 0) return load_again(argv[2]);
  for (i = 2; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW | (i == 2 && strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    const harp_api* (*get_api)(uint32_t);
    const harp_api* api;
    if (!library) return fail(argv[i], "dlopen", dlerror());
    *(void**)&get_api = dlsym(library, "harp_get_api");
    api = get_api(HARP_API_VERSION);
    if (!api || is_own(argv[i], api) != 0 || run(argv[i], api) != 0) return 1;
  }
  printf("%d copies ok\n", argc - 2);
  return 0;
}
