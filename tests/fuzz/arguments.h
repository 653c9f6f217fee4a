// Random arguments for any operation of the table (graph/operations.h). They are chosen by the kind and the name of each parameter, so a
// new operation usually needs no code here; an operation with more constraints gets a line in arguments.cpp. The tests fail if an operation
// is never built.
#pragma once

#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Tries once to build a node of the operation, with `primary` as its first array if not null. Returns nothing if the drawn arguments do
/// not fit each other. Error{kInternal} and exceptions other than harp::Error are passed on, because they are bugs.
std::vector<NodeRef> try_operation(Workbench& bench, const Operation& row, NodeRef primary);

/// True if the operation accepts a first array of this dtype. For an operation of ops.def the table decides; for any other the answer is
/// true.
bool may_take(const Operation& row, DType dtype);
/// True if the operation takes an array.
bool takes_array(const Operation& row);

}  // namespace harp::fuzz
