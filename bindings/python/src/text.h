// A trace as a graph in harp's text format (docs/text-format.md).
#pragma once

#include <span>
#include <string>

#include "trace.h"

namespace harp_python {

/// The name in harp of a variable with these bounds. It is the name it was given, or, where that one has other bounds, one of its own:
/// all variables of the process are in one graph, where a name has one meaning.
std::string variable_name(const std::string& name, int64_t least, int64_t most);
/// A text of harp's with the names that variables were given, where these are clear.
std::string displayed(std::string text);

/// The graph of these results; its inputs are the parameters, in their order and with these names. Arrays that are found on the way become
/// constants. harp_graph_print would print a graph's outputs, but symbolic sizes belong to one graph that never has any.
std::string print_graph(const std::string& name, std::span<Node* const> parameters, std::span<const std::string> input_names,
                        std::span<Node* const> results, std::span<const std::string> output_names);

}  // namespace harp_python
