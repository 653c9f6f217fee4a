// Evaluates one node, given the values of its operands. interpret() and constant folding call it for each node.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

using Evaluator = Array (*)(const Node& node, std::span<const Array> operands, const Sizes& sizes);

/// Returns the nodes whose values evaluate() needs: the sources of the node, or the two factors if the node is a sum of products.
std::span<const Node* const> operands_of(const Node& node);

/// Evaluates any node except an input. operands[i] is the value of operands_of(node)[i].
Array evaluate(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
