// Generated functions on masks (see vectors.h). Each function here returns the name of one; its parameters are in parentheses.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

std::string splat_mask_function(Unit& unit, int bits, int lanes);   // generated: (_Bool)
std::string any_function(Unit& unit, int bits, int lanes);          // generated: (mask), returns an int
std::string select_mask_function(Unit& unit, int bits, int lanes);  // generated: (condition, a, b), all masks
std::string comparison_function(Unit& unit, Op op, DType dtype,
                                int lanes);                      // generated: (a, b), or (a) for kIsNan; requires has_predicates()
std::string blend_function(Unit& unit, DType dtype, int lanes);  // generated: (mask of one bit a lane, a, b); requires has_predicates()
/// Returns the name of a generated function (x, y): x where x < y (with `greater`: x > y), else y, in one instruction; an empty name if
/// there is none.
std::string first_if_less_function(Unit& unit, bool greater, DType dtype, int lanes);
/// Returns the name of a generated function (count): a mask of one bit a lane that is set in the first `count` lanes; any count is allowed.
std::string first_lanes_function(Unit& unit, int lanes);
/// Converts the text of a mask from `from` bits to `to` bits a lane.
std::string converted_mask(Unit& unit, const std::string& text, int from, int to, int lanes);

}  // namespace harp::render
