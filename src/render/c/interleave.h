// Loads and stores of n vectors whose elements are interleaved in memory: memory consists of groups of n elements, and element j of each
// group is a lane of vector j. The generated functions load or store whole vectors and shuffle their lanes.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the name of a generated function (pointer) that loads one of `parts` interleaved vectors, number `part`. The pointer is the
/// address of lane 0 of vector number 0.
std::string load_part_function(Unit& unit, DType dtype, int lanes, int parts, int part);
/// Returns the name of a generated function (pointer, vectors) that stores `parts` interleaved vectors.
std::string store_interleaved_function(Unit& unit, DType dtype, int lanes, int parts);

}  // namespace harp::render
