// The driver behind every optimiser pass: builds a new graph node by node, sources first, and lets a rule replace each node.
//
// One loop over the live nodes in id order, so passes are deterministic, need no recursion and leave dead nodes behind. The new
// graph shares the old one's dimension expressions, so shapes and attributes are taken over as they are.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

/// Looks at a node of the new graph, whose sources are rewritten already, and returns what takes its place: the node itself, or one
/// of the same dtype and shape. A node that the rule has just made is shown to it again (within a budget).
///
/// One thing is not up to rules: the Mul under a sum with `product` belongs to that sum (acc = fma(a, b, acc) takes its factors). The
/// driver keeps it a Mul whatever a rule makes of it for other users; only a rule for the Sum itself may part them.
using Rule = const Node* (*)(Graph& graph, const Node* node);

std::unique_ptr<Graph> rewrite(const Graph& graph, Rule rule);

/// x stretched to `shape` if it is of rank 0, else x, which then has that shape: elementwise nodes take both.
const Node* stretched(Graph& graph, const Node* x, const Shape& shape);
/// An array of `shape` in which every element is `value`.
const Node* uniform(Graph& graph, const Scalar& value, const Shape& shape);
/// The value of every element of a node, if it is a constant seen through movement nodes; it looks through a few, not through any
/// number, because passes have already shortened such chains below the node.
const Scalar* uniform_value(const Node* node);

}  // namespace harp::opt
