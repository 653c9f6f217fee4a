// After this pass the graph has no complex numbers. Each node of a complex dtype is replaced by two real nodes, its real and its imaginary
// part; views, joins and copies are applied to both parts. A complex input becomes a float input with twice as many elements along its last
// axis, in which real and imaginary parts alternate. A complex output becomes a float output with an additional last axis of size 2, which
// has the same memory layout. The arrays of a run therefore contain the same bytes as before; inputs and outputs keep their positions and
// names.
//
// The pass also replaces each stop_gradient node, which only affects gradients, by its source.
//
// The pass does not use rewrite.h, and is not in the table of passes (opt/passes.h). If a graph has complex arrays or stop_gradient nodes,
// optimise() runs it before the passes of the table, so they see only real numbers.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> split_complex(const Graph& graph);

}  // namespace harp::opt
