// Computes only those elements of a reduction that are used. If the only user of a reduction is a slice, as in matmul(a, b)[:, :k] or in
// the gradient of a convolution with padding, the reduction gets a slice of its source instead: max(x, axes=[1])[:k] becomes max(x[:k],
// axes=[1]). Each element of a reduction depends on its own elements of the source only, so no bits change.
//
// The slice moves down through views and the factors of products, because the scheduler recognises contractions and convolutions by these
// nodes. It also moves below further reductions that have no other user. It stops above what another user needs as a whole.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> narrow_reductions(const Graph& graph);
/// True if the pass may replace this node.
bool may_narrow_reductions(const Node& node);

}  // namespace harp::opt
