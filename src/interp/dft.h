// The discrete Fourier transform of rows. dft.cpp is the reference implementation of the order of operations in docs/semantics.md.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_dft(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
