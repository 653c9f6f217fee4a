// Parses and prints the text format (.harp). docs/text-format.md describes it; the grammar is at the top of text_parser.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/operations.h"

namespace harp {

/// Parses a graph; safe on any input. Error{kParse} has the line, the column and the offending token. If a shape or dtype does not fit, the
/// error is the one of the node's constructor, with line and column in front of its message. `more` lists operations that may be called in
/// addition to the table of operations.h, because a higher layer builds them; it must stay valid until parse_graph returns.
std::unique_ptr<Graph> parse_graph(std::string_view text, std::span<const Operation> more = {});

/// Prints the nodes that outputs depend on, one primitive per line. Parsing the text gives a graph that prints the same text and computes
/// the same bits. Inputs, outputs, names, and the shape variables with their order are kept.
std::string print_graph(const Graph& graph);

/// Returns the text that print_graph writes for the attributes of a node, such as `axes=[0], order=lanes`; for an input its name, for a
/// constant its value.
std::string print_attributes(const Node& node);

}  // namespace harp
