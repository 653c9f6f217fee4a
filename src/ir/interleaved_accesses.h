// Finds groups of interleaved accesses: vector loads or stores with the same constant lane step n > 1 that together access a contiguous
// range of memory. An example with n = 3 is an array of shape [rows, 3] whose three columns are accessed by three vectors, one lane for
// each row. The renderer can then access whole vectors and shuffle them, instead of accessing single elements.
//
// Each load of a group gets a number from 0 to n - 1: the distance of its first lane from that of the group's first load. UOp::stride
// stores this number plus 1; nothing else about the load changes. The stores of a group become adjacent: a run of consecutive stores that
// contains groups becomes a StoreGroup, in which the stores of each group follow each other. All stores of a run write different elements,
// so their order makes no difference.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Smallest lane steps at which loads and stores are grouped, and the largest one. Loads at a lane step of 2 need no group: the renderer
/// reads two vectors and selects every second element.
inline constexpr int64_t kFewestParts = 3, kFewestStores = 2, kMostParts = 16;

/// Finds interleaved accesses (see above) in `body` and groups them. Must run after all rewrites that make vectors.
void group_interleaved(Arena& arena, Body& body);

/// Returns the number of the load within its group of interleaved loads; -1 if the load is in no group. A group at a lane step of n has
/// numbers 0 … n - 1. The kernel executes at least the loads numbered 0 and n - 1, so the memory between their elements may be read even if
/// a load in between is missing.
inline int64_t part_of(const UOp* load) { return load->kind == UKind::kLoad && load->type.lanes > 1 ? load->stride.constant() - 1 : -1; }

}  // namespace harp::ir
