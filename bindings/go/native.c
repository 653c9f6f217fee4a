/* The C function behind every native operation. It passes its arguments to Go as lists. */
#include "shim.h"

#include "_cgo_export.h"

_Thread_local uintptr_t goharp_calls;

int32_t goharp_native(void* user, void* output, void* i0, void* i1, void* i2, void* i3, void* i4, void* i5, void* i6, void* i7, int64_t s0,
                      int64_t s1, int64_t s2, int64_t s3, int64_t s4, int64_t s5, int64_t s6, int64_t s7, int64_t s8, int64_t s9, int64_t s10,
                      int64_t s11, int64_t s12, int64_t s13, int64_t s14, int64_t s15) {
  void* inputs[GOHARP_NATIVE_INPUTS] = {i0, i1, i2, i3, i4, i5, i6, i7};
  int64_t sizes[GOHARP_NATIVE_SIZES] = {s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15};
  return goharpNative((uintptr_t)user, goharp_calls, output, inputs, sizes);
}
