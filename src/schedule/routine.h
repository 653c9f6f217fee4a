// Kernels that call one routine of the unit on whole rows: how rows are divided into blocks, and how much scratch memory that takes.
#pragma once

#include "schedule/transform.h"

namespace harp {

/// Returns the number of blocks that the rows are divided into; each block is processed by one worker.
Dim routine_blocks(const Node& node);
Dim transform_blocks(const Transform& transform);
/// Returns the scratch memory of a block, in elements of the node's dtype, in addition to operands and result.
Dim routine_scratch(const Node& node);
/// Tests whether that memory is one buffer for each worker, because its size is constant and fits the caches; otherwise it is one for each
/// block. Blocks that reuse the same memory leave the caches to operands and results.
bool uses_worker_scratch(const Node& node);

}  // namespace harp
