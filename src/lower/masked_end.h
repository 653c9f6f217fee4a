// Decides whether the end of a row, whose elements do not fill a vector, can be computed as one masked vector: one that loads and stores
// only some of its lanes. Without masks, narrower vectors and single elements compute the end.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Tests whether the end of a row of `lanes` accumulators a vector may be a masked vector: whether the machine has registers for masks, a
/// mask has a bit for each lane, and the accumulators of the node (a reduction or scan) fill a vector of the machine. The dtype of the
/// accumulators may be wider than that of the elements (bools are accumulated as i32), so vectors of elements may be smaller.
bool has_masked_vectors(const Machine& target, const Node& node, int lanes);
/// Tests whether the accumulators of the node fill a vector of a machine that has no such masks, but loads elements by a vector as mask.
bool has_masked_loads(const Machine& target, const Node& node, int lanes);
/// Tests whether has_masked_loads() machines can execute the loop for a masked vector of `lanes` lanes: whether it stores nothing to memory
/// and loads only elements of 4 or 8 bytes that fill a vector register.
bool is_only_loaded(ir::Arena& arena, const Machine& target, const ir::Loop* lane, int lanes);
/// Tests whether one instruction can load the elements of the load `read` for a vector of `lanes` iterations of the loop `lane`, also with
/// a mask: whether they are adjacent in memory and fill the registers of a vector (16, 32 or 64 bytes).
bool is_loaded_whole(const ir::UOp* read, const ir::Loop* lane, int lanes);
/// Tests whether one instruction can likewise store the elements. It cannot if the store is non-temporal.
bool is_stored_whole(const ir::Store& store, const ir::Loop* lane, int lanes);
/// Tests whether is_loaded_whole() is true of all loads in the loop, and is_stored_whole() of all its stores. (Reads and writes of
/// accumulators need no mask, because these have room for whole vectors.)
bool is_accessed_whole(ir::Arena& arena, const ir::Loop* lane, int lanes);

}  // namespace harp::lower
