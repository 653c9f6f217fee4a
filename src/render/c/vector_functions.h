// Writes generated functions that compute vectors. Each function here returns the name of a generated function, which it defines when it is
// first used. The comments give the parameters of the generated function in parentheses.
#pragma once

#include <string>
#include <vector>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the definition of a function that emulates the operation, if the machine lacks it, or if a plain C99 source
/// (RenderOptions::plain_text) must not call libm for it. Returns "" if the operation needs no emulation.
std::string emulated_definition(Unit& unit, Op op, DType dtype);

/// Returns the name of a generated function (operands) that applies the elementwise operation of this rule (render/kernel/rules.h) to
/// vectors of `lanes` elements, or to scalars if `lanes` is 1.
std::string elementwise_function(Unit& unit, const Rule& rule, DType dtype, int lanes);
/// Returns the name of a generated function (scalar). Its result is a vector with this value in all lanes.
std::string splat_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (constant). Its result is a vector with this constant in every lane, which the compiler keeps
/// in a register. Only functions that are always inlined should call it.
std::string constant_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (mask as wide as dtype, a, b). Its result has the lane of a where the mask is true, else that
/// of b. The function uses bitwise operations, because gcc 12 compiles a loop over m[lane] ? a[lane] : b[lane] to branches, or to wrong
/// code.
std::string select_function(Unit& unit, DType dtype, int lanes);
std::string cast_function(Unit& unit, DType from, DType to, int lanes);  // The generated function truncates and saturates; NaN gives 0.
std::string lanewise_cast_function(Unit& unit, DType from, DType to,
                                   // The generated function casts lane by lane. Its result is undefined for numbers that do not fit `to`.
                                   int lanes);
/// Returns an expression that converts the elements of the vector `text`: integers and floats to wider ones or to floats, integers to
/// narrower ones, of which they keep the low bits. On x86 with gcc it is a function that calls the builtin of an instruction or shuffles
/// bytes, because gcc 12 compiles __builtin_convertvector to several instructions if the sizes differ by a factor of two, and otherwise to
/// one conversion for each lane (i8x16 to i32x16: 0.65 ns an element instead of 0.029 ns; i32x8 to i8x8: 0.57 instead of 0.12). It would
/// find the instructions only by vectorising straight-line code, which switches in base/gcc_bugs.h disable.
std::string converted_vector(Unit& unit, const std::string& text, DType from, DType to, int lanes);
/// Returns the name of a generated function (numbers) that reinterprets the bits of each number as a number of another dtype, like
/// scalar_bits_function().
std::string bits_function(Unit& unit, DType from, DType to, int lanes, bool canonical);
/// Returns the name of a generated function (numbers) that negates floats, in such a way that gcc cannot merge the negation into
/// another operation.
std::string negation_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (first, step). Its result is the vector first + lane * step, of i32 or i64.
std::string ramp_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (first, step). Its result is a mask of 32 bits per lane, which is true where first + lane *
/// step >= 0. `small_step`: the step times the number of lanes is less than 2^30.
std::string in_range_function(Unit& unit, int lanes, bool small_step);
/// Returns the name of a generated function (fault record of the worker, site, element, step, numbers, least, end[, mask of 64 bits]).
/// `numbers` is a vector of indices. The function returns it, and records a fault if an index is outside [least, end). The site is the
/// index of the index check in the program. Lane i checks the index for the element number element + i * step.
std::string check_function(Unit& unit, int lanes, bool masked);
/// Returns the name of a generated function (indices). Each lane of its result is the element of the table at the index in that lane.
std::string lookup_function(Unit& unit, const ir::Table& table, int lanes);
/// Returns the name of a generated function (condition, common, arguments…) for values whose exact computation is rarely needed. Where the
/// condition is true, a lane of the result is `function` of the arguments; elsewhere it is the lane of `common`. `type` and `arguments` are
/// C types.
std::string rare_lanes_function(Unit& unit, const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                                const std::vector<std::string>& arguments);

}  // namespace harp::render
