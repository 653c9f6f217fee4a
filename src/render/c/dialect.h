// The dialect for the C of gcc and clang: the table (render/kernel/dialect.h) by which render/kernel writes kernels in C.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kC;

}  // namespace harp::render
