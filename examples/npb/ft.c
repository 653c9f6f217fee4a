/*
 * FT of the NAS Parallel Benchmarks: the heat equation on a periodic box, solved in the frequency domain. A field of random complex numbers
 * is transformed along all three axes; each step multiplies its frequencies by decay factors, transforms them back and sums 1,024 elements.
 *
 *     ft [S|W|A|B]
 *
 * The transform and a whole step are two graphs; the host makes the random numbers, swaps buffers and prints.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "npb.h"

enum { SUMMED = 1024, MOST_STEPS = 20 };
struct problem {
  char name;
  int x, y, z, steps;
  double sums[MOST_STEPS][2]; /* the sum after each step: real and imaginary part */
};
static const struct problem problems[] = {
    {'S',
     64,
     64,
     64,
     6,
     {{554.6087004964, 484.5363331978},
      {554.6385409189, 486.5304269511},
      {554.6148406171, 488.3910722336},
      {554.5423607415, 490.1273169046},
      {554.4255039624, 491.7475857993},
      {554.2683411902, 493.2597244941}}},
    {'W',
     128,
     128,
     32,
     6,
     {{567.3612178944, 529.3246849175},
      {563.1436885271, 528.2149986629},
      {559.4024089970, 527.0996558037},
      {556.0698047020, 526.0027904925},
      {553.0898991250, 524.9400845633},
      {550.4159734538, 523.9212247086}}},
    {'A',
     256,
     256,
     128,
     6,
     {{504.6735008193, 511.4047905510},
      {505.9412319734, 509.8809666433},
      {506.9376896287, 509.8144042213},
      {507.7892868474, 510.1336130759},
      {508.5233095391, 510.4914655194},
      {509.1487099959, 510.7917842803}}},
    {'B', 512, 256, 256, 20, {{517.7643571579, 507.7803458597}, {515.4521291263, 508.8249431599}, {514.6409228649, 509.6208912659},
                              {514.2378756213, 510.1023387619}, {513.9626667737, 510.3976610617}, {513.7423460082, 510.5948019802},
                              {513.5547056878, 510.7404165783}, {513.3910925466, 510.8576573661}, {513.2470705390, 510.9577278523},
                              {513.1197729984, 511.0460304483}, {513.0070319283, 511.1252433800}, {512.9070537032, 511.1968077718},
                              {512.8182883502, 511.2616233064}, {512.7393733383, 511.3203605551}, {512.6691062020, 511.3735928093},
                              {512.6064276004, 511.4218460548}, {512.5504076570, 511.4656139760}, {512.5002331720, 511.5053595966},
                              {512.4551951846, 511.5415130407}, {512.4146770029, 511.5744692211}}}};

/* --- the graphs ---------------------------------------------------------------------------------------------------------------- */

typedef harp_node* transform(harp_node* x, harp_dim n, int32_t axis, const char* norm);

/* Transforms along all three axes. `norm` decides about the scale factor. */
static harp_node* along_all(transform* one, harp_node* x, const char* norm) {
  for (int32_t axis = 2; axis >= 0; --axis) x = one(x, 0, axis, norm);
  return x;
}

/* The squares of the frequencies along an axis, as an array that broadcasts along the other axes. */
static harp_node* squared_frequencies(harp_graph* g, int n, int axis) {
  harp_dim dims[3] = {1, 1, 1};
  dims[axis] = n;
  harp_node* i = harp_reshape(harp_arange(g, HARP_F64, 0, n, 1), 3, dims);
  harp_node* from_zero = harp_where(harp_lt(i, harp_constant(g, HARP_F64, n / 2)), i, harp_sub(i, harp_constant(g, HARP_F64, n)));
  return harp_mul(from_zero, from_zero);
}

/* Graph: field -> its transform, and the factor by which each frequency decays in a step. */
static harp_graph* beginning(harp_context* ctx, const struct problem* p, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "ft_begin", NULL);
  const harp_dim dims[3] = {p->z, p->y, p->x};
  harp_output(g, "spectrum", along_all(harp_fft, harp_input(g, "field", HARP_COMPLEX128, 3, dims), "backward"));
  harp_node* squares =
      harp_add(harp_add(squared_frequencies(g, p->x, 2), squared_frequencies(g, p->y, 1)), squared_frequencies(g, p->z, 0));
  const double decay = -4e-6 * 3.141592653589793238 * 3.141592653589793238;
  harp_output(g, "left", harp_exp(harp_mul(harp_constant(g, HARP_F64, decay), squares)));
  return g;
}

