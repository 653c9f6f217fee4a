// Finds kernels that are equal except for the arrays that they read and write, such as those of equal layers of a network. Only one of
// equal kernels is lowered, rendered and compiled.
#pragma once

#include <optional>
#include <unordered_map>

#include "schedule/program.h"

namespace harp::lower {

/// Returns a hash value that is the same for equal kernels.
size_t hash_of(const KernelPlan& plan);

/// Maps each buffer of kernel `from` to the corresponding buffer of the equal kernel `to`. Returns nullopt if the kernels are different or
/// cannot be proved to be equal. A routine, a custom function or a checked index depends on its position in the program, so a kernel with
/// one of these is never equal to another kernel.
std::optional<std::unordered_map<int, int>> renamed_buffers(const Program& program, const KernelPlan& from, const KernelPlan& to);

}  // namespace harp::lower
