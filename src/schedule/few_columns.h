// Finds reductions down columns that are so few that a row of them does not fill a vector, such as a softmax over the first axis of an
// array of shape [n, 2]. Vectors along the columns would be almost empty. Elementwise kernels can have vectors along the rows instead
// (kernel_structure.h, UnrolledAxes), but a kernel that reduces cannot, because docs/semantics.md ("Sums") adds the elements of a column
// one after the other. Two rules of fusion follow from this: expensive operands of such a reduction are stored first (materialise.cpp), and
// its kernel is not merged with elementwise kernels over the same rows (rowwise.cpp).
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// The fewest elements that make a vector. Shorter pieces of a row are processed element by element (ir/vectorise.cpp).
inline constexpr int64_t kFewestOfVector = 4;

/// Returns the number of pieces in which a row of `size` elements is processed: whole vectors of `lanes` elements, then, for the rest,
/// shorter vectors, whose numbers of elements are powers of two, and single elements.
int64_t pieces_of_row(int64_t size, int64_t lanes);

/// Tests whether the node is a chain-order reduction down long columns, and a row of these columns (the elements along the axes after the
/// last reduced axis) is so short that it fills less than half of the vectors that would process it. False for a machine without vectors
/// (limits.vector_bytes), and for arrays of few elements, for which a second kernel does not pay.
bool has_few_columns(const Node& node, const FusionLimits& limits);
/// Tests whether has_few_columns() is true and the whole result has at most kMaxShortAxis elements (kernel_structure.h), so that the axes
/// before the reduced axes are too short to be divided among threads.
bool has_few_results(const Node& node, const FusionLimits& limits);

}  // namespace harp
