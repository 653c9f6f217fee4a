// Combines real products that belong to one product of complex matrices. Such a product is computed from products of real and imaginary
// parts (split_complex.h). Both parts of the columns' factor B are in one array, where real and imaginary parts alternate along the
// columns:
//
//     sum(A·re(B)), sum(A·im(B))  ─►  every second column, from column 0 and from column 1, of sum(A·B'), where B' is the whole array
//
// Here A is the real or the imaginary part of the other factor. So a complex product becomes two real products with twice as many columns,
// which read B in place, instead of four products that read every second element of B. Each sum has the same terms in the same order.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph in which products with the real and with the imaginary part of one array are computed as one product, or the graph
/// itself if there are none. Returns the graph itself for a GPU, for which this was not measured.
std::shared_ptr<Graph> pair_columns(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
