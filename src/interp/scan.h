// Evaluates CumSum, CumProd, CumMax and CumMin. docs/semantics.md ("Scans") defines the order of their operations; scan.cpp is the
// reference implementation.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
