/* Loads libharp while the host runs. A plug-in that is linked with libharp cannot be loaded if libharp is missing, and the host then
 * only reports a missing library. A plug-in that loads libharp here can inform its user in the host's own way, and work without it. */
#ifndef LOAD_HARP_H
#define LOAD_HARP_H

#include <harp.h>

struct harp_library {
  void* handle;
  const harp_api* api; /* every function of harp.h; valid until close_harp */
};

/* Loads the library. path: NULL or "" means $HARP_LIBRARY, or else libharp.so.0 in the directories of the system's loader. Returns 0; on
 * failure returns -1 and writes the reason to `message`, which has room for `size` bytes. */
int open_harp(const char* path, struct harp_library* library, char* message, size_t size);

/* Unloads the library. Everything that was made with it must be released before. */
void close_harp(struct harp_library* library);

#endif
