// Products of two arrays summed over indices they share: what matmul, dot, einsum and the convolutions are. Axes are matched by label,
// as the letters of an einsum do; the law of the sum (docs/semantics.md, "Contractions") is decided here and nowhere else.
#pragma once

#include <string_view>
#include <vector>

#include "graph/build.h"

namespace harp::build {

/// One number an axis; the same number is the same index.
using Labels = std::vector<int>;

/// An array whose axes have labels, each of them different.
struct Labelled {
  NodeRef node;
  Labels labels;
};

/// x summed over the labels that are not in `result`, its axes in the order of `result`; x has every label of it.
NodeRef contract(Labelled x, const Labels& result);

/// The products of elements with equal labels, summed over the labels that are not in `result`. Both arrays have the same dtype; a label
/// in both has the same size in both, or the constant 1 in one of them, which stretches. Every label of `result` is in one of them.
NodeRef contract(std::string_view op, Labelled a, Labelled b, const Labels& result);

/// The same where both arrays have every label they share in the same size, one label at least is summed, and the sum is a chain over
/// those labels in the order of a, whatever else the arrays have.
NodeRef chain_of_products(std::string_view op, const Labelled& a, const Labelled& b, const Labels& result);

}  // namespace harp::build
