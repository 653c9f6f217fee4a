/*
 * A small neural network, trained by harp alone, learns to tell apart two spirals, one inside the other.
 *
 *     spirals [picture.png]
 *
 * Three graphs compute the initial weights (random_normal), a training step (forward pass, gradients and the update of every weight in one
 * compiled program, whose buffers are swapped after each step), and the network's answer for any number of points. Prints the accuracy for
 * points that it was not trained on, and writes a picture of the regions in which it decides for either spiral.
 */
#include <harp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../picture.h"

enum { HIDDEN = 32, WEIGHTS = 6, POINTS = 1000, STEPS = 1500, SIDE = 480, STATE = 3 * WEIGHTS };

static int failed(const char* what, harp_error* err) {
  fprintf(stderr, "spirals: %s: %s\n", what, harp_error_message(err));
  harp_error_release(err);
  return 1;
}

/* --- the graphs -------------------------------------------------------------------------------------------------------------- */

static const struct {
  const char* name;
  int32_t rank;
  harp_dim dims[2];
} weights[WEIGHTS] = {{"w1", 2, {2, HIDDEN}}, {"b1", 1, {HIDDEN}},    {"w2", 2, {HIDDEN, HIDDEN}},
                      {"b2", 1, {HIDDEN}},    {"w3", 2, {HIDDEN, 2}}, {"b3", 1, {2}}};

static harp_node* number(harp_graph* g, double value) { return harp_constant(g, HARP_F32, value); }

static harp_graph* new_graph(harp_context* ctx, const char* name, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, err);
  if (g) harp_graph_set_name(g, name, NULL);
  return g;
}

/* Declares inputs with the shapes of all weights, named prefix + name. */
static void weight_inputs(harp_graph* g, const char* prefix, harp_node** nodes) {
  for (int i = 0; i < WEIGHTS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "%s%s", prefix, weights[i].name);
    nodes[i] = harp_input(g, name, HARP_F32, weights[i].rank, weights[i].dims);
  }
}

/* Computes the scores of n points: x has shape [n, 2], the result [n, 2], a score for each of the two spirals. */
static harp_node* network(harp_node* x, harp_node* const* w) {
  x = harp_tanh(harp_add(harp_matmul(x, w[0]), w[1]));
  x = harp_tanh(harp_add(harp_matmul(x, w[2]), w[3]));
  return harp_add(harp_matmul(x, w[4]), w[5]);
}

static harp_graph* first_weights(harp_context* ctx, harp_error** err) {
  harp_graph* g = new_graph(ctx, "first_weights", err);
  if (!g) return NULL;
  for (int i = 0; i < WEIGHTS; ++i) {
    harp_node* key = harp_constant(g, HARP_U32, 7 + i);
    harp_node* normal = harp_random_normal(key, NULL, HARP_F32, weights[i].rank, weights[i].dims);
    const double scale = weights[i].rank == 2 ? 1 / sqrt((double)weights[i].dims[0]) : 0.1;
    harp_output(g, weights[i].name, harp_mul(number(g, scale), normal));
  }
  return g;
}

/* A training step: Adam on the cross entropy. The state consists of the weights and the running means of their gradients and of the
 * squared gradients. `step` counts from 1. */
static harp_graph* training_step(harp_context* ctx, harp_error** err) {
  harp_graph* g = new_graph(ctx, "training_step", err);
  if (!g) return NULL;
  const double rate = 0.01, keep_mean = 0.9, keep_square = 0.999;
  const harp_dim n = harp_dim_var(g, "n", 1, 1 << 20), points[2] = {n, 2};
  harp_node *w[WEIGHTS], *mean[WEIGHTS], *square[WEIGHTS], *gradient[WEIGHTS];
  weight_inputs(g, "", w), weight_inputs(g, "mean_", mean), weight_inputs(g, "square_", square);
  harp_node* x = harp_input(g, "x", HARP_F32, 2, points);
  harp_node* side = harp_input(g, "side", HARP_I32, 1, points);
  harp_node* step = harp_input(g, "step", HARP_F32, 0, NULL);

  harp_node* loss = harp_cross_entropy(network(x, w), side, 1, NULL, HARP_CLASS_NONE, 0, "mean");
  if (harp_grad(loss, WEIGHTS, w, NULL, gradient) != HARP_OK) return g; /* the graph keeps the error */
  harp_node* mean_bias = harp_sub(number(g, 1), harp_pow(number(g, keep_mean), step));
  harp_node* square_bias = harp_sub(number(g, 1), harp_pow(number(g, keep_square), step));
  for (int i = 0; i < WEIGHTS; ++i) {
    harp_node* parts[2] = {mean[i], gradient[i]};
    mean[i] = harp_custom_elementwise(2, parts, "0.9 * x0 + 0.1 * x1");
    parts[0] = square[i];
    square[i] = harp_custom_elementwise(2, parts, "0.999 * x0 + 0.001 * x1 * x1");
    harp_node* direction = harp_div(harp_div(mean[i], mean_bias), harp_add(harp_sqrt(harp_div(square[i], square_bias)), number(g, 1e-8)));
    w[i] = harp_sub(w[i], harp_mul(number(g, rate), direction));
  }
  harp_node** const state[3] = {w, mean, square};
  static const char* const prefix[3] = {"next_", "next_mean_", "next_square_"};
  for (int i = 0; i < STATE; ++i) {
    char name[24];
    snprintf(name, sizeof name, "%s%s", prefix[i / WEIGHTS], weights[i % WEIGHTS].name);
    harp_output(g, name, state[i / WEIGHTS][i % WEIGHTS]);
  }
  harp_output(g, "loss", loss);
  return g;
}

