// Collects run-time requirements; see requirements.h.
#include "graph/requirements.h"

#include <unordered_set>

#include "base/error.h"
#include "graph/build.h"
#include "graph/native.h"

namespace harp {
namespace {

/// True if a part of the expression does not fit 64 bits for some values of the variables.
bool may_overflow(Dim value) {
  const SymRange may_be = range(value);
  if (may_be.lo == INT64_MIN || may_be.hi == INT64_MAX) return true;
  if (value.is_constant()) return false;
  for (const SymTerm& term : value.node()->terms)
    for (const SymAtom* atom : term.factors)
      if (atom->kind != AtomKind::kVariable && (may_overflow(atom->a) || may_overflow(atom->b) || may_overflow(atom->c))) return true;
  return false;
}

class Collector {
 public:
  explicit Collector(const Graph& graph) : graph_(graph) {}

  void visit(const Node& node) {
    for (int axis = 0; axis < node.rank(); ++axis)
      require(node.shape[axis], [&] { return cat("the size of axis ", axis, " of ", graph_.describe(&node), " is negative"); });
    if (node.op == Op::kSize) fits(node.as<SizeAttributes>().value);
    if (node.op == Op::kPad) visit_pad(node, node.as<PadAttributes>());
    if (node.op == Op::kUnfold && !node.as<UnfoldAttributes>().size.is_constant(0))
      require(node.as<UnfoldAttributes>().size - 1, [&] { return cat("the window of ", graph_.describe(&node), " is empty"); });
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

  /// Requires only that the number fits 64 bits; it may be negative.
  void fits(Dim value) {
    if (may_overflow(value) && seen_.insert(value).second) found_.push_back({value, {}});
  }

  void visit_pad(const Node& node, const PadAttributes& attributes) {
    for (int axis = 0; axis < node.rank(); ++axis) {
      auto message = [&] { return cat("the amount of padding of axis ", axis, " of ", graph_.describe(&node), " is negative"); };
      require(attributes.before[axis], message);
      require(attributes.after[axis], message);
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

  /// Requires the first and last element to be inside the source, unless the slice is empty. A slice that clamps requires nothing.
  void visit_slice(const Node& node, const SliceAttributes& attributes) {
    for (int axis = 0; axis < node.rank(); ++axis) {
      const Dim size = node.shape[axis], length = node.sources[0]->shape[axis];
      const Dim first = attributes.start[axis], last = first + (size - 1) * Dim(attributes.step[axis]);
      for (Dim inside : {first, last, length - 1 - first, length - 1 - last})
        if (!proven_nonnegative(inside))
          require(select(size - 1, inside, 0), [&] {
            return cat(graph_.describe(&node), " takes elements of axis ", axis, " that ", graph_.describe(node.sources[0]),
                       " does not have");
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
