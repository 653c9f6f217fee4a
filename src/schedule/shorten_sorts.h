// Shortens the results of sorts of which only the first elements of each row are used, as by topk, or by any slice that ends before the end
// of the row. If the rows of a sort's or argsort's result are shorter than those of its source, they contain only the first elements of the
// sorted rows. On a CPU the routine of such a sort selects these elements (render/routines/select.cpp) instead of sorting whole rows:
//
//     slice(sort(x: [m, n]), [:, :k])  ─►  sort(x) of shape [m, k]
//
// The bits stay the same: a selection finds the same elements as a sort, in the same order.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes. Changes nothing for a GPU, whose sorts are merges of whole rows.
std::shared_ptr<Graph> shorten_sorts(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
