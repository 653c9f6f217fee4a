// Computes gradients of y with respect to the xs. A first pass in ascending order of ids (sources have smaller ids) finds the nodes between
// the xs and y through which gradients flow. A second pass goes back from y: when it visits a node, all contributions to the node's
// gradient have been computed. Each pass visits each node once.
#include "grad/gradient.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "grad/adjoint.h"
#include "grad/outer_products.h"
#include "grad/rules.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::grad {
namespace {

bool carries_gradient(DType dtype) { return is_float(dtype) || is_complex(dtype); }

/// How the value of a node depends on the nodes x for which gradients are wanted.
enum class Dependence : uint8_t {
  // The value does not depend on any x, or it is constant almost everywhere: bools, integers rounded from floats, results of argsort.
  kNone,
  kSmooth,   // a float or complex number that depends on an x
  kThrough,  // an integer computed through an op that has no derivative, for example from the bits of a float
};

class Walk {
 public:
  Walk(NodeRef y, std::span<const NodeRef> xs)
      : graph_(check_node("grad", y)), y_(y), dependence_(y->id + 1), is_x_(y->id + 1), reached_(y->id + 1), parts_(y->id + 1) {
    first_ = y->id;
    for (NodeRef x : xs) {
      first_ = std::min(first_, x->id);
      if (x->id > y->id) continue;
      dependence_[x->id] = Dependence::kSmooth;
      is_x_[x->id] = true;
    }
    for (uint32_t id = first_; id <= y->id; ++id)
      if (dependence_[id] == Dependence::kNone) dependence_[id] = dependence_of(graph_.nodes()[id]);
  }

  void run(NodeRef seed) {
    if (dependence_[y_->id] == Dependence::kNone) return;
    reached_[y_->id] = true;
    parts_[y_->id] = {seed};
    for (uint32_t id = y_->id + 1; id-- > first_;)
      if (reached_[id]) pass_on(&graph_.nodes()[id]);
  }

  /// True if y depends on x in a way that lets gradients flow, even if the gradient is zero everywhere.
  bool reached(NodeRef x) const { return x->id <= y_->id && reached_[x->id]; }
  /// Returns the gradient of an x that was reached, or null if it is zero everywhere.
  NodeRef gradient_of(NodeRef x) const { return gradients_.at(x); }

 private:
  Dependence dependence_of(const Node& node) const {
    auto any = [&](Dependence d) {
      return std::any_of(node.sources.begin(), node.sources.end(), [&](NodeRef source) { return dependence_[source->id] == d; });
    };
    const bool is_through = any(Dependence::kThrough) || (adjoint_of(node.op).flow == Flow::kNone && any(Dependence::kSmooth));
    if (is_bool(node.dtype)) return Dependence::kNone;
    if (carries_gradient(node.dtype)) return is_through || any(Dependence::kSmooth) ? Dependence::kSmooth : Dependence::kNone;
    const bool is_constant = adjoint_of(node.op).flow == Flow::kConstant;  // for example argsort
    return is_through && !is_constant ? Dependence::kThrough : Dependence::kNone;
  }

  void pass_on(NodeRef node) {
    const Arrived arrived = take_arrived(node);
    if (is_x_[node->id]) gradients_[node] = arrived.sum;
    const Flow flow = adjoint_of(node->op).flow;
    if (flow == Flow::kLeaf) return;
    const bool passes_on = flow != Flow::kConstant && (arrived.sum != nullptr || !arrived.products.empty());
    for (size_t i = 0; i < node->sources.size(); ++i) {
      const NodeRef source = node->sources[i];
      const Dependence dependence = dependence_[source->id];
      if (dependence == Dependence::kNone) continue;
      if (passes_on && (flow == Flow::kNone || dependence == Dependence::kThrough)) fail_without_derivative(node);
      if (dependence == Dependence::kThrough) continue;
      reached_[source->id] = true;
      if (!passes_on) continue;
      if (const NodeRef part = part_for(node, arrived, i); part != nullptr) parts_[source->id].push_back(part);
    }
  }

