// Defines the common loop of the passes that rewrite a graph, here and in src/schedule. It builds a new graph node by node, sources first,
// and lets the pass replace each node.
//
// The loop visits the live nodes in the order of Graph::live_nodes(), so passes are deterministic and not recursive, and they drop dead
// nodes. The new graph shares the old graph's table of size expressions, so shapes and attributes are reused unchanged.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "graph/graph.h"

namespace harp::opt {

/// Returns a graph without nodes that has the options, the name and the size expressions of `graph`.
std::unique_ptr<Graph> without_nodes(const Graph& graph);

/// Returns the node that replaces `node` in the new graph: `copy`, its copy there, whose sources are already replaced, or another node of
/// the same dtype and shape.
using Replacement = std::function<const Node*(const Node* node, const Node* copy)>;

/// Adds to `result`, a graph without nodes, the inputs of `graph`, the replacement of each node, and the outputs. `live` must be
/// graph.live_nodes().
///
/// One restriction: a Sum with the attribute `product` computes acc = fma(a, b, acc) from the factors of its source, which must stay a Mul.
/// Even if that Mul is replaced, the Sum reads the copy of the Mul, and only the other users of the Mul get the replacement.
void rewrite_nodes(const Graph& graph, std::span<const Node* const> live, Graph& result, const Replacement& replacement);

/// Takes a node of the new graph whose sources are already rewritten, and returns its replacement: the node itself, or another node of the
/// same dtype and shape. If the rule has created a new node, the rule is applied to that node again, up to a limit. The restriction of
/// rewrite_nodes() holds: only a rule for a Sum with the attribute `product` may replace the Mul that it reads.
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
