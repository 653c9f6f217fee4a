// Options of the renderer for one unit (a generated source file).
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace harp::render {

struct RenderOptions {
  Machine target;
  /// No vector types and no compiler-specific arithmetic. A C99 compiler with a handful of builtins produces the same bits. The module must
  /// have been lowered with simd width 1.
  bool plain_text = false;
  /// Smallest work, in nanoseconds, for which another worker is used: more than the overhead of handing it over.
  int64_t share_ns = 5000;
};

}  // namespace harp::render