  /// The gradient of a node at the time when the node is visited: the contributions of all its users. They are added, with one exception:
  /// if the node is an Expand, two or more contributions that are outer products stay separate in `products`. One contraction later
  /// computes their sum and reduces the expanded axes (outer_products.h).
  struct Arrived {
    std::vector<NodeRef> products;
    NodeRef sum = nullptr;  // the sum of all other contributions; null if there are none
  };
  Arrived take_arrived(NodeRef node) {
    const std::vector<NodeRef> parts = std::exchange(parts_[node->id], {});
    Arrived arrived;
    const bool may_contract = !is_x_[node->id] && (node->op == Op::kExpand || node->rank() < kMaxRank);
    if (may_contract) std::ranges::copy_if(parts, std::back_inserter(arrived.products), is_outer_product);
    if (arrived.products.size() < 2) arrived.products.clear();
    for (NodeRef part : parts)
      if (arrived.products.empty() || !is_outer_product(part)) arrived.sum = sum_of(arrived.sum, part);
    if (arrived.products.empty() || node->op == Op::kExpand) return arrived;
    return {{}, sum_of(contraction_of(arrived.products), arrived.sum)};
  }
  static NodeRef sum_of(NodeRef a, NodeRef b) {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return build::elementwise(Op::kAdd, {a, b});
  }

  /// Returns the node's contribution to the gradient of its source number `index`, in the source's shape.
  NodeRef part_for(NodeRef node, const Arrived& arrived, size_t index) const {
    const NodeRef source = node->sources[index];
    try {
      const NodeRef part = arrived.sum == nullptr ? nullptr : contribution({node, arrived.sum, index});
      if (!arrived.products.empty()) return sum_of(contraction_along(stretched_axes(node), arrived.products), part);
      return part != nullptr && source->rank() == 0 ? build::sum(part, std::nullopt, false) : part;
    } catch (const Error& e) {
      throw Error(e.code, cat("grad: at ", graph_.describe(node), ": ", e.message));
    }
  }

  /// Fails with a message that names an op without a derivative. The op is found by searching from `node` up through its sources.
  [[noreturn]] void fail_without_derivative(NodeRef node) const {
    while (adjoint_of(node->op).flow != Flow::kNone || !has_smooth_source(node))
      node = *std::find_if(node->sources.begin(), node->sources.end(),
                           [&](NodeRef source) { return dependence_[source->id] == Dependence::kThrough; });
    fail(Code::kNoGradient, "grad: ", graph_.describe(y_), " depends on ", graph_.describe(node), ", and ", name(node->op),
         " has no derivative");
  }
  bool has_smooth_source(NodeRef node) const {
    return std::any_of(node->sources.begin(), node->sources.end(),
                       [&](NodeRef source) { return dependence_[source->id] == Dependence::kSmooth; });
  }

