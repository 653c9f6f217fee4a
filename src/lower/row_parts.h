// Where a Fourier transform finds the rows of its operands and of its result.
#pragma once

#include <vector>

#include "ir/statement.h"
#include "schedule/transform.h"

namespace harp::lower {

/// Returns where the parts of a transform's operands and result begin, for this position of all row axes but the last. (routine.cpp)
std::vector<ir::Routine::Part> parts_of(const Transform& transform, Sym position);

}  // namespace harp::lower
