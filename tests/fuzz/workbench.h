// Holds the state of a random graph under construction: the graph, the nodes that later nodes may use as operands, the sizes to choose
// from, and a size limit that keeps arrays small enough for the interpreter.
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

/// The dtypes that arrays of random graphs may have.
const std::vector<DType>& graph_dtypes();

struct WorkbenchOptions {
  int variables = 0;           // number of shape variables
  bool broadcast = false;      // true: the graph broadcasts operands (HARP_GRAPH_BROADCAST)
  bool promote_mixed = false;  // true: operands of different dtypes are promoted to a common one
  bool large_axes = false;     // true: axes may be as long as the blocks of reductions, or longer
  bool empty_axes = false;     // true: many axes have size 0
  int max_rank = 5;
  bool large_constants = false;  // true: adds constant arrays so large that generated code receives them as hidden inputs
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
  /// Keeps the node and makes it an output, for tests of code that is generated only if the value is stored. Returns false if the node is
  /// too large.
  bool want(NodeRef node);
  bool is_wanted(NodeRef node) const { return wanted_.contains(node); }
  /// An existing node for which `wanted` returns true, usually one of the newest; null if there is no such node.
  NodeRef find(const std::function<bool(NodeRef)>& wanted);

  /// A random size: a small constant, 0 or 1, a size that is not a multiple of the vector width, or an expression of the shape variables.
  Dim random_dim();
  Dim small_dim(int64_t lo, int64_t hi) { return Dim(random_.between(lo, hi)); }
  Shape random_shape();
  /// One of the shape variables; nothing if the graph has none.
  std::optional<Dim> random_variable();
  DType random_dtype() { return random_.pick(graph_dtypes()); }
  Scalar random_scalar(DType dtype);

  /// A new array of this dtype and shape: an input, an arange, a constant array, or an expanded constant.
  NodeRef new_array(DType dtype, const Shape& shape);
  NodeRef new_input(DType dtype, const Shape& shape);
  /// A new constant array that is so large that generated code receives it as a hidden input (ir/hidden_constants.h).
  NodeRef new_large_constant(DType dtype);
  /// A new node of an op without operands. The op must be able to produce this dtype.
  NodeRef new_leaf(Op op, DType dtype);
  /// Sets the prefix of new inputs' names.
  void name_inputs(std::string_view prefix) { prefix_ = prefix; }
  /// A node with exactly this dtype and shape: an existing node, a cast of an existing node, or a new array.
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
