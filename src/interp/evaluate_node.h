// One node from the values of its operands. What interpret() does for each node in turn, and what constant folding calls.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

using Evaluator = Array (*)(const Node& node, std::span<const Array> operands, const Sizes& sizes);

/// The nodes whose values evaluate() wants: the sources, but for the sum of a product the two factors.
std::span<const Node* const> operands_of(const Node& node);

/// Any node but an input. operands[i] is the value of operands_of(node)[i].
Array evaluate(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
