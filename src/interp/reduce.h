// Sum, Prod, ReduceMax and ReduceMin exactly as docs/semantics.md orders them ("Sums"): this file is the law's definition in code.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// The nodes whose values a reduce combines: the source, or both factors of it if the reduce is a product (acc = fma(a, b, acc)).
std::span<const Node* const> reduce_operands(const Node& reduce);

/// `operands` are the values of reduce_operands(node); each has the source's shape or rank 0.
Array evaluate_reduce(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
