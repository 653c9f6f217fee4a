// Evaluates one node from the values of its operands. interpret() calls it for each node, and so does constant folding.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

using Evaluator = Array (*)(const Node& node, std::span<const Array> operands, const Sizes& sizes);

/// The nodes whose values evaluate() needs: the sources, or the two factors if the node is a sum of products.
std::span<const Node* const> operands_of(const Node& node);

/// Evaluates any node except an input. operands[i] is the value of operands_of(node)[i].
Array evaluate(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
