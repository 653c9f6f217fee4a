// The C renderer: a module of loop IR becomes one translation unit that includes nothing, needs at most malloc, free, memcpy and
// memset, and exports entry_point and entry_point_ex (docs of both: base/runtime_abi.h).
#pragma once

#include <string>
#include <vector>

#include "base/source_functions.h"
#include "base/target.h"
#include "ir/ir.h"

namespace harp::render {

struct RenderOptions {
  Target target;
  /// No vector types and no compiler-specific arithmetic: the same bits from a C99 compiler with a handful of builtins.
  /// The module must have been lowered with simd width 1.
  bool plain_text = false;
  /// Work that is worth handing to another worker: more than it takes to hand it over.
  int64_t share_ns = 5000;
};

/// Whether the text computes in vectors throughout: not plain text, and no arithmetic that the target lacks and that is emulated element by
/// element. Else speed depends on what the compiler vectorises.
bool writes_vectors(const RenderOptions& options);

/// Text of the unit. Kernels that do the same are one function. Error{kInternal} if the module breaks a rule of the IR.
/// `apart` becomes the kernels, which may be compiled apart, in order; none where the unit holds something that there must be one of.
std::string render_c(const ir::Module& module, const RenderOptions& options, std::vector<SourceFunction>* apart = nullptr);

}  // namespace harp::render
