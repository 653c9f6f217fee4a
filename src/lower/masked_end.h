// Decides whether the end of a row, whose elements do not fill a vector, can be computed as one masked vector: one that loads and stores
// only some of its lanes. Without masks, narrower vectors and single elements compute the end.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Tests whether `lanes` accumulators of the node (a reduction or scan) are a vector of a whole cache line, as with AVX-512, whose
/// instructions can all be masked. The dtype of the accumulators may be wider than that of the elements (bools are accumulated as i32), so
/// vectors of elements may be smaller.
bool has_masked_vectors(const Node& node, int lanes);
/// Tests whether one instruction can load the elements of the load `read` for a vector of `lanes` iterations of the loop `lane`, also with
/// a mask: whether they are adjacent in memory and the vector has enough bytes.
bool is_loaded_whole(const ir::UOp* read, const ir::Loop* lane, int lanes);
/// Tests whether a vector of `lanes` iterations of the loop only loads and stores adjacent elements.
bool is_accessed_whole(ir::Arena& arena, const ir::Loop* lane, int lanes);

}  // namespace harp::lower
