// Plans kernels that call a routine of the generated source (sort, Fourier transform) for whole rows: how the rows are divided into blocks,
// and how much scratch memory a block needs.
#pragma once

#include "schedule/transform.h"

namespace harp {

/// If the node is a sort or argsort that shorten_sorts.h has shortened, so that its result has only the first elements of each sorted row,
/// returns the number of these elements; else 0. The routine of such a node selects these elements instead of sorting whole rows.
int64_t kept_of_sort(const Node& node);
/// Returns the number of blocks into which the rows are divided. One worker processes a block.
Dim routine_blocks(const Node& node);
Dim transform_blocks(const Transform& transform);
/// Returns how much scratch memory a block needs in addition to operands and result, in elements of the node's dtype. Not for nodes of
/// which only the first elements are kept: their routines need none.
Dim routine_scratch(const Node& node, const Transforms& transforms);
/// Tests whether the scratch memory of a routine is one buffer for each worker, because its size is constant and fits the caches. Otherwise
/// there is one buffer for each block. A worker that uses the same memory for all its blocks leaves more room in the caches for operands
/// and results.
bool uses_worker_scratch(const Node& node, const Transforms& transforms);

}  // namespace harp
