// CUDA C++ as NVRTC and nvcc compile it, without any header: the table that render/kernel writes kernels by. Arithmetic is scalar.
//
// The compiler must be told not to contract (-fmad=false), to divide and take roots as IEEE 754 says (-prec-div=true -prec-sqrt=true), and
// to keep subnormal numbers (-ftz=false). A multiply-add is always an explicit __fmaf_rn or __fma_rn. Overflow of signed integers is
// undefined in CUDA C++, and there is no -fwrapv; therefore sums, products and negations of signed integers are computed as unsigned.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kCuda;

/// The integer types of the text. The compilers' own names differ: nvcc predeclares int64_t, and NVRTC has no __INT64_TYPE__.
extern const std::string_view kCudaTypes;
/// The type of a record of index faults, with the layout of cuda::IndexRecord (run/cuda/plan.h).
extern const std::string_view kIndexRecordType;

}  // namespace harp::render
