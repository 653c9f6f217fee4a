// The C renderer: a module of loop IR becomes one translation unit. The unit includes nothing, needs at most malloc, free, memcpy and
// memset, and exports entry_point and entry_point_ex (documented in include/harp.h).
#pragma once

#include <string>
#include <vector>

#include "base/source_functions.h"
#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

struct Dialect;  // render/kernel/dialect.h

/// Tests whether the generated source uses explicit vectors throughout. It does, unless plain text is requested or the target lacks
/// arithmetic that is then emulated element by element. If the result is false, the speed of the code depends on the compiler's vectoriser.
bool writes_vectors(const RenderOptions& options);

/// Returns the C source of the module. Kernels with equal code become one function. Throws Error{kInternal} if the module breaks a rule of
/// the IR. `separate` receives, in order, the functions that may be compiled as separate parts; none if the source has data that must exist
/// only once.
std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate = nullptr);
/// Does the same with kernels in another dialect. The host code is C.
std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate, const Dialect& dialect);

}  // namespace harp::render
