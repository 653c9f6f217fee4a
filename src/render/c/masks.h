// Functions of a unit on masks (see vectors.h).
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

std::string splat_mask_function(Unit& unit, int bits, int lanes);   // function (_Bool)
std::string any_function(Unit& unit, int bits, int lanes);          // function (mask): int
std::string select_mask_function(Unit& unit, int bits, int lanes);  // function (mask, mask, mask)
std::string comparison_function(Unit& unit, Op op, DType dtype,
                                int lanes);                      // (a, b), or (a) for kIsNan; requires has_predicates()
std::string blend_function(Unit& unit, DType dtype, int lanes);  // function (mask of one bit a lane, a, b); requires has_predicates()
/// Function (x, y): x if x < y (with `greater`: x > y), else y, in one instruction; empty if there is none.
std::string first_if_less_function(Unit& unit, bool greater, DType dtype, int lanes);
/// Function (count): a mask of one bit a lane that is set in the first `count` lanes; any count is allowed.
std::string first_lanes_function(Unit& unit, int lanes);
/// Converts the text of a mask from `from` bits to `to` bits a lane.
std::string converted_mask(Unit& unit, const std::string& text, int from, int to, int lanes);

}  // namespace harp::render
