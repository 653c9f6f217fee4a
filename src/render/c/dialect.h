// C as gcc and clang compile it: the table that render/kernel writes kernels by.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kC;

}  // namespace harp::render
