// What the text format calls beyond the graph's own operations: dx, dw = grad(y, x, w, grad_output=none).
#pragma once

#include "graph/operations.h"

namespace harp::grad {

std::span<const Operation> text_operations();

}  // namespace harp::grad
