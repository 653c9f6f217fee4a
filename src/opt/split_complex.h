// Below this pass there are no complex numbers. Every node of a complex dtype becomes two real ones, its real and its imaginary part:
// views, joins and copies act on both. A complex input becomes one of twice as many floats along its last axis, of which every second one
// is a real part; a complex output becomes one with a last axis of two, which is how its elements lie in memory. The results are the same
// bits in the same buffers; positions and names of inputs and outputs stay.
//
// stop_gradient nodes, which only gradients see, become their sources on the way.
//
// It is no rewrite rule but a step of every compile, before the first one: rules see real numbers only.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> split_complex(const Graph& graph);

}  // namespace harp::opt
