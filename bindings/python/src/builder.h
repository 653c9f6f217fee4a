// Builds the nodes of a trace in a harp graph, in the order in which a Walk (walk.h) lists them.
//
// Only one thread at a time may use the graph of symbolic sizes. A thread that waits for this graph releases Python's lock. Meanwhile
// another thread may traverse the same nodes, which renumbers them, or compute them, which removes their sources. Therefore the graph is
// built from a copy of the Walk, the Recipe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "walk.h"

namespace harp_python {

/// A snapshot of a Walk (walk.h), the list of a trace's nodes in topological order. It holds copies of the nodes' contents that a Builder
/// needs, so later changes of the nodes do not affect it.
struct Recipe {
  struct Step {
    Ref<Operation> operation;  // none: a leaf
    Ref<Type> type;
    uint64_t number[2];             // the value, if the step is a constant
    std::vector<uint32_t> sources;  // indices of steps
  };
  explicit Recipe(const Walk& walk);

  std::vector<Step> steps;
  std::vector<uint32_t> leaves, roots;  // indices of steps
  bool symbolic = false;
};

class Builder {
 public:
  /// `is_input` says for each constant whether it becomes an input of the program; if it is empty, none does.
  Builder(const Recipe& recipe, std::vector<bool> is_input, harp_graph* graph)
      : recipe_(recipe), is_input_(std::move(is_input)), graph_(graph) {
    results_.resize(recipe_.steps.size());
  }

  /// Uses `node` as leaf number `leaf` of the recipe; build() then declares no input for this leaf.
  void set_leaf(size_t leaf, harp_node* node) { results_[recipe_.leaves[leaf]] = {node}; }
  /// Builds the nodes and returns the harp node of each root.
  Nodes build();
  /// Returns the inputs on which these nodes depend, in the order in which a program that computes the nodes takes them.
  std::vector<Program::Source> sources_of(const Nodes& roots) const;

 private:
  harp_node* checked(harp_node* node);
  harp_node* input(const Type& type, Program::Source source);
  harp_node* constant(const Recipe::Step& step);
  harp_node* constant_input(const Recipe::Step& step, uint32_t number);
  void build_step(const Recipe::Step& step, Nodes& out);
  harp_node* tracer(harp_node* x);
  void gradient(const Operation& operation, const Nodes& sources, Nodes& out);

  const Recipe& recipe_;
  std::vector<bool> is_input_;
  harp_graph* graph_;
  std::vector<Nodes> results_;
  Nodes inputs_;
  std::vector<Program::Source> sources_;
  int tracers_ = 0;
};

/// Calls use(graph) with the graph in which the steps of the recipe must be built: the shared graph of symbolic sizes if the recipe
/// contains a symbolic size, otherwise a new graph.
template <class Use>
void in_graph(const Recipe& recipe, Use use) {
  if (recipe.symbolic) {
    const SymbolicGraph graph;
    use(graph.get());
  } else {
    const PlainGraph graph;
    use(graph.get());
  }
}

}  // namespace harp_python
