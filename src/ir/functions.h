// Builds math functions as expressions of the loop IR: the templates of ops/math.h instantiated over UOps. Generated code therefore
// performs exactly the sequence of operations that the interpreter performs.
#pragma once

#include <string_view>

#include "ir/ir.h"

namespace harp::ir {

/// Builds the function that ops/math.h defines for `op` over operands of `dtype`. Arena::function_of calls this once for each op and dtype
/// and keeps the result.
const Function* build_function(Arena& arena, Op op, DType dtype);
/// Builds the function that Arena::conversion returns for these dtypes. Arena::conversion calls this once for each pair of dtypes and keeps
/// the result.
const Function* build_conversion(Arena& arena, DType from, DType to);
/// Functions over f32 or f64 for a running Max or Min that ignores NaN operands. `extreme(running, element)` returns the new running value.
/// `found_nan(found, a, b)` returns NaN if the element a or b is NaN, otherwise `found`. `in_register(element)` returns its argument; it
/// keeps the compiler from loading an element twice when `extreme` and `found_nan` both use it. Each function exists once in an arena.
struct ExtremeOfNumbers {
  const Function *extreme, *found_nan, *in_register;
};
ExtremeOfNumbers build_extreme_of_numbers(Arena& arena, Op op, DType dtype);

/// A running maximum that takes one instruction for each element. The result may be wrong in two cases: an operand is NaN, or the result is
/// -0, where +0 may be correct. In both cases the floating-point unit's flag for invalid operations is raised: `greater` raises it for a
/// NaN, and `checked`, which is applied to the result and returns it unchanged, raises it for -0. The code then runs again with exact
/// functions (ir::Retry).
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
