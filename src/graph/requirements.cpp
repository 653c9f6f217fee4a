// Collects run-time requirements; see requirements.h.
#include "graph/requirements.h"

#include <unordered_set>

#include "base/error.h"
#include "graph/build.h"
#include "graph/check.h"
#include "graph/native.h"

namespace harp {
namespace {

/// True if the value, or a subexpression of it, does not fit 64 bits for some values of the shape variables.
bool may_overflow(Dim value) {
  const SymRange may_be = range(value);
  if (may_be.lo == INT64_MIN || may_be.hi == INT64_MAX) return true;
  if (value.is_constant()) return false;
  for (const SymTerm& term : value.node()->terms)
    for (const SymAtom* atom : term.factors)
      if (atom->kind != AtomKind::kVariable && (may_overflow(atom->a) || may_overflow(atom->b) || may_overflow(atom->c))) return true;
  return false;
}

/// Describes a node for a user, who knows only the names in the graph. If the node has no name, the description refers to the nearest named
/// node that is reached by following the first source of each node.
std::string described(const Graph& graph, const Node* node) {
  const Node* known = node;
  while (graph.node_name(known).empty() && !known->sources.empty()) known = known->sources[0];
  const std::string result = cat(name(node->op), " ", type_of(*node));
  if (known == node) return cat(label(node), " (", result, ")");
  return graph.node_name(known).empty() ? result : cat(result, ", computed from ", label(known), ",");
}

class Collector {
 public:
  explicit Collector(const Graph& graph) : graph_(graph) {}

  void visit(const Node& node) {
    for (int axis = 0; axis < node.rank(); ++axis)
      require(node.shape[axis], [&] {
        return cat("axis ", axis, " of ", described(graph_, &node), " has size ", to_string(node.shape[axis]), ", which is negative");
      });
    if (node.op == Op::kSize) fits(node.as<SizeAttributes>().value);
    if (node.op == Op::kPad) visit_pad(node, node.as<PadAttributes>());
    if (node.op == Op::kUnfold && !node.as<UnfoldAttributes>().size.is_constant(0))
      require(node.as<UnfoldAttributes>().size - 1, [&] {
        return cat("the window over ", described(graph_, node.sources[0]), " is empty: it has size ",
                   to_string(node.as<UnfoldAttributes>().size));
      });
    if (node.op == Op::kArange)
      require((int64_t{1} << 31) - node.shape[0], [&] { return cat(graph_.describe(&node), " has more elements than i32 can count"); });
    if (is_native(node.op)) visit_native(node, node.as<NativeAttributes>());
    if (node.op == Op::kSlice && !build::as_slice_specs(&node)) visit_slice(node, node.as<SliceAttributes>());
  }

  std::vector<Requirement> take() { return std::move(found_); }

 private:
  template <class Message>
  void require(Dim nonnegative, Message message) {
    if (proven_nonnegative(nonnegative) || !seen_.insert(nonnegative).second) return;
    found_.push_back({nonnegative, message()});
  }

  /// Adds the requirement that the value fits 64 bits; it may be negative.
  void fits(Dim value) {
    if (may_overflow(value) && seen_.insert(value).second) found_.push_back({value, {}});
  }

  void visit_pad(const Node& node, const PadAttributes& attributes) {
    for (int axis = 0; axis < node.rank(); ++axis) {
      const auto amount = [&](Dim value, std::string_view side) {
        require(value, [&] {
          return cat("the padding ", side, " axis ", axis, " of ", described(graph_, node.sources[0]), " is ", to_string(value),
                     ", which is negative");
        });
      };
      amount(attributes.before[axis], "before");
      amount(attributes.after[axis], "after");
    }
  }

  void visit_native(const Node& node, const NativeAttributes& attributes) {
    for (size_t i = 0; i < attributes.parameters.size(); ++i) {
      const NativeParameter& parameter = attributes.parameters[i];
      if (parameter.kind != NativeParameter::kSize) continue;
      const SymRange may_be = native_size_range(parameter.dtype);
      auto message = [&] {
        return cat("parameter ", i, " of ", graph_.describe(&node), ", ", to_string(parameter.size), ", does not fit ",
                   name(parameter.dtype));
      };
      require(parameter.size - may_be.lo, message);
      require(Dim(may_be.hi) - parameter.size, message);
    }
  }

  /// Adds the requirement that the first and the last element of the slice are inside the source, unless the slice is empty. A slice that
  /// clamps its bounds requires nothing.
  void visit_slice(const Node& node, const SliceAttributes& attributes) {
    for (int axis = 0; axis < node.rank(); ++axis) {
      const Dim size = node.shape[axis], length = node.sources[0]->shape[axis];
      const Dim first = attributes.start[axis], last = first + (size - 1) * Dim(attributes.step[axis]);
      for (Dim inside : {first, last, length - 1 - first, length - 1 - last})
        if (!proven_nonnegative(inside))
          require(select(size - 1, inside, 0), [&] {
            const std::string taken =
                first == last ? cat("element ", to_string(first)) : cat("elements ", to_string(first), " to ", to_string(last));
            return cat(taken, " of axis ", axis, " of ", described(graph_, node.sources[0]), first == last ? " is" : " are",
                       " taken, but the axis has size ", to_string(length));
          });
    }
  }

  const Graph& graph_;
  std::unordered_set<Dim> seen_;
  std::vector<Requirement> found_;
};

}  // namespace

std::vector<Requirement> requirements(const Graph& graph) {
  Collector collector(graph);
  for (const Node* input : graph.inputs()) collector.visit(*input);
  for (const Node* node : graph.live_nodes())
    if (node->op != Op::kInput) collector.visit(*node);
  return collector.take();
}

}  // namespace harp
