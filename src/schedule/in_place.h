// Decides whether the buffer that a kernel writes may be the same memory as a buffer that it reads. The memory plan uses this to reuse
// memory of the workspace, and the program's signature states which outputs a caller may alias with which inputs.
#pragma once

#include <vector>

#include "schedule/program.h"

namespace harp {

/// Returns the pairs of buffers that may safely be the same memory: an output and an input, or two workspace buffers. The pairs are sorted
/// by the written buffer, then by the read buffer. Both buffers have the same dtype and shape (ignoring axes of size 1). The kernel that
/// writes one and reads the other is elementwise, or is row-wise and stores the elements of its rows. It is the only writer of the written
/// buffer, and it reads each element of the other buffer only where it stores the same element. All other readers of the read buffer run in
/// earlier generations. Several pairs may be used together, as long as no buffer is overwritten twice.
std::vector<InPlace> find_in_place(const Program& program);

}  // namespace harp
