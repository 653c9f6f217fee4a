// Generated functions for vector loads and stores that no single move instruction performs: strided, masked, reversed, gathered. Each
// function here returns the name of a generated function; the comments give the parameters of the generated function in parentheses. A lane
// of a mask is as wide as an element in memory.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

std::string load_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);  // generated: (pointer[, step][, mask])
std::string load_reversed_function(Unit& unit, DType dtype, int lanes);                    // generated: (pointer to the element of lane 0)
/// Tests whether a strided load should use load_every_function(): the step is small and known, and few vectors and shuffles are needed.
bool loads_whole_vectors(DType dtype, int lanes, Sym step);
/// Returns the name of a generated function (pointer) that loads every second, third or fourth element.
std::string load_every_function(Unit& unit, DType dtype, int lanes, int step);
std::string store_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);  // generated: (pointer[, step], value[, mask])
std::string store_pairs_function(Unit& unit, DType dtype, int lanes);  // generated: (pointer, first elements of pairs, second elements)
/// Returns the name of a generated function (pointer, value) that stores a vector. It uses a non-temporal store if the pointer is a
/// multiple of the value's size, and an ordinary store otherwise or if the machine has no non-temporal ones. (stream.cpp)
std::string stream_function(Unit& unit, DType dtype, int lanes);

/// The variants of a generated gather function (pointer, position[, stride][, step][, mask]): lane i is element position[i] * stride + i *
/// step.
struct GatherForm {
  DType dtype, position;
  bool strided, steps, masked;
};
std::string gather_function(Unit& unit, const GatherForm& form, int lanes);

}  // namespace harp::render
