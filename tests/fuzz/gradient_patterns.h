// Adds gradients to random graphs. The gradient of an operation consists of nodes that a program would hardly contain otherwise: padding
// with zeros between elements, sums of shifted rows, scatters to the positions from which elements were taken, products with windows.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Makes outputs of the gradients of a node with respect to some of the inputs, and sometimes also other nodes, on which it depends. The
/// graph has all its other nodes already. Returns false if there is no such node, if it has no gradient, or if the gradients are too large.
bool add_gradients(Workbench& bench);

}  // namespace harp::fuzz
