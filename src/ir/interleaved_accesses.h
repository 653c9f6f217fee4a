// Interleaved accesses: vector loads and stores at a constant lane step n > 1 that together cover every element, such as the three columns
// of an array [n, 3] with one row a lane. The renderer can then access whole vectors and shuffle, instead of single elements.
//
// Each load of such a group of n gets a number 0 … n - 1, which is kept in UOp::stride; nothing else about it changes. The stores of a
// group become adjacent: each run of consecutive stores becomes a StoreGroup, in which the stores of each group follow each other. All
// stores of a run write different elements, so their order makes no difference.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Finds such loads and stores and groups them. Must run after all rewrites that make vectors.
void group_interleaved(Arena& arena, Body& body);

/// Returns the number of the load within its group of n vector loads of adjacent elements at a lane step of n; -1: the load is in no group.
/// The kernel executes at least the first load (number 0) and the last one of a group, so all elements between them may be read.
inline int64_t part_of(const UOp* load) { return load->kind == UKind::kLoad && load->type.lanes > 1 ? load->stride.constant() - 1 : -1; }

}  // namespace harp::ir
