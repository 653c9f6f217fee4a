// CumSum, CumProd, CumMax and CumMin. This file defines in code the order of operations that docs/semantics.md states ("Scans").
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
