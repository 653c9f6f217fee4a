// Sorts the updates of a scatter_add of floats by the element to which they are added. The sort is stable, and an element's updates keep
// their order, so the bits stay the same. Updates of one element are then adjacent, and a thread can add them one after the other without
// looking at other updates (lower/gpu/scatter.h).
//
// Without sorting, groups of threads divide the elements among each other, and each group reads all indices to find the updates of its own
// elements. Sorting pays if these reads are more bytes than sorting reads and writes. The rewrite is only for updates of whole rows, where
// all elements of a row of updates have the same index.
//
// This rewrite runs before fusion, and only for GPUs (FusionLimits::sorted_updates).
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// At most this many groups of threads divide the elements of a scatter: enough to keep a GPU busy. Each group reads all indices.
inline constexpr int64_t kScatterGroups = 1024;

/// Returns the rewritten graph, or the graph itself if nothing is sorted. The scatters whose updates are sorted have
/// GatherAttributes::is_sorted.
std::shared_ptr<Graph> sort_updates(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
