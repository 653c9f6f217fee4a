// The state of a random graph under construction: the graph, the nodes that later nodes may use, sizes to choose from, and a limit on sizes
// that keeps arrays small enough for the interpreter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "fuzz/random.h"
#include "graph/graph.h"

namespace harp::fuzz {

using NodeRef = const Node*;

/// The dtypes that graphs may have.
const std::vector<DType>& graph_dtypes();

struct WorkbenchOptions {
  int variables = 0;           // number of shape variables
  bool broadcast = false;      // the graph has HARP_GRAPH_BROADCAST
  bool promote_mixed = false;  // the graph promotes mixed dtypes
  bool large_axes = false;     // sizes near the block sizes of reductions
  bool empty_axes = false;     // many sizes are 0
  int max_rank = 5;
  bool large_constants = false;  // constant arrays that generated code receives as hidden inputs
};

class Workbench {
 public:
  Workbench(uint64_t seed, WorkbenchOptions options);

  Random& random() { return random_; }
  Graph& graph() { return *graph_; }
  const WorkbenchOptions& options() const { return options_; }
  std::unique_ptr<Graph> take() { return std::move(graph_); }

  const std::vector<NodeRef>& nodes() const { return nodes_; }
  /// Makes the node available as an operand of later nodes and returns true; returns false if it is too large.
  bool keep(NodeRef node);
  /// Keeps all nodes that are small enough. Returns true if at least one was.
  bool keep_any(const std::vector<NodeRef>& nodes);
  /// Keeps the node and makes it an output, because what it tests only happens if the value is stored. Returns false if it is too large.
  bool want(NodeRef node);
  bool is_wanted(NodeRef node) const { return wanted_.contains(node); }
  /// A node for which `wanted` holds, mostly one of the newest; null if there is none.
  NodeRef find(const std::function<bool(NodeRef)>& wanted);

  /// A size: a small constant, 0 or 1, a size that is no multiple of a vector, or an expression of the shape variables.
  Dim random_dim();
  Dim small_dim(int64_t lo, int64_t hi) { return Dim(random_.between(lo, hi)); }
  Shape random_shape();
  /// A shape variable, or nothing.
  std::optional<Dim> random_variable();
  DType random_dtype() { return random_.pick(graph_dtypes()); }
  Scalar random_scalar(DType dtype);

  /// An input, or another array of this type (arange, constant array, expanded constant).
  NodeRef new_array(DType dtype, const Shape& shape);
  NodeRef new_input(DType dtype, const Shape& shape);
  /// A constant array that is a hidden input of generated code (ir/hidden_constants.h).
  NodeRef new_large_constant(DType dtype);
  /// An array that an op without operands produces. The op must be able to produce this dtype.
  NodeRef new_leaf(Op op, DType dtype);
  /// Sets the prefix of new inputs' names.
  void name_inputs(std::string_view prefix) { prefix_ = prefix; }
  /// A node of exactly this dtype and shape: an existing one, a cast of one, or a new array.
  NodeRef array_of(DType dtype, const Shape& shape);

  /// The number of elements when the shape variables have medium values; negative if a size is negative.
  int64_t estimated_count(const Shape& shape) const;
  int64_t estimate(Dim dim) const;

 private:
  NodeRef constant_array(DType dtype, const Shape& shape);

  Random random_;
  WorkbenchOptions options_;
  std::unique_ptr<Graph> graph_;
  std::vector<Dim> variables_;
  std::vector<NodeRef> nodes_;
  std::set<NodeRef> wanted_;
  int inputs_ = 0;
  std::string prefix_ = "x";
};

}  // namespace harp::fuzz
