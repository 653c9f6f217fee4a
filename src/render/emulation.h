// C text of arithmetic the machine or the compiler may not have: fma on CPUs without it, and the functions of libm that the
// plain text must not need. Exact for every input, in plain C99.
#pragma once

#include <string_view>

#include "ops/ops.h"

namespace harp::render {

/// Definition of a function `fma_f32`, `sqrt_f64` … for Fma, Sqrt, Floor, Ceil, Trunc, Round of f32 or f64; empty for other ops.
/// That of sqrt_f32 uses sqrt_f64.
std::string_view emulation_of(Op op, DType dtype);

}  // namespace harp::render