static harp_graph* answer(harp_context* ctx, harp_error** err) {
  harp_graph* g = new_graph(ctx, "answer", err);
  if (!g) return NULL;
  const harp_dim points[2] = {harp_dim_var(g, "n", 0, 1 << 24), 2};
  harp_node* w[WEIGHTS];
  weight_inputs(g, "", w);
  harp_node* x = harp_input(g, "x", HARP_F32, 2, points);
  harp_output(g, "side", harp_cast(harp_argmax(network(x, w), 1, 0), HARP_I32));
  return g;
}

/* --- code that runs outside of harp's graphs --------------------------------------------------------------------------------------- */

/* Everything that must be released at the end. */
struct training {
  harp_program *first, *step, *answer;
  harp_buffer *state[2][STATE], *x, *side, *count, *loss;
};

static harp_program* compiled(harp_graph* g, harp_error** err) {
  harp_program* program = g ? harp_compile(g, NULL, err) : NULL;
  harp_graph_release(g);
  return program;
}

/* Makes `count` points, alternately on either spiral; `seed` shifts them along it. */
static void spirals(int count, double seed, float* x, int32_t* side) {
  for (int i = 0; i < count; ++i) {
    const double t = sqrt((i / 2 + seed) / (count / 2)), angle = 3 * 3.14159265358979 * t + (i % 2) * 3.14159265358979;
    x[2 * i] = (float)(t * cos(angle));
    x[2 * i + 1] = (float)(t * sin(angle));
    side[i] = i % 2;
  }
}

static int prepare(harp_context* ctx, struct training* t, harp_error** err) {
  t->first = compiled(first_weights(ctx, err), err);
  t->step = t->first ? compiled(training_step(ctx, err), err) : NULL;
  t->answer = t->step ? compiled(answer(ctx, err), err) : NULL;
  if (!t->answer) return -1;
  const int64_t points[2] = {POINTS, 2};
  for (int i = 0; i < 2 * STATE; ++i) {
    harp_buffer** b = &t->state[i / STATE][i % STATE];
    if (!(*b = harp_buffer_new(ctx, NULL, HARP_F32, weights[i % WEIGHTS].rank, weights[i % WEIGHTS].dims, err))) return -1;
    memset(harp_buffer_data(*b), 0, harp_buffer_size(*b));
  }
  if (!(t->x = harp_buffer_new(ctx, NULL, HARP_F32, 2, points, err)) || !(t->side = harp_buffer_new(ctx, NULL, HARP_I32, 1, points, err)) ||
      !(t->count = harp_buffer_new(ctx, NULL, HARP_F32, 0, NULL, err)) || !(t->loss = harp_buffer_new(ctx, NULL, HARP_F32, 0, NULL, err)))
    return -1;
  spirals(POINTS, 0.75, harp_buffer_data(t->x), harp_buffer_data(t->side));
  return harp_program_run(t->first, 0, NULL, WEIGHTS, t->state[0], NULL, err) == HARP_OK ? 0 : -1;
}

/* The steps alternate between two states. STEPS is even, so the last one is in state[0]. */
static int train(struct training* t, harp_error** err) {
  for (int i = 0; i < STEPS; ++i) {
    harp_buffer *in[STATE + 3], *out[STATE + 1];
    memcpy(in, t->state[i % 2], sizeof t->state[0]);
    memcpy(out, t->state[1 - i % 2], sizeof t->state[0]);
    in[STATE] = t->x, in[STATE + 1] = t->side, in[STATE + 2] = t->count, out[STATE] = t->loss;
    *(float*)harp_buffer_data(t->count) = (float)(i + 1);
    if (harp_program_run(t->step, STATE + 3, in, STATE + 1, out, NULL, err) != HARP_OK) return -1;
    if (i % 250 == 0 || i + 1 == STEPS) printf("step %4d  loss %.5f\n", i + 1, *(const float*)harp_buffer_const_data(t->loss));
  }
  return 0;
}

