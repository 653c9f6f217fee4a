// Builds products of two arrays, summed over shared indices: the basis of matmul, dot, einsum and the convolutions. Axes are matched by
// label, like the letters of an einsum. The order of such a sum (docs/semantics.md, "Contractions") is decided only here.
#pragma once

#include <string_view>
#include <vector>

#include "graph/build.h"

namespace harp::build {

/// One label (a number) per axis. Axes of two arrays with the same label are traversed by the same index.
using Labels = std::vector<int>;

/// An array whose axes have distinct labels.
struct Labelled {
  NodeRef node;
  Labels labels;
};

/// Sums x over the labels that are not in `result`, and orders the axes as in `result`. x has every label of `result`.
NodeRef contract(Labelled x, const Labels& result);

/// Multiplies the elements whose indices along axes with the same label are equal, and sums the products over the labels that are not in
/// `result`. Both arrays have the same dtype. An axis whose label is in both arrays has the same size in both, or has the constant size 1
/// in one array and is broadcast there. Each label of `result` is in at least one array.
NodeRef contract(std::string_view op, Labelled a, Labelled b, const Labels& result);

/// Like contract(), but each shared label must have the same size in both arrays, and at least one label must be summed. The sum always has
/// the order ReduceOrder::kChain, over the summed labels in the order in which `a` has them.
NodeRef chain_of_products(std::string_view op, const Labelled& a, const Labelled& b, const Labels& result);

/// Returns the same as chain_of_products(). For the product, the labels of `result` that only `a` has (channels, and phases of a transposed
/// convolution) become one axis, which precedes those that only `b` has (space). Such a product is scheduled like that of a convolution
/// with this number of channels.
NodeRef chain_of_products_by_channels(std::string_view op, const Labelled& a, const Labelled& b, const Labels& result);

}  // namespace harp::build
