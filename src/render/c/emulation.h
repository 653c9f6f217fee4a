// Writes C definitions of arithmetic that the machine or the compiler may lack: fma on CPUs without it, and functions of libm, which a
// source written with RenderOptions::plain_text must not call. Their results are correctly rounded for every input. The definitions are
// plain C99.
#pragma once

#include <string_view>

#include "ops/ops.h"

namespace harp::render {

/// Returns the definition of a function `fma_f32`, `sqrt_f64` … for the ops Fma, Sqrt, Floor, Ceil, Trunc and Round of f32 and f64. Returns
/// an empty text for other ops. The definition of sqrt_f32 calls sqrt_f64.
std::string_view emulation_of(Op op, DType dtype);

}  // namespace harp::render
