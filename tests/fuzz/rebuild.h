// Copies a graph with one node replaced by something simpler: an input, a constant or one of its sources.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace harp::fuzz {

class Rebuild {
 public:
  explicit Rebuild(const Graph& graph) : graph_(graph), copies_(graph.nodes().size()) {}

  /// Replaces `node` in the copy by an input of the same dtype and shape, whose name is cut_name(node).
  void replace_by_input(const Node* node) { cut_ = node; }
  void replace_by_constant(const Node* node) { constant_ = node; }
  void replace_by_source(const Node* node, size_t source) { bypassed_ = node, source_ = source; }

  /// Builds the copy and drops inputs that are no longer used. The copy shares the size expressions of the original graph. Returns null if
  /// the copy cannot be built.
  std::shared_ptr<Graph> with_outputs(const std::vector<GraphOutput>& outputs);

  static std::string cut_name(const Node* node);

 private:
  const Node* copy(Graph& to, const Node& node);

  const Graph& graph_;
  std::vector<const Node*> copies_;
  const Node *cut_ = nullptr, *constant_ = nullptr, *bypassed_ = nullptr;
  size_t source_ = 0;
};

}  // namespace harp::fuzz
