// A trace as a graph in harp's text format (docs/text-format.md).
#pragma once

#include <span>
#include <string>

#include "trace.h"

namespace harp_python {

/// A symbolic size by itself, with its bounds.
struct Variable {
  std::string name;
  int64_t least, most;
  bool operator==(const Variable&) const = default;
};
/// Variables that were made, for the texts that name them.
void remember_variable(Variable variable);

/// The graph of these results; its inputs are the parameters, in their order and with these names. Arrays that are found on the way become
/// constants. harp_graph_print would print a graph's outputs, but symbolic sizes belong to one graph that never has any.
std::string print_graph(const std::string& name, std::span<Node* const> parameters, std::span<const std::string> input_names,
                        std::span<Node* const> results, std::span<const std::string> output_names);

}  // namespace harp_python
