// The driver of every optimiser pass. It builds a new graph node by node, sources first, and lets a rule replace each node.
//
// It loops over the live nodes in id order, so passes are deterministic and not recursive, and they drop dead nodes. The new graph shares
// the old graph's dimension expressions, so it reuses shapes and attributes unchanged.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// Takes a node of the new graph whose sources are already rewritten, and returns its replacement: the node itself, or another node of the
/// same dtype and shape. If the rule made a new node, the driver applies the rule to that node again, up to a limit.
///
/// One restriction: the Mul under a Sum with `product` belongs to that Sum, which computes acc = fma(a, b, acc) from the factors. The
/// driver keeps it a Mul for that Sum, even if the rule replaces the Mul for its other users. Only a rule for the Sum itself may separate
/// the two.
using Rule = const Node* (*)(Graph& graph, const Node* node);

std::unique_ptr<Graph> rewrite(const Graph& graph, Rule rule);

/// Broadcasts a rank-0 `x` to `shape`. Any other `x` must already have that shape and is returned unchanged. Elementwise nodes accept both.
const Node* stretched(Graph& graph, const Node* x, const Shape& shape);
/// Returns an array of `shape` in which every element is `value`.
const Node* uniform(Graph& graph, const Scalar& value, const Shape& shape);
/// Returns the value of every element if the node is a constant under movement nodes, else null. It looks through a few movement nodes
/// only, because passes have already shortened such chains below the node.
const Scalar* uniform_value(const Node* node);

}  // namespace harp::opt
