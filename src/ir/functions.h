// Math functions as expressions: the templates of ops/math.h instantiated over UOps. Generated code therefore performs exactly the sequence
// of operations that the interpreter performs.
#pragma once

#include <string_view>

#include "ir/ir.h"

namespace harp::ir {

/// Builds the function that ops/math.h defines for `op` over operands of `dtype`. Arena::function_of calls this once for each op and dtype
/// and keeps the result.
const Function* build_function(Arena& arena, Op op, DType dtype);
/// Builds the functions that Arena::conversion returns: f16 or bf16 to f32, or to u16 as canonical bits; f32, f64, or integers of 32 and 64
/// bits to f16 or bf16.
const Function* build_conversion(Arena& arena, DType from, DType to);
/// Functions over f32 or f64 for a running Max or Min that skips NaN. `extreme(extreme, element)` updates the running value.
/// `found_nan(found, element, element)` detects NaN. `in_register(element)` returns its argument; it keeps the compiler from loading the
/// element once for each of the other two functions. The arena keeps one instance of each.
struct ExtremeOfNumbers {
  const Function *extreme, *found_nan, *in_register;
};
ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, Op op, DType dtype);

/// A running maximum that takes one instruction for each element. It is wrong in two cases: an operand is NaN, or the result is -0 where +0
/// is correct. Both cases raise the floating-point unit's flag for invalid operations: `greater` raises it for a NaN, and `checked`, which
/// returns its operand, for such a result. The code then runs again with exact functions (ir::Retry).
struct FlaggedMaximum {
  const Function *greater, *checked;
};
FlaggedMaximum build_flagged_maximum(Arena& arena, DType dtype);
/// Function (a, b) over i32, each of which holds two integers of 16 bits: the product of their low halves plus that of their high halves.
/// The arena keeps one instance.
const Function* build_sum_of_pairs(Arena& arena);
inline constexpr std::string_view kSumOfPairs = "sum_of_pairs_i32";  // its name
/// Function (sum, a, b) over i32: sum + sum_of_pairs(a, b). The arena keeps one instance.
const Function* build_add_pairs(Arena& arena);
inline constexpr std::string_view kAddPairs = "add_pairs_i32";  // its name
/// Function (sum, a, b) over i32: sum plus the products of the four unsigned bytes of a with the four signed bytes of b. The arena keeps
/// one instance.
const Function* build_add_quads(Arena& arena);
inline constexpr std::string_view kAddQuads = "add_quads_i32";  // its name
/// Function (index, size) over i32 or i64 that Arena::position calls. The arena keeps one instance of each.
const Function* build_clamp_index(Arena& arena, DType dtype);

}  // namespace harp::ir
