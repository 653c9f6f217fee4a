// Declares operations that only the text format offers, in addition to the table of graph/operations.h. The only one is grad, as in
// dx, dw = grad(y, x, w, grad_output=none).
#pragma once

#include "graph/operations.h"

namespace harp::grad {

std::span<const Operation> text_operations();

}  // namespace harp::grad
