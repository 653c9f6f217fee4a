// The addresses at which a Fourier transform finds the rows of its operands and its result.
#pragma once

#include <vector>

#include "ir/statement.h"
#include "schedule/transform.h"

namespace harp::lower {

/// Returns the starts and steps of the real and imaginary parts of a transform's operand and result. `position` is the flattened index
/// along all row axes except the last one. (routine.cpp)
std::vector<ir::Routine::Part> parts_of(const Transform& transform, Sym position);

}  // namespace harp::lower
