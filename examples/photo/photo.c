/*
 * A photo filter: a picture becomes a drawing with dark outlines.
 *
 *     photo picture.png drawing.png
 *
 * It is one graph with symbolic height and width, whose input and output are bytes. Gaussian blur and Sobel's gradient are computed by
 * conv2d, the tone curve and the colours by custom expressions.
 */
#include <harp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../picture.h"

enum { RADIUS = 2, KERNEL = 2 * RADIUS + 1 };

static int failed(const char* what, harp_error* err) {
  fprintf(stderr, "photo: %s: %s\n", what, harp_error_message(err));
  harp_error_release(err);
  return 1;
}

/* Applies a kernel to an image [batch, channels, height, width]. The border pixels are repeated outwards, so the result has the same
 * size. */
static harp_node* filtered(harp_node* x, harp_node* kernel, harp_dim radius, int64_t groups) {
  const harp_dim border[4] = {0, 0, radius, radius};
  return harp_conv2d(harp_pad(x, 4, border, border, "edge", NULL), kernel, NULL, 0, NULL, 0, NULL, 0, NULL, groups);
}

static harp_node* blurred(harp_graph* g, harp_node* x) {
  float weights[3][KERNEL][KERNEL], sum = 0;
  for (int i = 0; i < KERNEL; ++i)
    for (int j = 0; j < KERNEL; ++j)
      sum += weights[0][i][j] = expf(-0.5f * (float)((i - RADIUS) * (i - RADIUS) + (j - RADIUS) * (j - RADIUS)));
  for (int c = 2; c >= 0; --c) /* channel 0 last, because the loop normalises it in place and the other channels are computed from it */
    for (int i = 0; i < KERNEL * KERNEL; ++i) weights[c][i / KERNEL][i % KERNEL] = weights[0][i / KERNEL][i % KERNEL] / sum;
  const harp_dim dims[4] = {3, 1, KERNEL, KERNEL};
  return filtered(x, harp_constant_array(g, HARP_F32, 4, dims, sizeof weights, weights), RADIUS, 3);
}

/* The gradient as [batch, 2, height, width]: the change of brightness from left to right and from top to bottom. */
static harp_node* gradient(harp_graph* g, harp_node* x) {
  static const float brightness[3] = {0.2126f, 0.7152f, 0.0722f};
  static const float sobel[2][3][3] = {{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};
  const harp_dim grey_dims[4] = {1, 3, 1, 1}, sobel_dims[4] = {2, 1, 3, 3};
  harp_node* grey = filtered(x, harp_constant_array(g, HARP_F32, 4, grey_dims, sizeof brightness, brightness), 0, 1);
  return filtered(grey, harp_constant_array(g, HARP_F32, 4, sobel_dims, sizeof sobel, sobel), 1, 1);
}

static harp_graph* drawing(harp_context* ctx, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "photo", NULL);
  const harp_dim height = harp_dim_var(g, "height", 1, 1 << 20), width = harp_dim_var(g, "width", 1, 1 << 20);
  const harp_dim bytes[3] = {height, width, 3}, image[4] = {1, 3, height, width}, pixels[3] = {3, height, width};
  const int32_t channels_first[3] = {2, 0, 1}, channels_last[3] = {1, 2, 0}, over_directions = 1;
  harp_node* x = harp_permute(harp_input(g, "picture", HARP_U8, 3, bytes), 3, channels_first);
  x = harp_div(harp_cast(harp_reshape(x, 4, image), HARP_F32), harp_constant(g, HARP_F32, 255));
  x = blurred(g, x);
  harp_node* edges = gradient(g, x);
  harp_node* strength = harp_custom_reduce(1, &edges, "x0 * x0", "sum", 1, &over_directions, 1);
  harp_node* inks[2] = {x, strength};
  /* an S-shaped tone curve in six steps, darker where brightness changes quickly */
  harp_node* tone = harp_custom_elementwise(2, inks, "(floor(x0 * x0 * (3 - 2 * x0) * 6) + 0.5) / 6 * exp(-6 * x1)");
  harp_node* out = harp_custom_elementwise(1, &tone, "clip(x0 * 255 + 0.5, 0, 255)");
  out = harp_permute(harp_reshape(harp_cast(out, HARP_U8), 3, pixels), 3, channels_last);
  harp_output(g, "drawing", out);
  return g;
}

static int filter(harp_context* ctx, struct picture* picture) {
  harp_error* err = NULL;
  harp_graph* g = drawing(ctx, &err);
  harp_program* program = g ? harp_compile(g, NULL, &err) : NULL;
  harp_graph_release(g);
  if (!program) return failed("compiling", err);
  const int64_t dims[3] = {picture->height, picture->width, 3};
  harp_buffer *in = harp_buffer_wrap(ctx, HARP_U8, 3, dims, picture->rgb, NULL, NULL, &err), *out = NULL;
  int status = 0;
  if (!in || harp_program_run(program, 1, &in, 1, &out, NULL, &err) != HARP_OK) {
    status = failed("running", err);
  } else {
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    harp_program_stats(program, &stats, NULL);
    const uint8_t* drawn = harp_buffer_const_data(out);
    for (size_t i = 0; i < harp_buffer_size(out); ++i) picture->rgb[i] = drawn[i];
    printf("%u x %u pixels, %d kernels\n", picture->height, picture->width, stats.kernels);
  }
  harp_buffer_release(in);
  harp_buffer_release(out);
  harp_program_release(program);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: photo picture.png drawing.png\n");
    return 2;
  }
  struct picture picture;
  if (picture_read(argv[1], &picture) != 0) return 1;
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  int status = ctx ? filter(ctx, &picture) : failed("making a context", err);
  if (status == 0 && picture_write(argv[2], &picture) != 0) status = 1;
  harp_context_release(ctx);
  free(picture.rgb);
  return status;
}
