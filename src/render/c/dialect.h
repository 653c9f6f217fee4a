// Declares the C dialect, for gcc and clang. A dialect is a table (render/kernel/dialect.h) that tells the code in render/kernel how to
// write kernels in one language.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kC;

}  // namespace harp::render
