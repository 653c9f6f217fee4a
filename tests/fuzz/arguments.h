// Chooses random arguments for any operation of the table in graph/operations.h. Arguments are chosen by the kind and the name of each
// parameter, so a new operation usually needs no code here. An operation with further constraints needs a line in arguments.cpp. The tests
// fail if an operation is never built.
#pragma once

#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Tries once to build the operation with random arguments and returns its results. If `primary` is not null, it is one of the operands.
/// Returns an empty list if the random arguments do not match each other. Error{kInternal} and exceptions other than harp::Error are passed
/// on, because they show a bug.
std::vector<NodeRef> try_operation(Workbench& bench, const Operation& row, NodeRef primary);

/// Returns false if the operation does not accept a first array of this dtype. This is known only for operations of ops.def; for any other
/// operation the result is true.
bool may_take(const Operation& row, DType dtype);
/// True if the operation takes an array.
bool takes_array(const Operation& row);

}  // namespace harp::fuzz
