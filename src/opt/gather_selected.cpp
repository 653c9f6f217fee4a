#include "opt/gather_selected.h"

#include <map>

#include "graph/build.h"
#include "graph/view.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

constexpr size_t kMaxNodes = 64;  // the greatest number of nodes that may be built to compute one element

/// The result of below(), which follows the sources of a start node and skips movement nodes and all nodes for which `passes` is true.
/// `node` is the first node that is not skipped. `view` maps each element of the start node to an element of `node`, by an offset and
/// strides. below() returns nothing if this is impossible, or if some elements are padding.
struct Viewed {
  const Node* node;
  View view;
};
template <class Passes>
std::optional<Viewed> below(const Node* node, Passes passes) {
  std::vector<const Node*> views;
  for (; is_movement(node->op) || passes(node); node = node->sources[0])
    if (is_movement(node->op)) views.push_back(node);
  std::optional<View> view = View::contiguous(node->shape);
  for (; view && !views.empty(); views.pop_back()) view = apply(*view, *views.back());
  if (!view || view->fill) return std::nullopt;
  return Viewed{node, *std::move(view)};
}

/// True if every element equals its own index along the axis. The indices fit i32, because an arange with more than 2^31 elements is
/// rejected at run time (graph/requirements.cpp).
bool is_position(const Node* node, size_t axis) {
  const auto keeps_integers = [](const Node* x) {
    return x->op == Op::kCast && is_int(x->dtype) && size_of(x->dtype) >= size_of(DType::kI32);
  };
  const auto viewed = below(node, keeps_integers);
  if (!viewed || viewed->node->op != Op::kArange || !viewed->view.offset.is_constant(0)) return false;
  for (size_t i = 0; i < viewed->view.strides.size(); ++i)
    if (!viewed->view.shape[i].is_constant(1) && !viewed->view.strides[i].is_constant(i == axis ? 1 : 0)) return false;
  return !node->shape.empty();
}

/// If the node's elements do not vary along the axis, returns a node of shape `shape`, which has size 1 along the axis, with these
/// elements; else returns null.
const Node* one_along(const Node* node, size_t axis, const Shape& shape) {
  if (node->rank() == 0) return build::broadcast_to(node, shape);
  const bool is_same = node->op == Op::kExpand && node->sources[0]->shape[axis].is_constant(1);
  return is_same ? build::expand(node->sources[0], shape) : nullptr;
}

/// Builds nodes that compute, for each row along an axis, the element of an array at a given position. Only arrays that are stored in
/// memory anyway are gathered. An elementwise expression over such arrays is computed again for the selected element.
class ElementSelector {
 public:
  ElementSelector(Graph& graph, const Node* positions, size_t axis) : graph_(graph), positions_(positions), axis_(axis) {}

  /// Returns a node that is the selected element of `node` for each row. Returns null if an array would have to be stored in memory first,
  /// or if the expression has too many nodes.
  const Node* select(const Node* node) {
    if (node->rank() == 0) return node;
    if (const auto found = selected_.find(node); found != selected_.end()) return found->second;
    if (selected_.size() == kMaxNodes) return nullptr;
    const Node* result = is_elementwise(node->op) ? elementwise(node) : one_along(node, axis_, positions_->shape);
    if (result == nullptr && lies_in_memory(node)) result = build::take_along_axis(node, positions_, static_cast<int>(axis_));
    return selected_[node] = result;
  }

 private:
  const Node* elementwise(const Node* node) {
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) {
      sources.push_back(select(source));
      if (sources.back() == nullptr) return nullptr;
    }
    return graph_.intern(node->op, node->dtype, positions_->shape, std::move(sources), node->attributes);
  }
  static bool lies_in_memory(const Node* node) {
    const auto viewed = below(node, [](const Node*) { return false; });
    if (!viewed) return false;
    const Op op = viewed->node->op;
    return op == Op::kInput || op == Op::kConstantArray || is_reduce(op) || is_scan(op);
  }

  Graph& graph_;
  const Node* positions_;
  size_t axis_;
  std::map<const Node*, const Node*> selected_;
};

bool is_zero(const Node* node) {
  const Scalar* value = uniform_value(node);
  if (value == nullptr) return false;
  return *value == scalar_from_int(node->dtype, 0) || (is_float(node->dtype) && *value == scalar_from_double(node->dtype, -0.0));
}

const Node* gathered(Graph& graph, const Node* node) {
  if (node->op != Op::kSum || node->as<ReduceAttributes>().axes.size() != 1) return node;
  const Node* where = node->sources[0];
  if (where->op != Op::kWhere || where->sources[0]->op != Op::kEq || where->sources[0]->rank() == 0 || !is_zero(where->sources[2]))
    return node;
  const auto axis = static_cast<size_t>(node->as<ReduceAttributes>().axes[0]);
  Shape shape = where->shape;
  const Dim length = shape[axis];
  shape[axis] = 1;
  const Node* positions = nullptr;
  for (size_t k = 0; k < 2 && positions == nullptr; ++k)
    if (is_position(where->sources[0]->sources[k], axis)) positions = one_along(where->sources[0]->sources[1 - k], axis, shape);
  if (positions == nullptr) return node;
  positions = build::cast(positions, DType::kI64);
  const Node* element = ElementSelector(graph, positions, axis).select(where->sources[1]);
  if (element == nullptr) return node;
  const Node* zero = build::constant(graph, scalar_from_int(node->dtype, 0));
  const Node* first = build::constant(graph, scalar_from_int(DType::kI64, 0));
  const Node* is_in_range = build::elementwise(
      Op::kBitAnd, {build::elementwise(Op::kLe, {first, positions}), build::elementwise(Op::kLt, {positions, build::size(graph, length)})});
  // The replaced sum would turn an element of -0.0 into +0.0, so +0.0 is added to the element.
  const Node* sum = build::elementwise(Op::kWhere, {is_in_range, build::elementwise(Op::kAdd, {element, zero}), zero});
  return build::reshape(sum, node->shape);
}

}  // namespace

bool may_gather_selected(const Node& node) { return node.op == Op::kSum && node.sources[0]->op == Op::kWhere; }

std::unique_ptr<Graph> gather_selected(const Graph& graph) { return rewrite(graph, gathered); }

}  // namespace harp::opt
