// Adds gradients to random graphs. The gradient of an operation consists of nodes that a program would hardly contain otherwise: padding
// with zeros between elements, sums of shifted rows, scatters to the positions from which elements were taken, products with windows.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Chooses a node and makes its gradients outputs: those with respect to some inputs, and sometimes other nodes, on which it depends. All
/// other nodes must be in the graph already. Returns false if there is no such node, if it has no gradient, or if the gradients are too
/// large.
bool add_gradients(Workbench& bench);

}  // namespace harp::fuzz
