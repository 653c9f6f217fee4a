// Functions of a unit that compute vectors. Each function here returns the name of a function of the unit, which it defines when it is
// first used, with the parameters in parentheses.
#pragma once

#include <string>
#include <vector>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the definition of an operation that the machine lacks, or for which plain text must not call libm; empty: it needs none.
std::string emulated_definition(Unit& unit, Op op, DType dtype);

std::string elementwise_function(Unit& unit, const Rule& rule, DType dtype, int lanes);  // function (operands); also for one lane
std::string splat_function(Unit& unit, DType dtype, int lanes);                          // function (scalar)
/// Function (constant): a splat that stays in a register, for functions that are inlined where they are called.
std::string constant_function(Unit& unit, DType dtype, int lanes);
/// Function (mask as wide as dtype, a, b). Selects bitwise: gcc 12 turns a loop over m[lane] ? a[lane] : b[lane] into branches, or wrong
/// code.
std::string select_function(Unit& unit, DType dtype, int lanes);
std::string cast_function(Unit& unit, DType from, DType to, int lanes);  // float to integer: truncates and saturates; NaN gives 0
std::string lanewise_cast_function(Unit& unit, DType from, DType to,
                                   int lanes);                                           // undefined for numbers that do not fit
/// Integers to integers of at least four times their size. gcc 12 makes one instruction of a loop over lanes, but converts each lane by
/// itself in __builtin_convertvector (i8x16 to i32x16: 0.029 and 0.65 ns an element).
std::string widening_function(Unit& unit, DType from, DType to, int lanes);
std::string bits_function(Unit& unit, DType from, DType to, int lanes, bool canonical);  // bit cast; see scalar_bits_function()
std::string negation_function(Unit& unit, DType dtype, int lanes);                       // float negation that gcc cannot merge
std::string ramp_function(Unit& unit, DType dtype, int lanes);                           // function (first, step): i32 or i64
/// Function (first, step): 32-bit mask of first + lane * step >= 0. small_step: the step times the lanes is below 2^30.
std::string in_range_function(Unit& unit, int lanes, bool small_step);
/// Function (fault record of the worker, site, element, step, numbers, least, end[, mask of 64 bits]): the numbers.
std::string check_function(Unit& unit, int lanes, bool masked);
std::string lookup_function(Unit& unit, const ir::Table& table, int lanes);  // function (indices)
/// Function (condition, common, arguments…): `function` of the arguments in lanes where the condition is true, else `common`. `type` and
/// `arguments` are types.
std::string rare_lanes_function(Unit& unit, const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                                const std::vector<std::string>& arguments);

}  // namespace harp::render
