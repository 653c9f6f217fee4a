// Functions of a unit that load and store vectors where that is more than a move. Lanes of masks are as wide as the elements in memory.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

std::string load_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);  // function (pointer[, step][, mask])
std::string load_reversed_function(Unit& unit, DType dtype, int lanes);                    // function (pointer to the element of lane 0)
/// Tests whether a strided load should be load_every_function(): a small known step, and few enough vectors with few enough shuffles.
bool loads_whole_vectors(DType dtype, int lanes, Sym step);
/// Loads every second, third or fourth element. Function (pointer)
std::string load_every_function(Unit& unit, DType dtype, int lanes, int step);
std::string store_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);  // function (pointer[, step], value[, mask])
std::string store_pairs_function(Unit& unit, DType dtype, int lanes);  // function (pointer, first elements of pairs, second elements)
/// Function (pointer, value): a non-temporal store if the pointer is a multiple of the value's size; otherwise, or if the machine has none,
/// an ordinary store. (stream.cpp)
std::string stream_function(Unit& unit, DType dtype, int lanes);

/// Function (pointer, position[, stride][, step][, mask]): element position[lane] * stride + lane * step.
struct GatherForm {
  DType dtype, position;
  bool strided, steps, masked;
};
std::string gather_function(Unit& unit, const GatherForm& form, int lanes);

}  // namespace harp::render
