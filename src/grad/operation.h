// Operations that the text format offers in addition to the graph's own: dx, dw = grad(y, x, w, grad_output=none).
#pragma once

#include "graph/operations.h"

namespace harp::grad {

std::span<const Operation> text_operations();

}  // namespace harp::grad
