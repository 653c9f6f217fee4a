// Contains the options of the renderer for one unit (a generated source file).
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace harp::render {

struct RenderOptions {
  Machine target;
  /// Whether to write plain C99, without vector types and without extensions except a handful of builtins. The results of the generated
  /// code have the same bits as without this option. The module must have been lowered with a simd width of 1.
  bool plain_text = false;
  /// The least work, in nanoseconds, for which one more worker is used. It is more than the time that it takes to hand work to a worker.
  /// Two workers share a kernel that takes at least twice as long.
  int64_t share_ns = 2500;
};

}  // namespace harp::render
