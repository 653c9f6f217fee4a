#include "graph/specialize.h"

#include "base/error.h"

namespace harp {

std::unique_ptr<Graph> specialize(const Graph& graph, std::span<const FixedSize> sizes) {
  const std::unique_ptr<Graph> copy = graph.clone();  // `graph` is const, but clone_with() adds expressions to the table of its graph
  SymSubstitution replacements;
  for (const FixedSize& size : sizes) {
    const std::optional<Sym> variable = copy->dims().find_variable(size.name);
    HARP_CHECK(variable.has_value(), Code::kInvalidArgument, "specialize: the graph has no shape variable \"", size.name, "\"");
    const SymRange bounds = range(*variable);
    HARP_CHECK(size.value >= bounds.lo && size.value <= bounds.hi, Code::kRange, "specialize: shape variable ", size.name, " is ",
               size.value, ", outside ", bounds.lo, "..", bounds.hi);
    HARP_CHECK(replacements.emplace(variable_of(*variable), size.value).second, Code::kInvalidArgument, "specialize: shape variable ",
               size.name, " is given twice");
  }
  std::unique_ptr<Graph> fixed = copy->clone_with(replacements);
  for (const Node& node : fixed->nodes()) {
    for (const Dim& dim : node.shape)
      HARP_CHECK(range(dim).hi >= 0, Code::kRange, "specialize: ", fixed->describe(&node), " would have an axis of size ", to_string(dim));
    try {
      element_count(node.shape) * Dim(static_cast<int64_t>(size_of(node.dtype)));
    } catch (const Error& error) {
      fail(error.code, "specialize: ", fixed->describe(&node), " would have more than ", INT64_MAX, " bytes (", error.message, ")");
    }
  }
  return fixed;
}

}  // namespace harp
