// Writes generated functions on masks (see vectors.h). Each function here returns the name of a generated function. The comments give the
// parameters of the generated function in parentheses.
#pragma once

#include <cstdint>
#include <string>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the name of a generated function (_Bool). Its result is a mask with this value in all lanes.
std::string splat_mask_function(Unit& unit, int bits, int lanes);
/// Returns the name of a generated function (mask). Its result is an int that is not 0 if the mask is true in some lane.
std::string any_function(Unit& unit, int bits, int lanes);
/// Returns the name of a generated function (pointer to `count` bools). Its result is an int that is not 0 if one of the bools is true.
std::string any_of_array_function(Unit& unit, int64_t count);
/// Returns the name of a generated function (condition, a, b) that selects between the masks a and b. Its result has the lane of a where
/// the condition is true, else that of b.
std::string select_mask_function(Unit& unit, int bits, int lanes);
/// Returns the name of a generated function (a, b), or (a) for kIsNan, that compares vectors. With `masked` the first parameter is a mask
/// with one bit per lane, and the result is false in all lanes where this mask is false. Requires has_predicates(), that is, compare
/// instructions whose result has one bit per lane.
std::string comparison_function(Unit& unit, Op op, DType dtype, int lanes, bool masked = false);
/// Returns the name of a generated function (mask with one bit per lane, a, b). Its result has the lane of a where the mask is true, else
/// that of b. Requires has_predicates().
std::string blend_function(Unit& unit, DType dtype, int lanes);
/// Returns the name of a generated function (x, y) that is a single instruction. Its result is x where x < y (with `greater`: x > y), else
/// y. Returns "" if the CPU has no such instruction.
std::string first_if_less_function(Unit& unit, bool greater, DType dtype, int lanes);
/// Returns the name of a generated function (count). Its result is a mask with one bit per lane, which is set in the first `count` lanes.
/// `count` may have any value, also negative or greater than the number of lanes.
std::string first_lanes_function(Unit& unit, int lanes);
/// Returns an expression that converts the mask `text` from `from` bits per lane to `to` bits per lane.
std::string converted_mask(Unit& unit, const std::string& text, int from, int to, int lanes);

}  // namespace harp::render
