#include "picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int picture_read(const char* path, struct picture* picture) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  picture->rgb = NULL;
  if (png_image_begin_read_from_file(&image, path)) {
    image.format = PNG_FORMAT_RGB;
    picture->height = image.height;
    picture->width = image.width;
    picture->rgb = malloc(PNG_IMAGE_SIZE(image));
    const png_color white = {255, 255, 255}; /* the colour behind transparent pixels */
    if (picture->rgb && png_image_finish_read(&image, &white, picture->rgb, 0, NULL)) return 0;
  }
  fprintf(stderr, "cannot read %s: %s\n", path, image.message[0] ? image.message : "not enough memory");
  png_image_free(&image);
  free(picture->rgb);
  picture->rgb = NULL;
  return -1;
}

int picture_write(const char* path, const struct picture* picture) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.height = picture->height;
  image.width = picture->width;
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path, 0, picture->rgb, 0, NULL)) return 0;
  fprintf(stderr, "cannot write %s: %s\n", path, image.message);
  return -1;
}
