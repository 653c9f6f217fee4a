// Sorts of rows of a few elements, the number of which is known, become exchanges of elements:
//
//     sort(x: [n, 2])  ─►  concat(where(b < a, b, a), where(b < a, a, b)), where a = x[:, 0:1] and b = x[:, 1:2]
//
// A routine (render/routines/sort.cpp) sorts rows of any length; for such short rows most of its time is the call, and the loops around a
// few exchanges. As elementwise operations the exchanges are computed in vectors across the rows, in the kernels that compute the elements
// or use the sorted ones. The same holds for argsort and for selections of the first elements (shorten_sorts.h).
//
// The bits stay the same: an element is inserted behind all elements that equal it and come before it in the row. So equal elements, among
// them zeros of both signs, keep their order.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes. Changes nothing for a GPU.
std::shared_ptr<Graph> exchange_short_rows(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
