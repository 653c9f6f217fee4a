// Prints a trace as a graph in harp's text format (docs/text-format.md).
#pragma once

#include <span>
#include <string>

#include "trace.h"

namespace harp_python {

/// Returns the name that harp uses for a symbolic size with these bounds. It is the given name, or a different one if that name already has
/// other bounds: all symbolic sizes of the process are in one graph, where each name has one pair of bounds.
std::string variable_name(const std::string& name, int64_t least, int64_t most);
/// Replaces the names that harp uses for symbolic sizes in the text by those that the user gave, where the result is unambiguous.
std::string displayed(std::string text);

/// Returns the graph of these results as text. Its inputs are the parameters, in their order and with these names; other arrays become
/// constants. (harp_graph_print prints the outputs of a graph, but the graph of symbolic sizes never has outputs.)
std::string print_graph(const std::string& name, std::span<Node* const> parameters, std::span<const std::string> input_names,
                        std::span<Node* const> results, std::span<const std::string> output_names);

}  // namespace harp_python
