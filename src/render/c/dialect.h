// The dialect of C that gcc and clang compile: the table of spellings with which render/kernel writes kernels in C.
#pragma once

#include "render/kernel/dialect.h"

namespace harp::render {

extern const Dialect kC;

}  // namespace harp::render
