// The discrete Fourier transform of rows. This file defines in code the order of operations that docs/semantics.md states.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_dft(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
