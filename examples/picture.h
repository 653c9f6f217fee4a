/* Reads and writes PNG files, through libpng. Functions return 0, or print what is wrong and return -1. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdint.h>

struct picture {
  uint32_t height, width;
  uint8_t* rgb; /* height x width x 3, row-major; owned: free() */
};

int picture_read(const char* path, struct picture* picture);
int picture_write(const char* path, const struct picture* picture);

#endif
