// Random arguments for any row of the table of operations (graph/operations.h): chosen by the kind and name of each parameter, so that
// a new row is tried without a line here. A row whose arguments need more sense than that gets a line in arguments.cpp; the tests
// fail when a row is never built.
#pragma once

#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Tries once to build a node of the row, over `primary` as its first array if that is not null. Nothing if the arguments do not fit
/// each other; Error{kInternal} and what is no harp::Error pass.
std::vector<NodeRef> try_operation(Workbench& bench, const Operation& row, NodeRef primary);

/// Can the row take an array of this dtype first? By ops.def where the row is one of its ops, else true.
bool may_take(const Operation& row, DType dtype);
/// Does the row take an array at all?
bool takes_array(const Operation& row);

}  // namespace harp::fuzz
