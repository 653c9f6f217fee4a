// CumSum, CumProd, CumMax and CumMin exactly as docs/semantics.md orders them ("Scans"): this file is the law's definition in code.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_scan(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
