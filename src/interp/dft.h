// Evaluates the discrete Fourier transform along the last axis. docs/semantics.md defines the order of its operations; dft.cpp is the
// reference implementation.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_dft(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
