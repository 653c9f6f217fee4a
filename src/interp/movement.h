// Evaluates nodes that only move elements. permute, expand, slice, unfold and most reshapes return views of the same memory; pad and concat
// write a new array. Every function has the signature of an Evaluator (evaluate_node.h).
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_permute(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_expand(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_reshape(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_slice(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_pad(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_unfold(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_concat(const Node& node, std::span<const Array> sources, const Sizes& sizes);
/// Returns the source itself. A contiguous node asks for a copy of its source in memory, which does not change the values.
Array evaluate_contiguous(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
