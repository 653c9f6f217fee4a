// In-place reuse: which buffer a kernel writes may be the very memory of one it reads. The memory plan gives slots of the workspace
// away by it, and the signature says by it which output a caller may put in the place of which input.
#pragma once

#include <vector>

#include "schedule/program.h"

namespace harp {

/// The pairs that are safe: of an output and an input, or of two buffers of the workspace; sorted by what is written, then what is read.
/// The buffers have the same dtype and shape (size-1 axes aside), the kernel is elementwise, or row-wise and stores the elements of its
/// rows, it alone writes the one, and of the other it reads each element only where it stores that very element; whoever else reads the
/// other has done so in an earlier generation.
/// Several pairs hold at once as long as no buffer is given away twice.
std::vector<InPlace> find_in_place(const Program& program);

}  // namespace harp
