/* The program of one plug-in instance: what computes the forces on all bodies of a model at once. It is made of a law, which is text, and
 * of a potential, which is a network built node by node; either may be missing. */
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
  int kinds[MAX_ARRAYS]; /* of the inputs: index into the table of MuJoCo's arrays */
  int64_t dims[2 * MAX_ARRAYS][3];
  harp_const_array inputs[MAX_ARRAYS];
  harp_array outputs[MAX_ARRAYS];
  /* Outputs, [3, n] each: sums of force and torque on each body, in the world's axes, at the centre of mass of the body. NULL: there is
   * none of that name. */
  const double *force, *torque, *potential_force;
  double *memory, *coefficients;
  uint8_t* active; /* n bytes: 1 where the body is this instance's */
  void* workspace;
  size_t workspace_size;
};

struct force_options {
  const char* library;      /* as in open_harp */
  const char* backend;      /* "c", "interp", or "": "c" where there is a C compiler */
  const char* law;          /* path of a .harp file, or "" */
  const char* potential;    /* path of a .npy file with the weights of a network (train.py), or "" */
  const char* coefficients; /* numbers with spaces between: the law's input of that name */
};

/* Fills *p. Returns 0; on failure -1 with the reason in `error`, and *p can be closed. Warnings go to mju_warning. */
int force_program_open(struct force_program* p, const mjModel* m, const struct force_options* options, char* error, size_t size);
void force_program_close(struct force_program* p);

/* Computes the outputs from the arrays of m and d, where they lie. Allocates nothing with the backend "c". Returns 0, or -1 with the reason
 * in `error`. */
int force_program_run(struct force_program* p, const mjModel* m, const mjData* d, char* error, size_t size);

#endif
