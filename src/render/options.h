// Options of the renderer for one unit (a generated source file).
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace harp::render {

struct RenderOptions {
  Machine target;
  /// Whether to write plain C99 text, without vector types and without extensions except a handful of builtins. It produces the same bits.
  /// The module must have been lowered with simd width 1.
  bool plain_text = false;
  /// The smallest work, in nanoseconds, for which another worker is used: more than it costs to hand the work over.
  int64_t share_ns = 5000;
};

}  // namespace harp::render
