// How much work a kernel is, roughly, so that generated code can tell whether sharing it between workers pays.
#pragma once

#include "ir/ir.h"

namespace harp::render {

/// Steps of about half a nanosecond in one iteration of the kernel's thread loop (in the whole kernel if it has none).
Sym work_of_iteration(const ir::Kernel& kernel);
/// The kernel's thread loop, or null.
const ir::Stmt* thread_loop(const ir::Kernel& kernel);
/// Iterations of the thread loop; 1 without one.
Sym iterations(const ir::Kernel& kernel);

/// Work below this is not worth another worker: about 5 microseconds.
inline constexpr int64_t kWorthSharing = 10000;

}  // namespace harp::render
