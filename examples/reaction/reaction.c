/*
 * Gray-Scott reaction-diffusion with harp: the brightness of a picture is the initial pattern. A step is one graph with symbolic height and
 * width, compiled once and run alternately on two pairs of buffers.
 *
 *     reaction [picture.png] [--output DIRECTORY] [--steps N] [--backend c|cuda]
 *
 * Prints what was compiled, how fast harp, its interpreter and the same loop written by hand are, and whether the interpreter and the
 * compiled program give the same bits. Writes DIRECTORY/reaction.png. With the backend cuda, the buffers stay in the GPU's memory from the
 * first step to the last; only fields that are drawn or compared are copied to the host's memory.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <harp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../picture.h"
#include "by_hand.h"

#ifndef DEFAULT_PICTURE
#define DEFAULT_PICTURE "start.png"
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(const char* what, harp_error* err) {
  fprintf(stderr, "reaction: %s: %s\n", what, harp_error_message(err));
  const char* output = harp_error_compiler_output(err);
  if (output && *output) fprintf(stderr, "%s\n", output);
  harp_error_release(err);
  return 1;
}

/* --- the graph --------------------------------------------------------------------------------------------------------------- */

static harp_node* number(harp_graph* g, double value) { return harp_constant(g, HARP_F32, value); }

/* Sum of the four neighbours minus four times the cell; the edges are periodic. */
static harp_node* laplace(harp_graph* g, harp_node* x) {
  const int32_t rows = 0, columns = 1;
  const harp_dim forward = 1, back = -1;
  harp_node* sum = harp_add(harp_roll(x, 1, &forward, &rows), harp_roll(x, 1, &back, &rows));
  sum = harp_add(sum, harp_roll(x, 1, &forward, &columns));
  sum = harp_add(sum, harp_roll(x, 1, &back, &columns));
  return harp_sub(sum, harp_mul(number(g, 4), x));
}

static harp_graph* gray_scott(harp_context* ctx, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, 0, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "gray_scott", NULL);
  const harp_dim shape[2] = {harp_dim_var(g, "height", 2, 1 << 20), harp_dim_var(g, "width", 2, 1 << 20)};
  harp_node* u = harp_input(g, "u", HARP_F32, 2, shape);
  harp_node* v = harp_input(g, "v", HARP_F32, 2, shape);
  harp_node* reaction = harp_mul(harp_mul(u, v), v);
  harp_node* du = harp_sub(harp_mul(number(g, DIFFUSION_U), laplace(g, u)), reaction);
  du = harp_add(du, harp_mul(number(g, FEED), harp_sub(number(g, 1), u)));
  harp_node* dv = harp_add(harp_mul(number(g, DIFFUSION_V), laplace(g, v)), reaction);
  dv = harp_sub(dv, harp_mul(number(g, FEED + KILL), v));
  harp_output(g, "next_u", harp_add(u, du));
  harp_output(g, "next_v", harp_add(v, dv));
  return g;
}

/* --- running ------------------------------------------------------------------------------------------------------------------ */

/* Two pairs (u, v): a step reads one pair and writes the other. */
struct fields {
  harp_buffer* pair[2][2];
  int64_t dims[2];
  int current;
};

/* Makes the buffers with the initial state, on a device: "cpu" or "cuda:0". */
static int fields_new(harp_context* ctx, const char* device, const struct picture* start, struct fields* f, harp_error** err) {
  memset(f, 0, sizeof *f);
  f->dims[0] = start->height;
  f->dims[1] = start->width;
  const size_t cells = (size_t)start->height * start->width, bytes = cells * sizeof(float);
  for (int i = 0; i < 4; ++i)
    if (!(f->pair[i / 2][i % 2] = harp_buffer_new(ctx, device, HARP_F32, 2, f->dims, err))) return -1;
  float *u = malloc(bytes), *v = malloc(bytes);
  int status = -1;
  if (u && v) {
    for (size_t i = 0; i < cells; ++i) {
      const uint8_t* p = start->rgb + 3 * i;
      const float brightness = (0.2126f * p[0] + 0.7152f * p[1] + 0.0722f * p[2]) / 255.0f;
      u[i] = 1.0f - 0.5f * brightness;
      v[i] = 0.5f * brightness * brightness;
    }
    if (harp_buffer_write(f->pair[0][0], bytes, u, err) == HARP_OK && harp_buffer_write(f->pair[0][1], bytes, v, err) == HARP_OK)
      status = 0;
  } else {
    fprintf(stderr, "reaction: not enough memory for the fields\n");
  }
  free(u);
  free(v);
  return status;
}

