// Defines the common loop of the optimiser passes. It builds a new graph node by node, sources first, and lets a rule replace each node.
//
// The loop visits the live nodes in the order of Graph::live_nodes(), so passes are deterministic and not recursive, and they drop dead
// nodes. The new graph shares the old graph's table of size expressions, so shapes and attributes are reused unchanged.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// Takes a node of the new graph whose sources are already rewritten, and returns its replacement: the node itself, or another node of the
/// same dtype and shape. If the rule has created a new node, the rule is applied to that node again, up to a limit.
///
/// One restriction: a Sum with the attribute `product` computes acc = fma(a, b, acc) from the factors of its source, which must stay a Mul.
/// Even if the rule replaces that Mul, the Sum keeps the Mul, and only the other users of the Mul get the replacement. Only a rule for the
/// Sum itself may change this.
using Rule = const Node* (*)(Graph& graph, const Node* node);

std::unique_ptr<Graph> rewrite(const Graph& graph, Rule rule);

/// Broadcasts `x` of rank 0 to `shape`. An `x` of another rank must already have this shape and is returned unchanged. (Elementwise nodes
/// accept sources of both kinds.)
const Node* stretched(Graph& graph, const Node* x, const Shape& shape);
/// Returns an array of `shape` in which every element is `value`.
const Node* uniform(Graph& graph, const Scalar& value, const Shape& shape);
/// If all elements of the node have one constant value, because the node is a constant to which only movement nodes are applied, returns
/// that value; else null. It looks through a few movement nodes only, because passes have already shortened longer chains.
const Scalar* uniform_value(const Node* node);

}  // namespace harp::opt
