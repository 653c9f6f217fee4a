/* Finds libharp while the host runs. A plug-in that links libharp cannot be loaded where there is none, and the host then only says that a
 * library is missing; one that looks for it here can tell its user, in the host's own way, and go on without. */
#ifndef LOAD_HARP_H
#define LOAD_HARP_H

#include <harp.h>

struct harp_library {
  void* handle;
  const harp_api* api; /* every function of harp.h; valid until close_harp */
};

/* Loads the library. path: NULL or "" means $HARP_LIBRARY, else libharp.so.0 where the system looks for libraries. Returns 0; on failure
 * -1, and writes to `message`, which has room for `size` bytes, what is wrong. */
int open_harp(const char* path, struct harp_library* library, char* message, size_t size);

/* Unloads it. Everything that was made with it has to be released before. */
void close_harp(struct harp_library* library);

#endif
