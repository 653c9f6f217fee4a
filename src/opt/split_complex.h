// After this pass the graph has no complex numbers. Each node of a complex dtype becomes two real nodes, its real and its imaginary part;
// views, joins and copies act on both parts. A complex input becomes a float input with twice as many elements along its last axis, where
// real and imaginary parts alternate. A complex output becomes a float output with an additional last axis of size 2, which matches the
// memory layout of its elements. Results are the same bits in the same buffers; inputs and outputs keep their positions and names.
//
// The pass also replaces each stop_gradient node, which only gradients use, by its source.
//
// It is not a rewrite rule. Every compile runs it before the first rule, so rules see real numbers only.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> split_complex(const Graph& graph);

}  // namespace harp::opt
