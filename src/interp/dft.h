// The discrete Fourier transform of rows, exactly as docs/semantics.md orders it: this file is the law's definition in code.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_dft(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
