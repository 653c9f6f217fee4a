// Kernels that are one routine of the unit, done to whole rows: how the rows are shared out, and what memory that takes.
#pragma once

#include "schedule/transform.h"

namespace harp {

/// The rows are cut into so many blocks, each for one worker at a time.
Dim routine_blocks(const Node& node);
Dim transform_blocks(const Transform& transform);
/// Elements of the node's dtype that a block needs beside operands and result.
Dim routine_spare(const Node& node);
/// Is that memory each worker's own, since its size is known and no more than the caches have room for? Else each block's. Blocks that use
/// the same memory leave the caches to operands and results.
bool is_spare_of_worker(const Node& node);

}  // namespace harp
