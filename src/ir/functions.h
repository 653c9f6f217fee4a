// Math functions as expressions: the templates of ops/math.h instantiated over UOps, so that generated code performs the very
// sequence of operations the interpreter performs.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// The function ops/math.h defines for `op` over operands of `dtype`. Called by Arena::function_of, which keeps one of each.
const Function* build_function(Arena& arena, Op op, DType dtype);
/// Arena::conversion's: f16 or bf16 to f32 or (canonical bits) u16; f32, f64 and integers of 32 and 64 bits to f16 or bf16.
const Function* build_conversion(Arena& arena, DType from, DType to);
/// Of f32 or f64: (extreme, element) for a running Max or Min that skips NaN, and (found, element, element), which finds those; (element),
/// which is that, loaded once for both. One of each.
struct ExtremeOfNumbers {
  const Function *extreme, *found_nan, *in_register;
};
ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, Op op, DType dtype);

/// A running maximum in one instruction, which is right unless it meets NaN or ends as -0, which +0 would exceed: `greater` is then an
/// invalid operation, or `checked`, which gives the result it is given (ir::Retry).
struct WatchedMaximum {
  const Function *greater, *checked;
};
WatchedMaximum build_watched_maximum(Arena& arena, DType dtype);
/// (index, size) of i32 or i64: what Arena::position calls. One of each.
const Function* build_clamp_index(Arena& arena, DType dtype);

}  // namespace harp::ir
