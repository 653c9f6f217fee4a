// Declares the CUDA C++ dialect, for NVRTC and nvcc; the generated text needs no header. A dialect is a table (render/kernel/dialect.h)
// that tells the code in render/kernel how to write kernels in one language. Arithmetic is scalar.
//
// The code must be compiled with these options: no contraction of multiplications and additions (-fmad=false), division and square roots
// rounded as in IEEE 754 (-prec-div=true -prec-sqrt=true), and no flush of subnormal numbers to zero (-ftz=false). A multiply-add is always
// an explicit __fmaf_rn or __fma_rn. Overflow of signed integers is undefined in CUDA C++, and there is no -fwrapv; therefore sums,
// products and negations of signed integers are computed as unsigned.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kCuda;

/// The typedefs of the integer types in the generated code, i8 to u64. The code does not use names that compilers predefine, because these
/// differ: nvcc predeclares int64_t, and NVRTC has no __INT64_TYPE__.
extern const std::string_view kCudaTypes;
/// The type of a record of index faults. It has the layout of cuda::IndexRecord (run/cuda/plan.h).
extern const std::string_view kIndexRecordType;

}  // namespace harp::render
