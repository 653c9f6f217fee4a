// The text format (.harp). docs/text-format.md describes it; the grammar is at the top of text_parser.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/operations.h"

namespace harp {

/// Parses a graph. Error{kParse} has the line, the column and the offending token. If a shape or dtype does not fit, the error is that of
/// the node's constructor, with the position in front of its message. Safe on any input. `more`: operations that may be called in addition
/// to the graph's own (operations.h), because a higher layer builds them; it must live until parse_graph returns.
std::unique_ptr<Graph> parse_graph(std::string_view text, std::span<const Operation> more = {});

/// Prints the nodes that outputs depend on, one primitive per line. The text parses to a graph that prints the same text and computes the
/// same bits; inputs, outputs, shape variables (and their order) and names are kept.
std::string print_graph(const Graph& graph);

/// Returns what print_graph writes after the sources of a node: `axes=[0], order=lanes`; for an input its name, for a constant its value.
std::string print_attributes(const Node& node);

}  // namespace harp
