// Expressions that contain every operation with a gradient, and graphs of their gradients. Tests compare them with differences
// (grad_test.cpp) and run them on every backend (cuda/gradients_test.cpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace harp::gradient_test {

/// Expressions over the same inputs. They are differentiated with respect to the f64 inputs; the other inputs are fixed.
struct Group {
  std::string inputs;
  std::vector<std::string> expressions;
  double lo, hi;                    // range of the elements of f64 inputs
  std::vector<int64_t> sizes = {};  // values of the shape variables in the runs
  std::string flags = {};
};

/// A graph and its results, which are ordinary nodes at first. give_out() makes them outputs, after the graph's other outputs.
struct Model {
  std::unique_ptr<Graph> graph;
  std::vector<const Node*> results;
};
using Maker = std::function<Model()>;

/// Returns a function that builds the graph of the group's expressions, which are its outputs and the model's results.
Maker maker_of(const Group& group);

/// Returns the inputs with respect to which a graph is differentiated.
std::vector<const Node*> variables_of(const Graph& graph);

struct Pair {
  size_t result, variable;
};
/// Builds the gradients of a model's results, one for each pair of a result and a variable on which it depends, in this order. Adds one
/// input for each result, the seed: the gradient is that of sum(result * seed).
Model gradient_model(const Maker& maker, std::string_view seed_name, std::vector<Pair>* pairs = nullptr);

/// Makes the model's results outputs of its graph.
void give_out(Model& model);

/// Returns the groups. Together they reach every operation that has a gradient.
const std::vector<Group>& groups();

}  // namespace harp::gradient_test
