// Implements the C renderer, which writes a module of loop IR as one C translation unit. The unit includes no headers, calls at most
// malloc, free, memcpy and memset, and exports entry_point and entry_point_ex (documented in include/harp.h).
#pragma once

#include <string>
#include <vector>

#include "base/source_functions.h"
#include "ir/ir.h"
#include "render/options.h"

namespace harp::render {

struct Dialect;  // defined in render/kernel/dialect.h

/// Tests whether the generated source uses explicit vectors throughout. The result is false if plain text is requested, or if the CPU lacks
/// fused multiply-add or rounding instructions, which are then emulated element by element. In these cases the code's speed depends on the
/// compiler's vectoriser.
bool writes_vectors(const RenderOptions& options);

/// Returns the C source of the module. Kernels with equal code share one function. Throws Error{kInternal} if the module breaks a rule of
/// the IR. `separate` receives the functions that may be compiled as separate parts, in order. It receives none if the source has data that
/// must exist only once.
std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate = nullptr);
/// Like render_c() above, with kernels in another dialect. The host code is always C.
std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* separate, const Dialect& dialect);

}  // namespace harp::render
