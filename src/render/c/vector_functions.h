// Generated functions that compute vectors. Each function here returns the name of a generated function, which it defines when it is first
// used. The comments give the parameters of the generated function in parentheses.
#pragma once

#include <string>
#include <vector>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the definition of a function that emulates the operation, if the machine lacks it, or if a plain C99 source
/// (RenderOptions::plain_text) must not call libm for it. Returns "" if the operation needs no emulation.
std::string emulated_definition(Unit& unit, Op op, DType dtype);

/// Returns the name of a generated function (operands) that applies the elementwise operation of this rule; also for one lane.
std::string elementwise_function(Unit& unit, const Rule& rule, DType dtype, int lanes);
/// Returns the name of a generated function (scalar): a vector with this value in all lanes.
std::string splat_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (constant). Its result is a vector with this constant in every lane, which the compiler keeps
/// in a register. It is for functions that are inlined where they are called.
std::string constant_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (mask as wide as dtype, a, b): a bitwise select. gcc 12 compiles a loop over m[lane] ? a[lane]
/// : b[lane] to branches, or to wrong code.
std::string select_function(Unit& unit, DType dtype, int lanes);
std::string cast_function(Unit& unit, DType from, DType to, int lanes);  // The generated function truncates and saturates; NaN gives 0.
std::string lanewise_cast_function(Unit& unit, DType from, DType to,
                                   // The generated function casts lane by lane. Its result is undefined for numbers that do not fit `to`.
                                   int lanes);
/// Returns the name of a generated function that converts integers to integers of at least four times their size. On x86 with gcc the
/// function calls the builtin of a conversion instruction. Otherwise gcc 12 would not use that instruction: it compiles
/// __builtin_convertvector to one conversion for each lane (i8x16 to i32x16: 0.65 ns an element instead of 0.029 ns), and it compiles a
/// loop over the lanes to that instruction only if it may vectorise straight-line code, which the switches in base/gcc_bugs.h disable.
/// Without that, gcc converts each part of 16 bytes separately and joins the parts in memory.
std::string widening_function(Unit& unit, DType from, DType to, int lanes);
/// Returns the name of a generated function (numbers) that casts the bits, like scalar_bits_function().
std::string bits_function(Unit& unit, DType from, DType to, int lanes, bool canonical);
/// Returns the name of a generated function (numbers) that negates floats, in such a way that gcc cannot merge the negation into
/// another operation.
std::string negation_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (first, step): the vector first + lane * step, of i32 or i64.
std::string ramp_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (first, step). Its result is a mask of 32 bits per lane, which is true where first + lane *
/// step >= 0. `small_step`: the step times the number of lanes is less than 2^30.
std::string in_range_function(Unit& unit, int lanes, bool small_step);
/// Returns the name of a generated function (fault record of the worker, site, element, step, numbers, least, end[, mask of 64 bits]).
/// `numbers` is a vector of indices. The function returns it, and records a fault if an index is outside [least, end). The site is the
/// index of the index check in the program. Lane i checks the index for the element number element + i * step.
std::string check_function(Unit& unit, int lanes, bool masked);
/// Returns the name of a generated function (indices): for each lane the element of the table with this index.
std::string lookup_function(Unit& unit, const ir::Table& table, int lanes);
/// Returns the name of a generated function (condition, common, arguments…) for values whose exact computation is rarely needed. Where the
/// condition is true, a lane of the result is `function` of the arguments; elsewhere it is the lane of `common`. `type` and `arguments` are
/// C types.
std::string rare_lanes_function(Unit& unit, const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                                const std::vector<std::string>& arguments);

}  // namespace harp::render
