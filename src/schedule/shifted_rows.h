// Rewrites sums over the rows of a matrix in which each row is shifted against the row before it, as they occur in gradients of windows
// (grad/unfold.cpp): result[p] = sum over t of x[t, p - t * by].
//
// In the graph, a reshape shifts the rows: each row is padded with zeros, and the elements are then read as rows that are shorter by `by`.
// For a kernel this form is slow. The position of an element in x is a quotient and a remainder, so vectors cannot load elements that are
// adjacent in memory, and each such sum is stored, although each of its elements is used only once. This rewrite, which runs before fusion,
// pads each row on its own, by t * by zeros in front and by the other zeros behind, and adds the rows one by one. Positions are then
// linear, the sums along several axes of a picture become one expression, and the rims of the padding become parts of the loops.
//
// The bits stay the same: a chain-order sum of a few terms starts from +0.0 and adds them in ascending order (docs/semantics.md, "Sums").
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph in which sums of shifted rows are additions of padded rows, or the graph itself if it has no such sums.
std::shared_ptr<Graph> add_shifted_rows(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