/* Graph: spectrum -> the next spectrum, and the sum of the chosen elements of its field, divided by the number of elements of the box. */
static harp_graph* step(harp_context* ctx, const struct problem* p, harp_error** err) {
  harp_graph* g = harp_graph_new(ctx, HARP_GRAPH_BROADCAST, err);
  if (!g) return NULL;
  harp_graph_set_name(g, "ft_step", NULL);
  const harp_dim dims[3] = {p->z, p->y, p->x}, summed = SUMMED;
  harp_node* spectrum = harp_input(g, "spectrum", HARP_COMPLEX128, 3, dims);
  harp_node* left = harp_input(g, "left", HARP_F64, 3, dims);
  harp_node* chosen = harp_input(g, "chosen", HARP_I64, 1, &summed);
  harp_node* next = harp_mul(spectrum, harp_cast(left, HARP_COMPLEX128));
  harp_output(g, "next", next);
  harp_node* field = along_all(harp_ifft, next, "forward");
  harp_node* sum = harp_sum(harp_take(field, chosen, HARP_AXIS_NONE), 0, NULL, 0);
  harp_output(g, "sum", harp_mul(sum, harp_cast(harp_constant(g, HARP_F64, 1.0 / ((double)p->x * p->y * p->z)), HARP_COMPLEX128)));
  return g;
}

/* --- the host's part ----------------------------------------------------------------------------------------------------------- */

/* Runs the steps and compares each sum. b contains the buffers: field (later the next spectrum), spectrum, decay factors, indices
 * of the chosen elements, sum. */
static int steps(harp_program* begin, harp_program* next, const struct problem* p, harp_buffer** b) {
  harp_error* err = NULL;
  double* field = harp_buffer_data(b[0]);
  uint64_t state = NPB_SEED;
  for (size_t i = 0, n = harp_buffer_size(b[0]) / sizeof(double); i < n; ++i) field[i] = npb_random(&state);
  int64_t* chosen = harp_buffer_data(b[3]);
  for (int64_t j = 1; j <= SUMMED; ++j) chosen[j - 1] = ((5 * j % p->z) * p->y + 3 * j % p->y) * p->x + j % p->x;

  const double started = npb_seconds();
  if (harp_program_run(begin, 1, b, 2, b + 1, NULL, &err) != HARP_OK) return npb_failed("transforming", err);
  double worst = 0;
  for (int t = 0; t < p->steps; ++t) {
    harp_buffer *from[3] = {b[1], b[2], b[3]}, *to[2] = {b[0], b[4]};
    if (harp_program_run(next, 3, from, 2, to, NULL, &err) != HARP_OK) return npb_failed("running", err);
    b[0] = from[0], b[1] = to[0];
    const double* sum = harp_buffer_const_data(b[4]);
    const double error = hypot(sum[0] - p->sums[t][0], sum[1] - p->sums[t][1]) / hypot(p->sums[t][0], p->sums[t][1]);
    printf("step %d: %.10f %.10f, published %.10f %.10f, relative error %.2e\n", t + 1, sum[0], sum[1], p->sums[t][0], p->sums[t][1],
           error);
    if (!(error <= worst)) worst = error; /* also true for NaN, which then remains in `worst` */
  }
  printf("%.3f s\n", npb_seconds() - started);
  const int verified = worst <= 1e-12;
  printf(verified ? "VERIFICATION SUCCESSFUL\n" : "VERIFICATION FAILED\n");
  return verified ? 0 : 1;
}

static int run(harp_program* begin, harp_program* next, harp_context* ctx, const struct problem* p) {
  harp_error* err = NULL;
  const int64_t box[3] = {p->z, p->y, p->x}, summed = SUMMED;
  harp_buffer* b[5] = {0};
  int made = 1;
  for (int i = 0; i < 5 && made; ++i) {
    if (i < 3) b[i] = harp_buffer_new(ctx, NULL, i < 2 ? HARP_COMPLEX128 : HARP_F64, 3, box, &err);
    if (i == 3) b[i] = harp_buffer_new(ctx, NULL, HARP_I64, 1, &summed, &err);
    if (i == 4) b[i] = harp_buffer_new(ctx, NULL, HARP_COMPLEX128, 0, NULL, &err);
    made = b[i] != NULL;
  }
  const int status = made ? steps(begin, next, p, b) : npb_failed("memory", err);
  for (int i = 0; i < 5; ++i) harp_buffer_release(b[i]);
  return status;
}

int main(int argc, char** argv) {
  const int chosen = npb_class(argc, argv, "ft", "SWAB"); /* same order as in problems */
  if (chosen < 0) return 2;
  const struct problem* problem = &problems[chosen];
  printf("FT class %c: %d x %d x %d points, %d steps\n", problem->name, problem->x, problem->y, problem->z, problem->steps);
  harp_error* err = NULL;
  harp_context* ctx = harp_context_new(NULL, &err);
  harp_graph* first = ctx ? beginning(ctx, problem, &err) : NULL;
  harp_graph* second = first ? step(ctx, problem, &err) : NULL;
  harp_program* begin = second ? npb_compile(first, &err) : NULL;
  harp_program* next = begin ? npb_compile(second, &err) : NULL;
  const int status = next ? run(begin, next, ctx, problem) : npb_failed("compiling", err);
  harp_graph_release(first);
  harp_graph_release(second);
  harp_program_release(begin);
  harp_program_release(next);
  harp_context_release(ctx);
  return status;
}
