// Loads and stores of n vectors whose elements are interleaved in memory: element j of each group of n is a lane of vector j. They access
// whole vectors and shuffle.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the name of a generated function (pointer) that loads vector `part` of `parts` interleaved ones. The pointer is to lane 0 of the
/// first of them.
std::string load_part_function(Unit& unit, DType dtype, int lanes, int parts, int part);
/// Returns the name of a generated function (pointer, vectors) that stores `parts` interleaved vectors.
std::string store_interleaved_function(Unit& unit, DType dtype, int lanes, int parts);

}  // namespace harp::render
