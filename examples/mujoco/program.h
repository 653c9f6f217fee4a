/* The program of one plug-in instance, which computes the forces on all bodies of a model at once. It consists of a law, which is a
 * text, and of a potential, which is a network that is built node by node; either may be missing. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../load_harp.h"

#include <mujoco/mujoco.h>

enum { MAX_ARRAYS = 24 };

struct force_program {
  struct harp_library library;
  harp_context* context;
  harp_program* program;
  size_t n_inputs, n_outputs;
  int kinds[MAX_ARRAYS]; /* for each input, its index in the table of MuJoCo's arrays */
  int64_t dims[2 * MAX_ARRAYS][3];
  harp_const_array inputs[MAX_ARRAYS];
  harp_array outputs[MAX_ARRAYS];
  /* Outputs, [3, n] each: total force and torque on each body, in the world's axes, at the centre of mass of the body. NULL: the law has
   * no output of that name. */
  const double *force, *torque, *potential_force;
  double *memory, *coefficients;
  uint8_t* active; /* n bytes: 1 if the body belongs to this instance */
  void* workspace;
  size_t workspace_size;
};

struct force_options {
  const char* library;      /* as in open_harp */
  const char* backend;      /* "c" or "interp"; "": "c" if there is a C compiler, otherwise "interp" */
  const char* law;          /* path of a .harp file, or "" */
  const char* potential;    /* path of a .npy file with the weights of a network (train.py), or "" */
  const char* coefficients; /* numbers separated by spaces: the law's input of that name */
};

/* Fills *p. Returns 0; on failure returns -1 with the reason in `error`, and *p may be closed. Warnings are reported by mju_warning. */
int force_program_open(struct force_program* p, const mjModel* m, const struct force_options* options, char* error, size_t size);
void force_program_close(struct force_program* p);

/* Computes the outputs directly from the arrays of m and d. Allocates nothing with the backend "c". Returns 0, or -1 with the reason in
 * `error`. */
int force_program_run(struct force_program* p, const mjModel* m, const mjData* d, char* error, size_t size);

#endif