/* Returns a copy of a buffer's elements in the host's memory, to be released by free(); NULL on failure. */
static float* elements(const harp_buffer* buffer, harp_error** err) {
  float* copy = malloc(harp_buffer_size(buffer));
  if (!copy) fprintf(stderr, "reaction: not enough memory for the result\n");
  if (copy && harp_buffer_read(buffer, harp_buffer_size(buffer), copy, err) != HARP_OK) {
    free(copy);
    copy = NULL;
  }
  return copy;
}

static void fields_release(struct fields* f) {
  for (int i = 0; i < 4; ++i) harp_buffer_release(f->pair[i / 2][i % 2]);
}

static int step(harp_program* program, struct fields* f, const harp_run_options* options, harp_error** err) {
  const int next = 1 - f->current;
  if (harp_program_run(program, 2, f->pair[f->current], 2, f->pair[next], options, err) != HARP_OK) return -1;
  f->current = next;
  return 0;
}

static void progress(int done, int steps) {
  static const char bar[] = "########################################";
  if (!isatty(2)) return;
  const int width = (int)(40.0 * done / steps);
  fprintf(stderr, "\r  [%-40.*s] %d/%d steps%s", width, bar, done, steps, done == steps ? "\n" : "");
}

/* Runs `steps` steps; returns the seconds for one step. */
static double run_harp(harp_program* program, struct fields* f, int steps, int with_bar, harp_error** err) {
  const double begin = now();
  for (int i = 0; i < steps; ++i) {
    if (step(program, f, NULL, err) != 0) return -1;
    if (with_bar && ((i + 1) % 100 == 0 || i + 1 == steps)) progress(i + 1, steps);
  }
  return (now() - begin) / steps;
}

static double run_by_hand(const struct variant* variant, struct fields* f, int steps) {
  const double begin = now();
  for (int i = 0; i < steps; ++i) {
    harp_buffer **from = f->pair[f->current], **to = f->pair[1 - f->current];
    variant->step(harp_buffer_data(from[0]), harp_buffer_data(from[1]), harp_buffer_data(to[0]), harp_buffer_data(to[1]), f->dims[0],
                  f->dims[1]);
    f->current = 1 - f->current;
  }
  return (now() - begin) / steps;
}

