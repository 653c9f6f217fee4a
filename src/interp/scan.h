// CumSum, CumProd, CumMax and CumMin. scan.cpp is the reference implementation of the order of operations in docs/semantics.md ("Scans").
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
