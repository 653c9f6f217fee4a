// The text format (.harp): docs/text-format.md describes it, the grammar stands on top of text_parser.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/operations.h"

namespace harp {

/// Error{kParse} with line, column and the offending token; where a shape or dtype does not fit, the constructor's error with the
/// place in front. Safe on any input. `more`: what may be called beside the graph's own operations (operations.h), because a layer
/// above makes nodes of it; it is kept until the text is read.
std::unique_ptr<Graph> parse_graph(std::string_view text, std::span<const Operation> more = {});

/// The nodes that outputs depend on, one primitive a line. Parsing it gives a graph that prints the same text and computes the
/// same bits; inputs, outputs, shape variables (and their order) and names are kept.
std::string print_graph(const Graph& graph);

/// What print_graph writes behind the sources of a node: `axes=[0], order=lanes`; of an input its name, of a constant its value.
std::string print_attributes(const Node& node);

}  // namespace harp
