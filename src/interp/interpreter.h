// Implements the backend "interp": evaluates a graph node by node, without optimising, scheduling or compiling it. Its results define the
// meaning of a graph (docs/semantics.md); compiled backends are compared with it bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "graph/graph.h"

namespace harp {

/// Computes every output of the graph. inputs[i] belongs to graph.inputs()[i], outputs[i] to graph.outputs()[i], shape_values[i] to
/// graph.dims().variables()[i]. Arrays are row-major. The caller has checked dtypes and sizes. An output may be the same array as an input;
/// outputs must not overlap inputs or each other in any other way. Outputs are written after everything is computed, so they are unchanged
/// if this function throws. Arrays of zero bytes may be null. Throws Error{kCancelled} some time after another thread has set the flag
/// `cancel` (null: no cancellation). Computes in the default floating-point modes, and restores the caller's modes. Several threads may
/// call it for one graph.
void interpret(const Graph& graph, std::span<const void* const> inputs, std::span<void* const> outputs,
               std::span<const int64_t> shape_values, const volatile int32_t* cancel = nullptr);

}  // namespace harp
