#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(mjtNum) == sizeof(double), "graphs of this plug-in compute in f64");

enum { WORKSPACE_ALIGNMENT = 64, MAX_COEFFICIENTS = 16, MAX_TEXT = 1 << 20 };

/* ---- the arrays that a law may take as inputs, by name ---- */

static const void* active(const struct force_program* p, const mjModel* m, const mjData* d) { return (void)m, (void)d, p->active; }
static const void* coefficients(const struct force_program* p, const mjModel* m, const mjData* d) {
  return (void)m, (void)d, p->coefficients;
}
#define ARRAY(name, address) \
  static const void* name(const struct force_program* p, const mjModel* m, const mjData* d) { return (void)p, (void)m, (void)d, address; }
ARRAY(mass, m->body_mass)
ARRAY(inertia, m->body_inertia)
ARRAY(rootid, m->body_rootid)
ARRAY(parentid, m->body_parentid)
ARRAY(gravity, m->opt.gravity)
ARRAY(wind, m->opt.wind)
ARRAY(xipos, d->xipos)
ARRAY(ximat, d->ximat)
ARRAY(cvel, d->cvel)
ARRAY(subtree_com, d->subtree_com)
ARRAY(time_now, &d->time)
#undef ARRAY

static const struct {
  const char* name;
  harp_dtype dtype;
  const void* (*address)(const struct force_program*, const mjModel*, const mjData*);
} table[] = {
    {"active", HARP_BOOL, active},  /* [n], whether the body belongs to this plug-in instance */
    {"mass", HARP_F64, mass},       /* [n] */
    {"inertia", HARP_F64, inertia}, /* [n, 3], about the body's own axes */
    {"rootid", HARP_I32, rootid},   /* [n], the body at the root of its tree */
    {"parentid", HARP_I32, parentid},
    {"xipos", HARP_F64, xipos},               /* [n, 3], centres of mass */
    {"ximat", HARP_F64, ximat},               /* [n, 3, 3], rotations from the body's axes to the world's */
    {"cvel", HARP_F64, cvel},                 /* [n, 6], angular and linear velocity, about the centre of mass of the body's tree */
    {"subtree_com", HARP_F64, subtree_com},   /* [n, 3] */
    {"gravity", HARP_F64, gravity},           /* [3] */
    {"wind", HARP_F64, wind},                 /* [3] */
    {"time", HARP_F64, time_now},             /* [] */
    {"coefficients", HARP_F64, coefficients}, /* [c], the numbers in the instance's configuration */
    /* the input of the network; it has another name than xipos, so that the law can have an input xipos */
    {"network_position", HARP_F64, xipos},
};
enum { TABLE = sizeof table / sizeof *table };

/* ---- errors ---- */

/* Writes what failed and harp's message to `error`, releases the harp_error and returns -1. */
static int failed(const struct force_program* p, const char* what, harp_error* err, char* error, size_t size) {
  snprintf(error, size, "%s: %s", what, p->library.api->harp_error_message(err));
  p->library.api->harp_error_release(err);
  return -1;
}

static void on_log(void* user, int32_t level, const char* text, size_t size) {
  (void)user, (void)level; /* warnings only: log_level excludes all other messages */
  mju_warning("harp: %.*s", size < 1000 ? (int)size : 1000, text);
}

/* ---- the graph ---- */

/* Reads a text file; the caller frees the result. NULL on failure, with the reason in `error`. */
static char* read_text(const char* path, size_t* length, char* error, size_t size) {
  FILE* file = fopen(path, "rb");
  char* text = file ? malloc(MAX_TEXT) : NULL;
  *length = text ? fread(text, 1, MAX_TEXT, file) : 0;
  const int whole = text && *length < MAX_TEXT && !ferror(file);
  if (!whole) snprintf(error, size, "cannot read %s: %s", path, !file ? strerror(errno) : "it is no text of less than a megabyte");
  if (file) fclose(file);
  if (whole) return text;
  free(text);
  return NULL;
}

