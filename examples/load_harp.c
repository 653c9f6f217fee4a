#include "load_harp.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int open_harp(const char* path, struct harp_library* library, char* message, size_t size) {
  if (!path || !*path) path = getenv("HARP_LIBRARY");
  if (!path || !*path) path = "libharp.so.0";
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(message, size, "cannot load the library harp: %s (the environment variable HARP_LIBRARY may name libharp.so)", dlerror());
    return -1;
  }
  const harp_api* (*get_api)(uint32_t) = NULL;
  *(void**)&get_api = dlsym(handle, "harp_get_api"); /* ISO C has no conversion from void* to a function pointer */
  const harp_api* api = get_api ? get_api(HARP_API_VERSION) : NULL;
  /* A later version of harp may return a larger table, which begins with the functions of this one. */
  if (!api || api->struct_size < sizeof *api) {
    snprintf(message, size,
             "%s is not harp, or of another version: expected version %u of the table of functions with %zu bytes, found %zu", path,
             HARP_API_VERSION, sizeof *api, api ? api->struct_size : (size_t)0);
    dlclose(handle);
    return -1;
  }
  library->handle = handle;
  library->api = api;
  return 0;
}

void close_harp(struct harp_library* library) {
  if (library->handle) dlclose(library->handle);
  library->handle = NULL;
  library->api = NULL;
}