/* Returns the spiral (0 or 1) that the network chooses for each of n points. */
static harp_buffer* ask(harp_context* ctx, const struct training* t, int n, float* points, harp_error** err) {
  const int64_t dims[2] = {n, 2};
  harp_buffer *in[WEIGHTS + 1], *side = NULL;
  memcpy(in, t->state[0], WEIGHTS * sizeof *in);
  in[WEIGHTS] = harp_buffer_wrap(ctx, HARP_F32, 2, dims, points, NULL, NULL, err);
  if (in[WEIGHTS] && harp_program_run(t->answer, WEIGHTS + 1, in, 1, &side, NULL, err) != HARP_OK) side = NULL;
  harp_buffer_release(in[WEIGHTS]);
  return side;
}

/* Returns the fraction of points (between the training points) that the network classifies correctly; negative on failure. */
static double accuracy(harp_context* ctx, const struct training* t, harp_error** err) {
  float x[2 * POINTS];
  int32_t side[POINTS];
  spirals(POINTS, 0.25, x, side);
  harp_buffer* seen = ask(ctx, t, POINTS, x, err);
  if (!seen) return -1;
  const int32_t* s = harp_buffer_const_data(seen);
  int right = 0;
  for (int i = 0; i < POINTS; ++i) right += s[i] == side[i];
  harp_buffer_release(seen);
  return (double)right / POINTS;
}

static void dot(struct picture* p, float x, float y, const uint8_t* colour) {
  const int row = (int)((y + 1.1f) / 2.2f * SIDE), column = (int)((x + 1.1f) / 2.2f * SIDE);
  for (int i = 0; i < 9; ++i) memcpy(p->rgb + 3 * ((row + i / 3 - 1) * SIDE + column + i % 3 - 1), colour, 3);
}

static int draw(harp_context* ctx, const struct training* t, const char* path, harp_error** err) {
  static const uint8_t region[2][3] = {{246, 214, 170}, {170, 204, 236}}, point[2][3] = {{176, 72, 16}, {16, 72, 150}};
  struct picture picture = {SIDE, SIDE, malloc(SIDE * SIDE * 3)};
  float* x = malloc(sizeof(float) * 2 * SIDE * SIDE);
  int status = -1;
  for (int i = 0; x && i < SIDE * SIDE; ++i) {
    x[2 * i] = ((float)(i % SIDE) + 0.5f) / SIDE * 2.2f - 1.1f;
    x[2 * i + 1] = ((float)(i / SIDE) + 0.5f) / SIDE * 2.2f - 1.1f;
  }
  harp_buffer* seen = x && picture.rgb ? ask(ctx, t, SIDE * SIDE, x, err) : NULL;
  if (seen) {
    const int32_t* side = harp_buffer_const_data(seen);
    for (int i = 0; i < SIDE * SIDE; ++i) memcpy(picture.rgb + 3 * i, region[side[i]], 3);
    const float* known = harp_buffer_const_data(t->x);
    for (int i = 0; i < POINTS; ++i) dot(&picture, known[2 * i], known[2 * i + 1], point[i % 2]);
    status = picture_write(path, &picture);
    if (status == 0) printf("wrote %s\n", path);
  }
  harp_buffer_release(seen);
  free(x);
  free(picture.rgb);
  return status;
}

static int run(harp_context* ctx, const char* path) {
  struct training t;
  memset(&t, 0, sizeof t);
  harp_error* err = NULL;
  int status = 1;
  if (prepare(ctx, &t, &err) != 0) {
    failed("preparing", err);
  } else {
    harp_program_stats_info stats = HARP_PROGRAM_STATS_INFO_INIT;
    harp_program_stats(t.step, &stats, NULL);
    printf("a training step: forward, gradients and update in %d kernels\n", stats.kernels);
    double right = 0;
    if (train(&t, &err) != 0 || (right = accuracy(ctx, &t, &err)) < 0 || (path && draw(ctx, &t, path, &err) != 0)) {
      failed("running", err);
    } else {
      printf("accuracy on %d points between those it was trained on: %.1f %% (goal: more than 99)\n", POINTS, 100 * right);
      status = right > 0.99 ? 0 : 1;
    }
  }
  for (int i = 0; i < 2 * STATE; ++i) harp_buffer_release(t.state[i / STATE][i % STATE]);
  harp_buffer* const rest[4] = {t.x, t.side, t.count, t.loss};
  for (int i = 0; i < 4; ++i) harp_buffer_release(rest[i]);
  harp_program* const programs[3] = {t.first, t.step, t.answer};
  for (int i = 0; i < 3; ++i) harp_program_release(programs[i]);
  return status;
}

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    fprintf(stderr, "usage: spirals [picture.png]\n");
    return 2;
  }
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  const int status = ctx ? run(ctx, argc == 2 ? argv[1] : NULL) : failed("making a context", err);
  harp_context_release(ctx);
  return status;
}
