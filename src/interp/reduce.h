// Sum, Prod, ReduceMax and ReduceMin. reduce.cpp is the reference implementation of the order of operations in docs/semantics.md ("Sums").
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// The nodes whose values a reduce combines: its source, or the two factors if the reduce is a sum of products (acc = fma(a, b, acc)).
std::span<const Node* const> reduce_operands(const Node& reduce);

/// `operands` are the values of reduce_operands(node); each has the source's shape or rank 0.
Array evaluate_reduce(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
