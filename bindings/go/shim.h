/* C code that the package needs in addition to harp.h: calls that return the error instead of writing it to memory of Go, and lists of
 * pointers that are built on C's stack. */
#ifndef GOHARP_SHIM_H
#define GOHARP_SHIM_H

#include <harp.h>
#include <stdlib.h>

/* Maximum number of arrays of a call by goharp_call, which allocates nothing. */
#define GOHARP_ARRAYS 8

/* Dtypes, ranks and sizes of the arrays of a call, inputs first. It contains no pointer, so it may be in memory of Go. */
typedef struct goharp_frame {
  int32_t n_inputs, n_outputs;
  int32_t dtypes[GOHARP_ARRAYS], ranks[GOHARP_ARRAYS];
  int64_t dims[4 * GOHARP_ARRAYS];
} goharp_frame;

/* Calls the program on the arrays at a0 ... a7. Each address is a separate argument, because cgo keeps a Go array alive and in place during
 * the call only if an argument points to it. The arguments have the type uint8_t*, because cgo would search the target of a void* for Go
 * pointers at each call, which takes time. */
static inline harp_error* goharp_call(uintptr_t program, const goharp_frame* frame, uint8_t* a0, uint8_t* a1, uint8_t* a2, uint8_t* a3,
                                      uint8_t* a4, uint8_t* a5, uint8_t* a6, uint8_t* a7) {
  void* data[GOHARP_ARRAYS] = {a0, a1, a2, a3, a4, a5, a6, a7};
  harp_const_array inputs[GOHARP_ARRAYS];
  harp_array outputs[GOHARP_ARRAYS];
  const int64_t* dims = frame->dims;
  for (int32_t i = 0; i < frame->n_inputs; ++i) {
    inputs[i].data = data[i], inputs[i].dims = dims, inputs[i].dtype = frame->dtypes[i], inputs[i].rank = frame->ranks[i];
    dims += frame->ranks[i];
  }
  for (int32_t i = 0; i < frame->n_outputs; ++i) {
    const int32_t at = frame->n_inputs + i;
    outputs[i].data = data[at], outputs[i].dims = dims, outputs[i].dtype = frame->dtypes[at], outputs[i].rank = frame->ranks[at];
    dims += frame->ranks[at];
  }
  harp_error* error = NULL;
  harp_program_call((harp_program*)program, (size_t)frame->n_inputs, inputs, (size_t)frame->n_outputs, outputs, NULL, &error);
  return error;
}

/* Describes a buffer that a run has created. */
typedef struct goharp_made {
  void* data;
  int32_t dtype, rank;
  int64_t dims[HARP_MAX_RANK];
} goharp_made;

/* The owner of the native operations of the run that is active on this thread: a handle of Go, or 0. Native operations are called on the
 * thread that runs. */
extern _Thread_local uintptr_t goharp_calls;

/* Runs the program on buffers. Outputs that are NULL are created; `made` (n_outputs entries, or NULL) receives the description of all
 * outputs. */
static inline harp_error* goharp_run(void* program, size_t n_inputs, harp_buffer* const* inputs, size_t n_outputs, harp_buffer** outputs,
                                     const harp_run_options* options, goharp_made* made, uintptr_t calls) {
  harp_error* error = NULL;
  const uintptr_t outer = goharp_calls; /* saved, because a native operation may itself run programs of another context */
  goharp_calls = calls;
  const harp_status status = harp_program_run((harp_program*)program, n_inputs, inputs, n_outputs, outputs, options, &error);
  goharp_calls = outer;
  if (status != HARP_OK) return error;
  for (size_t i = 0; made != NULL && i < n_outputs; ++i) {
    made[i].data = (void*)harp_buffer_const_data(outputs[i]);
    made[i].dtype = harp_buffer_dtype(outputs[i]);
    made[i].rank = harp_buffer_rank(outputs[i]);
    const int64_t* dims = harp_buffer_dims(outputs[i]);
    for (int32_t axis = 0; axis < made[i].rank; ++axis) made[i].dims[axis] = dims[axis];
  }
  return NULL;
}

/* Calls harp_program_call on arrays that Go has built, in memory of C or pinned. */
static inline harp_error* goharp_call_arrays(void* program, size_t n_inputs, const harp_const_array* inputs, size_t n_outputs,
                                             const harp_array* outputs, const harp_run_options* options, uintptr_t calls) {
  harp_error* error = NULL;
  const uintptr_t outer = goharp_calls;
  goharp_calls = calls;
  harp_program_call((harp_program*)program, n_inputs, inputs, n_outputs, outputs, options, &error);
  goharp_calls = outer;
  return error;
}

/* The C function of every native operation. i0 ... are the addresses of the inputs; unused ones are equal to `user`. s0 ... are the values
 * of the symbolic sizes; unused ones are 0. */
#define GOHARP_NATIVE_INPUTS 8
#define GOHARP_NATIVE_SIZES 16
int32_t goharp_native(void* user, void* output, void* i0, void* i1, void* i2, void* i3, void* i4, void* i5, void* i6, void* i7, int64_t s0,
                      int64_t s1, int64_t s2, int64_t s3, int64_t s4, int64_t s5, int64_t s6, int64_t s7, int64_t s8, int64_t s9, int64_t s10,
                      int64_t s11, int64_t s12, int64_t s13, int64_t s14, int64_t s15);

#endif
