// Kernels that call one routine of the generated source (sort, Fourier transform) on whole rows: how rows are divided into blocks, and how
// much scratch memory a block takes.
#pragma once

#include "schedule/transform.h"

namespace harp {

/// Returns the number of blocks that the rows are divided into; each block is processed by one worker.
Dim routine_blocks(const Node& node);
Dim transform_blocks(const Transform& transform);
/// Returns how much scratch memory a block takes besides operands and result, in elements of the node's dtype.
Dim routine_scratch(const Node& node);
/// Tests whether that memory is one buffer for each worker, because its size is constant and fits the caches; otherwise there is one buffer
/// for each block. A worker that reuses the same memory for all its blocks leaves more room in the caches for operands and results.
bool uses_worker_scratch(const Node& node);

}  // namespace harp
