// Builds the nodes of a walk in a harp graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "walk.h"

namespace harp_python {

class Builder {
 public:
  /// `is_input` says for each constant whether it becomes an input; empty: none does.
  Builder(const Walk& walk, std::vector<bool> is_input, harp_graph* graph) : walk_(walk), is_input_(std::move(is_input)), graph_(graph) {
    results_.resize(walk_.order.size());
  }

  /// The harp node that stands for the leaf of this number instead of an input.
  void set_leaf(size_t leaf, harp_node* node) { results_[walk_.leaves[leaf]] = {node}; }
  /// The harp node of each root.
  Nodes build();
  /// What a program of these nodes takes.
  std::vector<Program::Source> sources_of(const Nodes& roots) const;

 private:
  harp_node* checked(harp_node* node);
  harp_node* input(const Type& type, Program::Source source);
  harp_node* constant(const Node& node);
  harp_node* constant_input(const Node& node, uint32_t number);
  void build_node(const Node& node, Nodes& out);
  harp_node* tracer(harp_node* x);
  void gradient(const Operation& operation, const Nodes& sources, Nodes& out);

  const Walk& walk_;
  std::vector<bool> is_input_;
  harp_graph* graph_;
  std::vector<Nodes> results_;
  Nodes inputs_;
  std::vector<Program::Source> sources_;
  int tracers_ = 0;
};

/// `use` with the graph that the walk's nodes can be built in.
template <class Use>
void in_graph(const Walk& walk, Use use) {
  if (walk.symbolic) {
    const SymbolicGraph graph;
    use(graph.get());
  } else {
    const PlainGraph graph;
    use(graph.get());
  }
}

}  // namespace harp_python
