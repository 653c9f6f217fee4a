// Generated functions that compute vectors. Each function here returns the name of a generated function, which it defines when it is first
// used. The comments give the parameters of the generated function in parentheses.
#pragma once

#include <string>
#include <vector>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the definition of an operation that the machine lacks, or for which a source with RenderOptions::plain_text must not call libm;
/// empty if the operation needs none.
std::string emulated_definition(Unit& unit, Op op, DType dtype);

std::string elementwise_function(Unit& unit, const Rule& rule, DType dtype, int lanes);  // generated: (operands); also for one lane
std::string splat_function(Unit& unit, DType dtype, int lanes);                          // generated: (scalar)
/// Returns the name of a generated function (constant): a vector with this constant in every lane that stays in a register, for functions
/// that are inlined where they are called.
std::string constant_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (mask as wide as dtype, a, b): a select, bit by bit. gcc 12 turns a loop over m[lane] ? a[lane]
/// : b[lane] into branches, or into wrong code.
std::string select_function(Unit& unit, DType dtype, int lanes);
std::string cast_function(Unit& unit, DType from, DType to, int lanes);  // generated: truncates and saturates; NaN gives 0
std::string lanewise_cast_function(Unit& unit, DType from, DType to,
                                   int lanes);  // generated: casts lane by lane; undefined for numbers that do not fit `to`
/// Returns the name of a generated function that converts integers to integers of at least four times their size. On x86 gcc gets the
/// builtin of an instruction, because gcc 12 compiles __builtin_convertvector to one conversion for each lane (i8x16 to i32x16: 0.65 ns an
/// element), and a loop over lanes to the instruction (0.029 ns) only if it vectorises straight-line code. The flags of c_flags.cpp do not
/// include that; then each part of 16 bytes is converted alone, and the parts are put together in memory.
std::string widening_function(Unit& unit, DType from, DType to, int lanes);
std::string bits_function(Unit& unit, DType from, DType to, int lanes, bool canonical);  // bit cast; see scalar_bits_function()
std::string negation_function(Unit& unit, DType dtype, int lanes);                       // generated: float negation that gcc cannot merge
std::string ramp_function(Unit& unit, DType dtype, int lanes);                           // generated: (first, step) -> i32 or i64
/// Returns the name of a generated function (first, step): a mask of 32 bits a lane that is true where first + lane * step >= 0.
/// `small_step`: the step times the lanes is below 2^30.
std::string in_range_function(Unit& unit, int lanes, bool small_step);
/// Returns the name of a generated function (fault record of the worker, site, element, step, numbers, least, end[, mask of 64 bits]):
/// returns the numbers, and records a fault if one is outside [least, end). The site is the number of the index check in the program.
std::string check_function(Unit& unit, int lanes, bool masked);
std::string lookup_function(Unit& unit, const ir::Table& table, int lanes);  // generated: (indices)
/// Returns the name of a generated function (condition, common, arguments…): `function` of the arguments in the lanes where the condition
/// is true, else `common`. `type` and `arguments` are C types.
std::string rare_lanes_function(Unit& unit, const ir::Function& function, int lanes, int mask_bits, const std::string& type,
                                const std::vector<std::string>& arguments);

}  // namespace harp::render
