// Shortens the results of sorts of which only the first elements of each row are used: those of topk, of the least element after a sort, or
// of any slice that ends early. A sort or an argsort whose result has fewer elements in a row than its source is one that keeps only these
// first elements; on a CPU its routine selects them (render/routines/select.cpp), instead of sorting whole rows, and stores nothing else:
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