static int by_value(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

/* Measures harp and every hand-written variant alternately on the same fields, as medians of ROUNDS runs of about 6 ms. `step_seconds` is
 * the time of one step of harp. On a GPU only harp is measured. */
static int compare(harp_program* program, struct fields* f, double step_seconds, double* harp, double* peer, const char** peer_name,
                   harp_error** err) {
  enum { ROUNDS = 21, MAX_VARIANTS = 8 };
  double seconds[MAX_VARIANTS + 1][ROUNDS];
  const int steps = 1 + (int)fmin(6e-3 / step_seconds, 1e6);
  int variants = 0;
  const int on_host = harp_buffer_data(f->pair[0][0]) != NULL;
  while (on_host && by_hand[variants].name && variants < MAX_VARIANTS) ++variants;
  for (int round = -1; round < ROUNDS; ++round) { /* round -1 warms up */
    const int slot = round < 0 ? 0 : round;
    for (int i = 0; i < variants; ++i) seconds[i][slot] = run_by_hand(&by_hand[i], f, steps);
    if ((seconds[variants][slot] = run_harp(program, f, steps, 0, err)) < 0) return -1;
  }
  for (int i = 0; i <= variants; ++i) qsort(seconds[i], ROUNDS, sizeof(double), by_value);
  *harp = seconds[variants][ROUNDS / 2];
  *peer = INFINITY;
  for (int i = 0; i < variants; ++i) {
    printf("  by hand, %-18s %9.0f steps/s\n", by_hand[i].name, 1 / seconds[i][ROUNDS / 2]);
    if (seconds[i][ROUNDS / 2] < *peer) *peer = seconds[i][ROUNDS / 2], *peer_name = by_hand[i].name;
  }
  return 0;
}

/* Tests whether the interpreter and the compiled program (with its fields on `device`) give the same bits after `steps` steps. Returns 1
 * or 0, or -1 on failure. */
static int agree(harp_context* ctx, harp_program* program, const char* device, harp_program* interp, const struct picture* start, int steps,
                 double* interp_seconds, harp_error** err) {
  struct fields x, y;
  int equal = -1;
  if (fields_new(ctx, device, start, &x, err) == 0) {
    if (fields_new(ctx, "cpu", start, &y, err) == 0) {
      if (run_harp(program, &x, steps, 0, err) >= 0 && (*interp_seconds = run_harp(interp, &y, steps, 0, err)) >= 0) {
        equal = 1;
        for (int i = 0; i < 2 && equal >= 0; ++i) {
          harp_buffer *p = x.pair[x.current][i], *q = y.pair[y.current][i];
          float* result = elements(p, err);
          equal = !result ? -1 : equal && memcmp(result, harp_buffer_data(q), harp_buffer_size(p)) == 0;
          free(result);
        }
      }
    }
    fields_release(&y);
  }
  fields_release(&x);
  return equal;
}

/* --- the picture -------------------------------------------------------------------------------------------------------------- */

/* The colour of a cell, which depends on the concentration of v: from dark blue over teal and sand to white. */
static void colour(float v, uint8_t* rgb) {
  static const float stops[5][3] = {{10, 14, 38}, {16, 72, 108}, {32, 150, 140}, {240, 200, 110}, {255, 250, 235}};
  float t = v * (4.0f / 0.4f);
  t = t < 0 ? 0 : t > 3.999f ? 3.999f : t;
  const int i = (int)t;
  for (int c = 0; c < 3; ++c) rgb[c] = (uint8_t)(stops[i][c] + (t - (float)i) * (stops[i + 1][c] - stops[i][c]));
}

static int write_result(const struct fields* f, const char* directory, harp_error** err) {
  float* v = elements(f->pair[f->current][1], err);
  if (!v) return -1;
  const size_t cells = (size_t)f->dims[0] * (size_t)f->dims[1];
  struct picture result = {(uint32_t)f->dims[0], (uint32_t)f->dims[1], malloc(cells * 3)};
  char path[4096];
  int status = -1;
  if (!result.rgb)
    fprintf(stderr, "reaction: not enough memory for the picture\n");
  else if (snprintf(path, sizeof path, "%s/reaction.png", directory) >= (int)sizeof path)
    fprintf(stderr, "reaction: the path %s is too long\n", directory);
  else {
    for (size_t i = 0; i < cells; ++i) colour(v[i], result.rgb + 3 * i);
    status = picture_write(path, &result);
    if (status == 0) printf("wrote %s\n", path);
  }
  free(result.rgb);
  free(v);
  return status;
}

/* --- main --------------------------------------------------------------------------------------------------------------------- */

static int simulate(harp_context* ctx, const char* backend, const struct picture* start, const char* directory, int steps) {
  harp_error* err = NULL;
  harp_graph* g = gray_scott(ctx, &err);
  if (!g) return failed("building the graph", err);
  const int on_gpu = strcmp(backend, "cuda") == 0;
  const char* const device = on_gpu ? "cuda:0" : "cpu";
  harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
  options.backend = backend;
  harp_program* program = harp_compile(g, &options, &err);
  harp_compile_options interp_options = HARP_COMPILE_OPTIONS_INIT;
  interp_options.backend = "interp";
  harp_program* interp = program ? harp_compile(g, &interp_options, &err) : NULL;
  harp_graph_release(g);
  struct fields f = {0};
  int status = 1;
  if (!program || !interp) {
    failed("compiling", err);
  } else {
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    harp_program_stats(program, &stats, NULL);
    static const char* const caches[] = {"miss", "disk hit", "memory hit"};
    const char* const language = on_gpu ? "CUDA C++" : "C";
    printf("compiled: %d kernel%s, %d generation%s; graph to %s %.1f ms, %s to program %.1f ms (cache: %s)\n", stats.kernels,
           stats.kernels == 1 ? "" : "s", stats.generations, stats.generations == 1 ? "" : "s", language, stats.pipeline_ms, language,
           stats.compile_ms, caches[stats.cache]);

    double interp_seconds = 0, seconds = 0, harp = 0, peer = 0;
    const char* peer_name = "";
    const int equal = agree(ctx, program, device, interp, start, 50, &interp_seconds, &err);
    if (equal < 0 || fields_new(ctx, device, start, &f, &err) != 0 || (seconds = run_harp(program, &f, steps, 1, &err)) < 0) {
      failed("running", err);
    } else {
      printf("%lld x %lld cells, %d steps in %.2f s\n", (long long)f.dims[0], (long long)f.dims[1], steps, seconds * steps);
      status = write_result(&f, directory, &err) == 0 ? 0 : err ? failed("reading the result", err) : 1;
      err = NULL;
      printf("speed, %s (medians%s):\n", on_gpu ? device : "one thread", on_gpu ? "" : ", turn and turn about");
      if (compare(program, &f, seconds, &harp, &peer, &peer_name, &err) != 0) {
        status = failed("running", err);
      } else {
        printf("  harp                        %9.0f steps/s\n", 1 / harp);
        printf("  harp's interpreter          %9.0f steps/s\n", 1 / interp_seconds);
        if (!on_gpu) printf("  harp / by hand (%s): %.2f (goal: 1.00)\n", peer_name, peer / harp);
        printf("interpreter and compiled program after 50 steps: %s\n", equal ? "the same bits" : "DIFFERENT");
        if (!equal) status = 1;
      }
    }
  }
  fields_release(&f);
  harp_program_release(interp);
  harp_program_release(program);
  return status;
}

int main(int argc, char** argv) {
  const char *path = DEFAULT_PICTURE, *directory = ".", *backend = "c";
  int steps = 4000;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--output") == 0 && i + 1 < argc) {
      directory = argv[++i];
    } else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      char* end;
      const long n = strtol(argv[++i], &end, 10);
      if (*end || n < 1 || n > 100000000) {
        fprintf(stderr, "reaction: --steps takes a number from 1 to 100000000, got %s\n", argv[i]);
        return 2;
      }
      steps = (int)n;
    } else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc) {
      backend = argv[++i];
      if (strcmp(backend, "c") != 0 && strcmp(backend, "cuda") != 0) {
        fprintf(stderr, "reaction: --backend takes c or cuda, got %s\n", backend);
        return 2;
      }
    } else if (argv[i][0] != '-') {
      path = argv[i];
    } else {
      fprintf(stderr, "usage: reaction [picture.png] [--output DIRECTORY] [--steps N] [--backend c|cuda]\n");
      return 2;
    }
  }
  struct picture start;
  if (picture_read(path, &start) != 0) return 1;
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  const int status = ctx ? simulate(ctx, backend, &start, directory, steps) : failed("making a context", err);
  harp_context_release(ctx);
  free(start.rgb);
  return status;
}
