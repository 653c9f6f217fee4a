// Evaluates Sum, Prod, ReduceMax and ReduceMin. docs/semantics.md ("Sums") defines the order of their operations; reduce.cpp is the
// reference implementation.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Returns the nodes whose values a reduction combines: its source, or the two factors if it is a sum of products (acc = fma(a, b, acc)).
std::span<const Node* const> reduce_operands(const Node& reduce);

/// Evaluates a reduction. `operands` are the values of reduce_operands(node); each has the source's shape or rank 0.
Array evaluate_reduce(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
