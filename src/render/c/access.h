// Writes generated functions for vector loads and stores that no single move instruction performs: strided, masked, reversed, gathered.
// Each C++ function below returns the name of a function in the generated code; its comment lists the parameters of the generated function
// in parentheses. A lane of a mask is as wide as an element in memory.
#pragma once

#include <string>

#include "render/c/vectors.h"

namespace harp::render {

/// Returns the name of a generated function (pointer[, step][, mask]) that loads a vector, with a stride of `step` elements.
std::string load_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);
/// Returns the name of a generated function (pointer to the element of lane 0) that loads a vector from descending addresses.
std::string load_reversed_function(Unit& unit, DType dtype, int lanes);
/// Tests whether a strided load should use load_every_function(): the step is small and known, and few vectors and shuffles are needed.
bool loads_whole_vectors(DType dtype, int lanes, Sym step);
/// Returns the name of a generated function (pointer) that loads every second, third or fourth element.
std::string load_every_function(Unit& unit, DType dtype, int lanes, int step);
/// Returns the name of a generated function (pointer[, step], value[, mask]) that stores a vector, with a stride of `step` elements.
std::string store_function(Unit& unit, DType dtype, int lanes, bool strided, bool masked);
/// Returns the name of a generated function (pointer, value) that stores a vector. The store is non-temporal if the address is a multiple
/// of the vector's size and the machine has such stores, and ordinary otherwise. (stream.cpp)
std::string stream_function(Unit& unit, DType dtype, int lanes);

/// A variant of a generated gather function (pointer, position[, stride][, step][, mask]). Lane i of its result is the element with the
/// index position[i] * stride + i * step. `position` is a vector; stride and step are 1 and 0 if they are not parameters.
struct GatherForm {
  DType dtype, position;
  bool strided, steps, masked;
};
std::string gather_function(Unit& unit, const GatherForm& form, int lanes);

}  // namespace harp::render
