// Builds math functions as expressions of the loop IR: the templates of ops/math.h instantiated over UOps. Generated code therefore
// performs exactly the sequence of operations that the interpreter performs.
#pragma once

#include <string_view>

#include "ir/ir.h"

namespace harp::ir {

/// Builds the function that ops/math.h defines for `op` over operands of `dtype`. Arena::function_of calls this once for each op and dtype
/// and keeps the result.
const Function* build_function(Arena& arena, Op op, DType dtype);
/// Builds one of the functions that Arena::conversion returns; one of the two dtypes is f16 or bf16. A function from f16 or bf16 converts
/// to f32, or returns the bits as a u16, after replacing every NaN by the canonical NaN. A function to f16 or bf16 converts from f32, f64,
/// or an integer of 32 or 64 bits.
const Function* build_conversion(Arena& arena, DType from, DType to);
/// Functions over f32 or f64 for a running Max or Min that ignores NaN operands. `extreme(running, element)` returns the new running value.
/// `found_nan(found, a, b)` detects NaN in the two elements a and b. `in_register(element)` returns its argument; it keeps the compiler
/// from loading an element twice when `extreme` and `found_nan` both use it. Each function exists once in an arena.
struct ExtremeOfNumbers {
  const Function *extreme, *found_nan, *in_register;
};
ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, Op op, DType dtype);

/// A running maximum that takes one instruction for each element. The result is wrong in two cases: an operand is NaN, or the result is -0
/// where +0 is correct. In both cases the floating-point unit's flag for invalid operations is raised: `greater` raises it for a NaN, and
/// `checked`, which returns its operand, raises it for such a result. The code then runs again with exact functions (ir::Retry).
struct FlaggedMaximum {
  const Function *greater, *checked;
};
FlaggedMaximum build_flagged_maximum(Arena& arena, DType dtype);
/// Returns the function (a, b) over i32 whose operands each hold two integers of 16 bits. The result is the product of the low halves plus
/// the product of the high halves. The function exists once in an arena.
const Function* build_sum_of_pairs(Arena& arena);
inline constexpr std::string_view kSumOfPairs = "sum_of_pairs_i32";  // its name
/// Returns the function (sum, a, b) over i32, where a and b each hold two integers of 16 bits. Its result is sum, plus the product of the
/// low halves of a and b, plus the product of their high halves. The arena keeps one instance.
const Function* build_add_pairs(Arena& arena);
inline constexpr std::string_view kAddPairs = "add_pairs_i32";  // its name
/// Returns the function (sum, a, b) over i32. Its result is sum plus the products of the four unsigned bytes of a with the four signed
/// bytes of b. The arena keeps one instance.
const Function* build_add_quads(Arena& arena);
inline constexpr std::string_view kAddQuads = "add_quads_i32";  // its name
/// Returns the function (index, size) over i32 or i64 that Arena::position calls. It adds `size` to a negative index, and then clamps the
/// index to [0, size). The arena keeps one instance for each dtype.
const Function* build_clamp_index(Arena& arena, DType dtype);
inline constexpr std::string_view kClampIndex = "clamp_index_";  // the first part of its name; the dtype's name follows

}  // namespace harp::ir
