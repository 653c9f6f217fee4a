// Finds kernels that are equal except for the arrays they work on, such as the layers of a network. One of them is lowered, rendered and
// compiled for all.
#pragma once

#include <optional>
#include <unordered_map>

#include "schedule/program.h"

namespace harp::lower {

/// Returns a hash of properties that equal kernels share.
size_t hash_of(const KernelPlan& plan);

/// Maps each buffer of kernel `from` to the corresponding buffer of the equal kernel `to`. Returns nothing if the kernels are not equal or
/// cannot be proved to be. A kernel that refers to something by its number in the program (a routine, a custom function, a checked index)
/// is never equal to another.
std::optional<std::unordered_map<int, int>> renamed_buffers(const Program& program, const KernelPlan& from, const KernelPlan& to);

}  // namespace harp::lower