  Graph& graph_;
  const NodeRef y_;
  uint32_t first_;
  std::vector<Dependence> dependence_;
  std::vector<bool> is_x_, reached_;
  // The contributions to each node's gradient that have been computed so far, by node id, in the node's shape. The list is cleared when the
  // node is visited.
  std::vector<std::vector<NodeRef>> parts_;
  std::unordered_map<NodeRef, NodeRef> gradients_;  // the gradients of those xs that were reached
};

/// Returns, by node id, whether a node is x itself or depends on x, for all nodes up to y.
std::vector<bool> followers(NodeRef x, NodeRef y) {
  const Graph& graph = *y->graph;
  std::vector<bool> follows_x(y->id + 1);
  if (x->id <= y->id) follows_x[x->id] = true;
  for (uint32_t id = x->id; id <= y->id; ++id)
    for (NodeRef source : graph.nodes()[id].sources) follows_x[id] = follows_x[id] || follows_x[source->id];
  return follows_x;
}

/// Fails with a message that states why no gradient flows from y to x: y does not depend on x, or every path from x to y passes through an
/// integer or bool node.
[[noreturn]] void fail_unreached(NodeRef y, NodeRef x) {
  const Graph& graph = *y->graph;
  constexpr std::string_view kAdvice = "; its gradient would be zero everywhere, so leave it out";
  const std::vector<bool> follows_x = followers(x, y);
  if (!follows_x[y->id]) fail(Code::kNoGradient, "grad: ", graph.describe(y), " does not depend on ", graph.describe(x), kAdvice);
  std::vector<bool> leads_to_y(y->id + 1);
  leads_to_y[y->id] = true;
  NodeRef barrier = y;
  for (uint32_t id = y->id + 1; id-- > x->id;) {
    if (!leads_to_y[id] || !follows_x[id]) continue;
    if (!carries_gradient(graph.nodes()[id].dtype)) barrier = &graph.nodes()[id];
    for (NodeRef source : graph.nodes()[id].sources) leads_to_y[source->id] = true;
  }
  fail(Code::kNoGradient, "grad: ", graph.describe(y), " depends on ", graph.describe(x), " only through ", graph.describe(barrier),
       ", and gradients do not pass through ", is_bool(barrier->dtype) ? "bools" : "integers", kAdvice);
}

NodeRef checked_seed(NodeRef y, NodeRef grad_output) {
  const Graph& graph = *y->graph;
  if (grad_output == nullptr) {
    HARP_CHECK(element_count(y->shape).is_constant(1), Code::kShape, "grad: ", graph.describe(y),
               " has more than one element: reduce it to one, or give grad_output");
    HARP_CHECK(!is_complex(y->dtype), Code::kDType, "grad: ", graph.describe(y),
               " is complex: differentiate real(), imag() or abs() of it, or give grad_output");
    return build::full_like(y, 1);
  }
  HARP_CHECK(grad_output->dtype == y->dtype, Code::kDType, "grad: grad_output is ", graph.describe(grad_output), ", y is ",
             graph.describe(y), "; the dtypes must be the same");
  HARP_CHECK(grad_output->rank() == 0 || grad_output->shape == y->shape, Code::kShape, "grad: grad_output is ", graph.describe(grad_output),
             ", y is ", graph.describe(y), "; the shapes must be the same, or grad_output a scalar");
  return build::broadcast_to(grad_output, y->shape);
}

}  // namespace

std::vector<NodeRef> gradients(NodeRef y, std::span<const NodeRef> xs, NodeRef grad_output, WhereIndependent where_independent) {
  std::vector<NodeRef> operands = {y};
  operands.insert(operands.end(), xs.begin(), xs.end());
  if (grad_output != nullptr) operands.push_back(grad_output);
  const Graph& graph = check_nodes("grad", operands);
  HARP_CHECK(!xs.empty(), Code::kInvalidArgument, "grad: expected at least one node to differentiate ", graph.describe(y),
             " with respect to");
  for (NodeRef operand : std::span(operands).first(1 + xs.size()))
    HARP_CHECK(carries_gradient(operand->dtype), Code::kDType, "grad: ", operand == y ? "y" : "x", " is ", graph.describe(operand),
               "; only floats and complex numbers have gradients");

  Walk walk(y, xs);
  walk.run(checked_seed(y, grad_output));
  std::vector<NodeRef> results;
  for (NodeRef x : xs) {
    const bool is_reached = walk.reached(x);
    if (!is_reached && where_independent == WhereIndependent::kError) fail_unreached(y, x);
    const NodeRef gradient = is_reached ? walk.gradient_of(x) : nullptr;
    results.push_back(gradient != nullptr ? gradient : build::full_like(x, 0));
  }
  return results;
}

bool depends(NodeRef y, NodeRef x) { return x->id <= y->id && followers(x, y)[y->id]; }

}  // namespace harp::grad