/* Adds to the graph the force on each body in a potential U(x) = tanh(tanh(x W1 + b1) W2 + b2) . w3. harp derives the gradient. */
static int add_potential(struct force_program* p, harp_graph* g, const char* path, char* error, size_t size) {
  const harp_api* api = p->library.api;
  harp_error* err = NULL;
  harp_buffer* weights = api->harp_npy_load(p->context, path, &err);
  if (!weights) return failed(p, "the weights of the potential", err, error, size);
  const size_t count = api->harp_buffer_size(weights) / sizeof(double);
  size_t width = 1;
  while (width * width + 6 * width < count) ++width;
  if (api->harp_buffer_dtype(weights) != HARP_F64 || width * width + 6 * width != count) {
    snprintf(error, size, "%s: expected width * (width + 6) numbers of f64, found %zu of %s", path, count,
             api->harp_dtype_name(api->harp_buffer_dtype(weights)));
    api->harp_buffer_release(weights);
    return -1;
  }
  const double* next = api->harp_buffer_const_data(weights);
  const harp_dim w = (harp_dim)width, three = 3, square[] = {w, w}, first[] = {3, w};
  const struct {
    int32_t rank;
    const harp_dim* dims;
    size_t numbers;
  } parts[] = {{2, first, 3 * width}, {1, &w, width}, {2, square, width * width}, {1, &w, width}, {1, &w, width}};
  harp_node* node[5];
  for (int i = 0; i < 5; ++i) {
    node[i] = api->harp_constant_array(g, HARP_F64, parts[i].rank, parts[i].dims, parts[i].numbers * sizeof(double), next);
    next += parts[i].numbers;
  }
  api->harp_buffer_release(weights);
  /* No errors are checked here: the graph stores the first error, and harp_compile reports it. */
  const harp_dim position_dims[] = {api->harp_dim_var(g, "n", 0, INT32_MAX), three};
  const int32_t rows_to_columns[] = {1, 0};
  harp_node* x = api->harp_input(g, "network_position", HARP_F64, 2, position_dims);
  harp_node* hidden = api->harp_tanh(api->harp_add(api->harp_matmul(x, node[0]), node[1]));
  harp_node* hidden2 = api->harp_tanh(api->harp_add(api->harp_matmul(hidden, node[2]), node[3]));
  const int32_t all[] = {0, 1};
  harp_node* energy = api->harp_sum(api->harp_mul(hidden2, node[4]), 2, all, 0);
  harp_node* gradient = NULL;
  api->harp_grad(energy, 1, &x, NULL, &gradient);
  harp_node* force = api->harp_neg(api->harp_permute(gradient, 2, rows_to_columns));
  api->harp_output(g, "potential_force", force);
  return 0;
}

static harp_graph* make_graph(struct force_program* p, const struct force_options* options, char* error, size_t size) {
  const harp_api* api = p->library.api;
  harp_error* err = NULL;
  harp_graph* graph = NULL;
  if (*options->law) {
    size_t length = 0;
    char* text = read_text(options->law, &length, error, size);
    if (!text) return NULL;
    graph = api->harp_graph_parse(p->context, length, text, &err);
    free(text);
    if (!graph) failed(p, options->law, err, error, size);
  } else {
    graph = api->harp_graph_new(p->context, HARP_GRAPH_BROADCAST, &err);
    if (!graph) failed(p, "cannot make a graph", err, error, size);
  }
  if (graph && *options->potential && add_potential(p, graph, options->potential, error, size)) {
    api->harp_graph_release(graph);
    return NULL;
  }
  return graph;
}

static int compile(struct force_program* p, const mjModel* m, const struct force_options* options, char* error, size_t size) {
  const harp_api* api = p->library.api;
  harp_graph* graph = make_graph(p, options, error, size);
  if (!graph) return -1;
  const char* name = "n";
  const int64_t value = m->nbody;
  harp_error* err = NULL;
  harp_compile_options how = HARP_COMPILE_OPTIONS_INIT;
  how.n_specialize = 1;
  how.specialize_names = &name;
  how.specialize_values = &value;
  how.backend = *options->backend ? options->backend : "c";
  if (!*options->backend && !api->harp_backend_available(p->context, "c")) {
    mju_warning("harp found no C compiler (cc, gcc, clang): forces are interpreted, with the same results, but slower");
    how.backend = "interp";
  }
  p->program = api->harp_compile(graph, &how, &err);
  if (!p->program && api->harp_error_code(err) == HARP_ERROR_COMPILER && !*options->backend) {
    mju_warning("%s; forces are interpreted, with the same results, but slower", api->harp_error_message(err));
    api->harp_error_release(err);
    err = NULL;
    how.backend = "interp";
    p->program = api->harp_compile(graph, &how, &err);
  }
  api->harp_graph_release(graph);
  return p->program ? 0 : failed(p, *options->law ? options->law : options->potential, err, error, size);
}

/* ---- arrays ---- */

static int bind_inputs(struct force_program* p, char* error, size_t size) {
  const harp_api* api = p->library.api;
  p->n_inputs = api->harp_program_input_count(p->program);
  if (p->n_inputs > MAX_ARRAYS) return snprintf(error, size, "expected at most %d inputs, found %zu", MAX_ARRAYS, p->n_inputs), -1;
  for (size_t i = 0; i < p->n_inputs; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_error* err = NULL;
    if (api->harp_program_input(p->program, i, &info, &err)) return failed(p, "inputs", err, error, size);
    int kind = 0;
    while (kind < TABLE && strcmp(table[kind].name, info.name) != 0) ++kind;
    if (kind == TABLE) return snprintf(error, size, "there is no array \"%s\" (program.c lists those there are)", info.name), -1;
    if (table[kind].dtype != info.dtype || info.rank > 3)
      return snprintf(error, size, "the input \"%s\": expected %s, found %s%s", info.name, api->harp_dtype_name(table[kind].dtype),
                      api->harp_dtype_name(info.dtype), info.shape),
             -1;
    p->kinds[i] = kind;
    memcpy(p->dims[i], info.dims, (size_t)info.rank * sizeof(int64_t));
    p->inputs[i] = (harp_const_array){NULL, p->dims[i], info.dtype, info.rank};
  }
  return 0;
}

