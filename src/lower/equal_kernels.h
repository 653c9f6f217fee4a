// Finds kernels that are equal except for the arrays they work on, such as the layers of a network. One of them is lowered, rendered and
// compiled for all.
#pragma once

#include <optional>
#include <unordered_map>

#include "schedule/program.h"

namespace harp::lower {

/// Returns a hash of properties that equal kernels share.
size_t hash_of(const KernelPlan& plan);

/// Maps each buffer of kernel `from` to the corresponding buffer of the equal kernel `to`. Returns nothing if they are not equal, or not
/// known to be. Kernels that exist only once in a program, because they refer to something by its number (a routine, a custom function, a
/// checked index), are never equal.
std::optional<std::unordered_map<int, int>> renamed_buffers(const Program& program, const KernelPlan& from, const KernelPlan& to);

}  // namespace harp::lower
