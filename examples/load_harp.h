/* Loads libharp while the host program runs. A plug-in that is linked with libharp cannot be loaded if libharp is missing; its host then
 * only reports a missing library. A plug-in that loads libharp with this function can inform the user in the host's own way, and
 * continue without harp. */
#ifndef LOAD_HARP_H
#define LOAD_HARP_H

#include <harp.h>

struct harp_library {
  void* handle;
  const harp_api* api; /* every function of harp.h; valid until close_harp */
};

/* Loads the library. path: NULL or "" means $HARP_LIBRARY, or else libharp.so.0 in the directories that the dynamic loader searches.
 * Returns 0; on failure returns -1 and writes the reason to `message`, which has room for `size` bytes. */
int open_harp(const char* path, struct harp_library* library, char* message, size_t size);

/* Unloads the library. All objects that were made with it must have been released. */
void close_harp(struct harp_library* library);

#endif
