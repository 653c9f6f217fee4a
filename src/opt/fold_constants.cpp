#include "opt/fold_constants.h"

#include <algorithm>
#include <cstring>

#include "base/float_environment.h"
#include "interp/evaluate_node.h"
#include "interp/gather.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Constant arrays with more elements than this are not folded: storing the result in the compiled program would cost more than computing
/// it at run time.
constexpr int64_t kMaxElements = 4096;

bool all_constant(std::span<const Dim> dims) {
  return std::all_of(dims.begin(), dims.end(), [](Dim dim) { return dim.is_constant(); });
}

struct DimsAreConstant {
  bool operator()(const SizeAttributes& a) const { return a.value.is_constant(); }
  bool operator()(const SliceAttributes& a) const { return all_constant(a.start); }
  bool operator()(const PadAttributes& a) const { return all_constant(a.before) && all_constant(a.after); }
  bool operator()(const UnfoldAttributes& a) const { return a.size.is_constant(); }
  template <class Attributes>
  bool operator()(const Attributes&) const {
    return true;
  }
};

Scalar scalar_of(const interp::Array& array) {
  Scalar value{array.dtype, {0, 0}};
  std::memcpy(value.bits, array.data, size_of(array.dtype));
  return value;
}

const Node* constant(Graph& graph, const Scalar& value) {
  return graph.intern(Op::kConstant, value.dtype, {}, {}, ConstantAttributes{value});
}

/// Folds an elementwise operation if each source has only equal elements: the operation is computed once, on scalars.
const Node* fold_uniform(Graph& graph, const Node* node) {
  std::vector<interp::Array> operands;
  std::vector<const Node*> scalars;
  for (const Node* source : node->sources) {
    const Scalar* value = uniform_value(source);
    if (value == nullptr) return node;
    operands.push_back(interp::Array::scalar(*value));
    scalars.push_back(constant(graph, *value));
  }
  const Node* scalar = graph.intern(node->op, node->dtype, {}, std::move(scalars), node->attributes);
  return uniform(graph, scalar_of(interp::evaluate(*scalar, operands, interp::Sizes())), node->shape);
}

/// Folds a join or movement if all elements of all sources have the same value.
const Node* fold_moved(Graph& graph, const Node* node) {
  const Scalar* value = node->sources.empty() ? nullptr : uniform_value(node->sources[0]);
  if (value == nullptr) return node;
  for (const Node* source : node->sources) {
    const Scalar* other = uniform_value(source);
    if (other == nullptr || *other != *value) return node;
  }
  if (node->op == Op::kPad && node->as<PadAttributes>().value != *value) return node;
  return uniform(graph, *value, node->shape);
}

/// Folds a gather from an array whose elements are all equal. The axis must be known not to be empty, because a gather from an empty axis
/// gives 0.
const Node* fold_gathered(Graph& graph, const Node* node) {
  const Node* x = node->sources[0];
  const Scalar* value = uniform_value(x);
  const bool has_elements = proven_positive(x->shape[static_cast<size_t>(node->as<GatherAttributes>().axis)]);
  return value != nullptr && has_elements ? uniform(graph, *value, node->shape) : node;
}

/// Removes an index check if the indices are constant and valid.
const Node* fold_check(const Node* node) {
  const Dim size = node->as<CheckAttributes>().size;
  const Node* indices = node->sources[0];
  const Scalar* value = uniform_value(indices);
  if (!size.is_constant() || (value == nullptr && indices->op != Op::kConstantArray)) return node;
  const interp::Array known = value != nullptr ? interp::Array::scalar(*value) : interp::evaluate(*indices, {}, interp::Sizes());
  return interp::first_fault(known, size.constant(), interp::Sizes()) ? node : indices;
}

/// Folds a node whose sources are constant arrays. Nothing would be gained if the node only changes the view (expand), or if the result is
/// larger than the sources; such nodes are not folded.
const Node* fold_array(Graph& graph, const Node* node) {
  if (node->op == Op::kExpand || node->op == Op::kContiguous) return node;
  if (!all_constant(node->shape) || !std::visit(DimsAreConstant(), node->attributes)) return node;
  int64_t largest = 0;
  bool has_array = false;
  const std::span<const Node* const> sources = interp::operands_of(*node);
  for (const Node* source : sources) {
    if (source->op != Op::kConstant && source->op != Op::kConstantArray) return node;
    has_array |= source->op == Op::kConstantArray;
    largest = std::max(largest, element_count(source->shape).constant());
  }
  const int64_t count = element_count(node->shape).constant();
  if (!has_array || largest > kMaxElements || count > largest) return node;

  std::vector<interp::Array> operands;
  for (const Node* source : sources) operands.push_back(interp::evaluate(*source, {}, interp::Sizes()));
  const interp::Sizes sizes;
  const interp::Array value = interp::as_contiguous(interp::evaluate(*node, operands, sizes), sizes);
  if (node->rank() == 0) return constant(graph, scalar_of(value));
  auto data = std::make_shared<std::vector<std::byte>>(value.data, value.data + static_cast<size_t>(count) * size_of(value.dtype));
  return graph.intern(Op::kConstantArray, node->dtype, node->shape, {}, ArrayAttributes{std::move(data)});
}

const Node* fold(Graph& graph, const Node* node) {
  if (node->op == Op::kSize) {
    const Dim value = node->as<SizeAttributes>().value;
    return value.is_constant() ? constant(graph, Scalar::of(DType::kI64, value.constant())) : node;
  }
  if (node->op == Op::kCheckIndex) return fold_check(node);
  const Node* folded = node;
  switch (info(node->op).family) {
    case Family::kElementwise:
    case Family::kConvert: folded = fold_uniform(graph, node); break;
    case Family::kMovement:
    case Family::kJoin:
    case Family::kCopy: folded = fold_moved(graph, node); break;
    case Family::kGather: folded = fold_gathered(graph, node); break;
    case Family::kReduce:
    case Family::kScan:
    case Family::kRoutine: break;
    default: return node;
  }
  return folded != node ? folded : fold_array(graph, node);
}

}  // namespace

/// Every node that can be folded depends on a Constant, ConstantArray or Size node, so the pass would not change a graph without such
/// nodes.
bool may_fold_constants(const Node& node) { return node.op == Op::kConstant || node.op == Op::kConstantArray || node.op == Op::kSize; }

std::unique_ptr<Graph> fold_constants(const Graph& graph) {
  const FloatEnvironment environment;
  return rewrite(graph, fold);
}

}  // namespace harp::opt
