// The backend "interp": runs a graph as it stands, node by node, without optimising, scheduling or compiling it. Its results
// are the definition of what a graph means (docs/semantics.md); compiled backends are compared with them bit for bit.
#pragma once

#include <cstdint>
#include <span>

#include "graph/graph.h"

namespace harp {

/// Computes every output of the graph. inputs[i] belongs to graph.inputs()[i], outputs[i] to graph.outputs()[i],
/// shape_values[i] to graph.dims().variables()[i]; arrays are row-major. The caller has checked dtypes and sizes. An output
/// may be the same array as an input, and otherwise overlaps nothing; outputs are written only after everything is computed, so they are
/// untouched if this throws. Zero-byte arrays may be null.
/// Error{kCancelled} some time after another thread has set the flag `cancel` (null: there is none).
/// The host's floating-point modes are set aside while it runs. Safe to call from several threads on one graph.
void interpret(const Graph& graph, std::span<const void* const> inputs, std::span<void* const> outputs,
               std::span<const int64_t> shape_values, const volatile int32_t* cancel = nullptr);

}  // namespace harp
