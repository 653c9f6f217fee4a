// Kernels that are the same but for the arrays they work on, as a network's layers are: one is lowered, rendered and compiled for all.
#pragma once

#include <optional>
#include <unordered_map>

#include "schedule/program.h"

namespace harp::lower {

/// What of two kernels that are equal does not differ: a number to look them up by.
size_t hash_of(const KernelPlan& plan);

/// Which buffer the kernel `to` works on where `from` works on another: nothing, if they are not equal, or not known to be. What has a
/// place in the program that is its own (a routine, a custom function, an index that is checked) never is.
std::optional<std::unordered_map<int, int>> renamed_buffers(const Program& program, const KernelPlan& from, const KernelPlan& to);

}  // namespace harp::lower