static int bind_outputs(struct force_program* p, const mjModel* m, char* error, size_t size) {
  const harp_api* api = p->library.api;
  const struct {
    const char* name;
    const double** at;
  } known[] = {{"force", &p->force}, {"torque", &p->torque}, {"potential_force", &p->potential_force}};
  p->n_outputs = api->harp_program_output_count(p->program);
  const size_t numbers = 3 * (size_t)m->nbody;
  p->memory = calloc((p->n_outputs * numbers) + MAX_COEFFICIENTS, sizeof(double));
  p->active = calloc((size_t)m->nbody, 1);
  if (!p->memory || !p->active) return snprintf(error, size, "no memory"), -1;
  p->coefficients = p->memory + p->n_outputs * numbers;
  for (size_t i = 0; i < p->n_outputs; ++i) {
    harp_array_info info = HARP_ARRAY_INFO_INIT;
    harp_error* err = NULL;
    if (api->harp_program_output(p->program, i, &info, &err)) return failed(p, "outputs", err, error, size);
    size_t k = 0;
    while (k < 3 && strcmp(known[k].name, info.name) != 0) ++k;
    if (k == 3 || info.dtype != HARP_F64 || info.rank != 2 || info.dims[0] != 3 || info.dims[1] != m->nbody)
      return snprintf(error, size, "expected the outputs force and torque of f64[3, %d], found %s of %s%s", (int)m->nbody, info.name,
                      api->harp_dtype_name(info.dtype), info.shape),
             -1;
    double* data = p->memory + i * numbers;
    *known[k].at = data;
    memcpy(p->dims[MAX_ARRAYS + i], info.dims, 2 * sizeof(int64_t));
    p->outputs[i] = (harp_array){data, p->dims[MAX_ARRAYS + i], HARP_F64, 2};
  }
  return 0;
}

/* Reads the coefficients of the instance. There must be as many as the law's input `coefficients` has elements. */
static int read_coefficients(struct force_program* p, const char* text, char* error, size_t size) {
  int64_t expected = 0, found = 0;
  for (size_t i = 0; i < p->n_inputs; ++i)
    if (table[p->kinds[i]].address == coefficients) expected = p->inputs[i].rank == 1 ? p->dims[i][0] : -1;
  for (char* end; found < MAX_COEFFICIENTS; ++found, text = end) {
    const double value = strtod(text, &end);
    if (end == text) break;
    p->coefficients[found] = value;
  }
  if (text[strspn(text, " \t\r\n")] || found != expected)
    return snprintf(error, size, "coefficients: expected %d numbers (of at most %d), found %d%s%s", (int)expected, MAX_COEFFICIENTS,
                    (int)found, *text ? " and then " : "", text),
           -1;
  return 0;
}

static int make_workspace(struct force_program* p, char* error, size_t size) {
  harp_error* err = NULL;
  if (p->library.api->harp_program_workspace_size(p->program, 0, NULL, 1, &p->workspace_size, &err))
    return failed(p, "workspace", err, error, size);
  p->workspace_size = (p->workspace_size + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
  p->workspace = p->workspace_size ? aligned_alloc(WORKSPACE_ALIGNMENT, p->workspace_size) : NULL;
  if (p->workspace_size && !p->workspace) return snprintf(error, size, "no memory for a workspace of %zu bytes", p->workspace_size), -1;
  return 0;
}

int force_program_open(struct force_program* p, const mjModel* m, const struct force_options* options, char* error, size_t size) {
  memset(p, 0, sizeof *p);
  if (!*options->law && !*options->potential) return snprintf(error, size, "expected the attribute law or potential, found neither"), -1;
  if (open_harp(options->library, &p->library, error, size)) return -1;
  harp_error* err = NULL;
  harp_context_options context = HARP_CONTEXT_OPTIONS_INIT;
  context.log = on_log;
  context.log_level = HARP_LOG_WARNING;
  p->context = p->library.api->harp_context_new(&context, &err);
  if (!p->context) return failed(p, "cannot start harp", err, error, size);
  if (compile(p, m, options, error, size) || bind_inputs(p, error, size) || bind_outputs(p, m, error, size) ||
      read_coefficients(p, options->coefficients, error, size))
    return -1;
  return make_workspace(p, error, size);
}

void force_program_close(struct force_program* p) {
  if (p->library.api) {
    p->library.api->harp_program_release(p->program);
    p->library.api->harp_context_release(p->context);
  }
  close_harp(&p->library);
  free(p->memory);
  free(p->active);
  free(p->workspace);
  memset(p, 0, sizeof *p);
}

int force_program_run(struct force_program* p, const mjModel* m, const mjData* d, char* error, size_t size) {
  for (size_t i = 0; i < p->n_inputs; ++i) p->inputs[i].data = table[p->kinds[i]].address(p, m, d);
  harp_run_options run = HARP_RUN_OPTIONS_INIT;
  run.workspace = p->workspace;
  run.workspace_size = p->workspace_size;
  harp_error* err = NULL;
  if (!p->library.api->harp_program_call(p->program, p->n_inputs, p->inputs, p->n_outputs, p->outputs, &run, &err)) return 0;
  return failed(p, "the forces failed", err, error, size);
}
