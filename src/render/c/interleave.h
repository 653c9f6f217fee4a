// Writes loads and stores of n vectors whose elements are interleaved in memory. Memory consists of groups of n adjacent elements; element
// j of each group belongs to vector j. The generated functions load or store whole vectors and shuffle their lanes.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the name of a generated function (pointer) that loads vector number `part` of `parts` interleaved vectors. The pointer is the
/// address of lane 0 of vector number 0.
std::string load_part_function(Unit& unit, DType dtype, int lanes, int parts, int part);
/// Returns the name of a generated function (pointer, vectors) that stores `parts` interleaved vectors.
std::string store_interleaved_function(Unit& unit, DType dtype, int lanes, int parts);

}  // namespace harp::render
