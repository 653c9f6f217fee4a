// Checks of existing nodes by the rules of each family of ops. The constructors in build*.cpp implement the same rules.
#include "graph/verify.h"

#include <algorithm>

#include "base/error.h"
#include "graph/body.h"
#include "graph/check.h"

namespace harp {
namespace {

/// Throws an error whose message describes the node and ends with `what`, the rule that the node breaks.
[[noreturn]] void wrong(const Node& node, std::string_view what) {
  fail(Code::kInternal, "graph \"", node.graph->name(), "\", node ", node.id, " ", node.graph->describe(&node), ": ", what);
}
void expect(bool holds, const Node& node, std::string_view what) {
  if (!holds) wrong(node, what);
}

template <class T>
const T& attributes_of(const Node& node) {
  const T* attributes = std::get_if<T>(&node.attributes);
  if (attributes == nullptr) wrong(node, "has the attributes of another op");
  return *attributes;
}

void verify_sources(const Node& node) {
  const OpInfo& row = info(node.op);
  const bool mixes = is_native(node.op) || is_custom(node.op);  // its sources may differ in dtype, and there may be none
  if (row.arity >= 0)
    expect(static_cast<int>(node.sources.size()) == row.arity, node, cat("has ", node.sources.size(), " sources"));
  else
    expect(!node.sources.empty() || mixes, node, "has no source");
  const DType dtype = node.sources.empty() || mixes ? DType::kUnknown : node.sources[is_operand(node.op, 0) ? 0 : 1]->dtype;
  for (size_t i = 0; i < node.sources.size(); ++i) {
    const Node& source = *node.sources[i];
    expect(source.graph == node.graph, node, cat("source ", i, " is of another graph"));
    expect(source.id < node.id, node, cat("source ", i, " comes after it"));
    if (mixes) continue;
    if (!is_operand(node.op, i)) {
      const bool is_index = node.op != Op::kWhere;
      expect(is_index ? is_int(source.dtype) : is_bool(source.dtype), node,
             is_index ? "an index is not an integer" : "the condition is not bool");
      continue;
    }
    expect(has_nodes_of(node.op, source.dtype), node, cat("does not take ", name(source.dtype)));
    expect(source.dtype == dtype, node, "sources differ in dtype");
  }
  if (row.result == Result::kBool) expect(is_bool(node.dtype), node, "the result is not bool");
  if (row.result == Result::kSame) expect(node.dtype == dtype, node, "the result has another dtype than the sources");
}

void verify_elementwise(const Node& node) {
  bool has_shape = node.rank() == 0;
  for (const Node* source : node.sources) {
    expect(source->rank() == 0 || source->shape == node.shape, node, cat("a source has shape ", to_string(source->shape)));
    has_shape |= source->shape == node.shape;
  }
  expect(has_shape, node, "no source has its shape");
}

void verify_convert(const Node& node) {
  expect(node.shape == node.sources[0]->shape, node, "the shape changed");
  if (node.op == Op::kBitcast) {
    expect(size_of(node.dtype) == size_of(node.sources[0]->dtype), node, "the element size changed");
    expect(!is_bool(node.dtype), node, "bits become bool");
  }
}

void verify_reduce(const Node& node) {
  const auto& a = attributes_of<ReduceAttributes>(node);
  const Node& source = *node.sources[0];
  expect(!a.axes.empty(), node, "reduces no axis");
  std::vector<bool> reduced(source.rank(), false);
  for (int axis : a.axes) {
    expect(axis >= 0 && axis < source.rank() && !reduced[axis], node, "axes are wrong");
    reduced[axis] = true;
  }
  Shape kept;
  for (int axis = 0; axis < source.rank(); ++axis)
    if (!reduced[axis]) kept.push_back(source.shape[axis]);
  expect(node.shape == kept, node, cat("should have shape ", to_string(kept)));
  if (is_arg_extreme(node.op)) expect(a.axes.size() == 1 && node.dtype == DType::kI64, node, "is not an i64 reduction along one axis");
  const bool is_sum_of_mul = node.op == Op::kSum && source.op == Op::kMul && (is_float(node.dtype) || is_int(node.dtype));
  if (a.product) expect(is_sum_of_mul, node, "is not a sum of a mul of floats or integers");
}

void verify_parts(const Node& node) {
  for (const Node* source : node.sources) expect(node.shape == source->shape, node, "the shape changed");
  const DType source = node.sources[0]->dtype;
  expect(node.dtype == (node.op == Op::kComplex ? complex_dtype(source) : real_dtype(source)), node, "the dtype does not fit");
}

void verify_scan(const Node& node) {
  const auto& a = attributes_of<ScanAttributes>(node);
  expect(a.axis >= 0 && a.axis < node.rank(), node, "the axis is wrong");
  expect(node.shape == node.sources[0]->shape, node, "the shape changed");
}

void verify_permute(const Node& node) {
  const std::vector<int>& axes = attributes_of<PermuteAttributes>(node).axes;
  const Node& source = *node.sources[0];
  expect(static_cast<int>(axes.size()) == node.rank() && node.rank() == source.rank(), node, "does not name every axis once");
  std::vector<bool> seen(axes.size(), false);
  for (size_t i = 0; i < axes.size(); ++i) {
    expect(axes[i] >= 0 && axes[i] < source.rank() && !seen[axes[i]], node, "axes are not a permutation");
    seen[axes[i]] = true;
    expect(node.shape[i] == source.shape[axes[i]], node, "the shape is not the permuted one");
  }
}

void verify_same_rank(const Node& node, size_t attributes) {
  expect(node.rank() == node.sources[0]->rank() && attributes == node.shape.size(), node, "the rank is wrong");
}

void verify_slice(const Node& node) {
  const auto& a = attributes_of<SliceAttributes>(node);
  verify_same_rank(node, a.start.size());
  verify_same_rank(node, a.step.size());
  for (int axis = 0; axis < node.rank(); ++axis) {
    expect(a.step[axis] != 0, node, "a step is 0");
    const Dim length = node.sources[0]->shape[axis], last = a.start[axis] + (node.shape[axis] - 1) * Dim(a.step[axis]);
    if (range(node.shape[axis]).lo <= 0) continue;  // the slice may be empty, and then any start is valid
    for (Dim inside : {a.start[axis], last, length - 1 - a.start[axis], length - 1 - last})
      expect(range(inside).hi >= 0, node, cat("axis ", axis, " leaves the source"));
  }
}

void verify_movement(const Node& node) {
  const Node& source = *node.sources[0];
  switch (node.op) {
    case Op::kPermute: return verify_permute(node);
    case Op::kSlice: return verify_slice(node);
    case Op::kReshape: return expect(element_count(node.shape) == element_count(source.shape), node, "the number of elements changed");
    case Op::kExpand:
      verify_same_rank(node, node.shape.size());
      for (int axis = 0; axis < node.rank(); ++axis)
        expect(node.shape[axis] == source.shape[axis] || source.shape[axis].is_constant(1), node,
               cat("axis ", axis, " cannot be broadcast"));
      return;
    case Op::kPad: {
      const auto& a = attributes_of<PadAttributes>(node);
      verify_same_rank(node, a.before.size());
      verify_same_rank(node, a.after.size());
      expect(a.value.dtype == node.dtype, node, "the pad value does not have the node's dtype");
      for (int axis = 0; axis < node.rank(); ++axis)
        expect(node.shape[axis] == source.shape[axis] + a.before[axis] + a.after[axis], node, cat("axis ", axis, " has the wrong size"));
      return;
    }
    default: {
      const auto& a = attributes_of<UnfoldAttributes>(node);
      expect(node.rank() == source.rank() + 1 && a.axis >= 0 && a.axis < source.rank(), node, "the axis is wrong");
      expect(a.stride >= 1 && a.dilation >= 1 && node.shape.back() == a.size, node, "the window is wrong");
      for (int axis = 0; axis < source.rank(); ++axis)
        expect(axis == a.axis || node.shape[axis] == source.shape[axis], node, cat("axis ", axis, " changed"));
    }
  }
}

void verify_concat(const Node& node) {
  const int along = attributes_of<ConcatAttributes>(node).axis;
  expect(along >= 0 && along < node.rank(), node, "the axis is wrong");
  Dim length = 0;
  for (const Node* source : node.sources) {
    expect(source->rank() == node.rank(), node, "sources differ in rank");
    for (int axis = 0; axis < node.rank(); ++axis)
      expect(axis == along || source->shape[axis] == node.shape[axis], node, cat("axis ", axis, " differs"));
    length += source->shape[along];
  }
  expect(length == node.shape[along], node, "the sizes do not add up");
}

void verify_gather(const Node& node) {
  const int along = attributes_of<GatherAttributes>(node).axis;
  const Node &x = *node.sources[0], &indices = *node.sources[1];
  expect(along >= 0 && along < x.rank(), node, "the axis is wrong");
  expect(node.shape == indices.shape && x.rank() == node.rank(), node, cat("takes by indices of shape ", to_string(indices.shape)));
  for (int axis = 0; axis < node.rank(); ++axis)
    expect(axis == along || x.shape[axis] == node.shape[axis], node, cat("axis ", axis, " differs"));
}

void verify_scatter(const Node& node) {
  const int along = attributes_of<GatherAttributes>(node).axis;
  const Node &x = *node.sources[0], &indices = *node.sources[1], &updates = *node.sources[2];
  expect(along >= 0 && along < x.rank(), node, "the axis is wrong");
  expect(!combination(node.op) || (!is_bool(node.dtype) && info(node.dtype).computes_in == node.dtype), node,
         "combines in a dtype other than the one it computes in");
  expect(node.shape == x.shape, node, "the shape changed");
  expect(updates.shape == indices.shape && x.rank() == updates.rank(), node,
         cat("has updates of shape ", to_string(updates.shape), " by indices of shape ", to_string(indices.shape)));
  for (int axis = 0; axis < node.rank(); ++axis)
    expect(axis == along || x.shape[axis] == updates.shape[axis], node, cat("axis ", axis, " differs"));
}

void verify_leaf(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return expect(node.rank() == 0 && attributes_of<ConstantAttributes>(node).value.dtype == node.dtype, node, "no scalar");
    case Op::kConstantArray:
      return expect(element_count(node.shape) * Dim(static_cast<int64_t>(size_of(node.dtype))) ==
                        Dim(static_cast<int64_t>(attributes_of<ArrayAttributes>(node).data->size())),
                    node, "the byte count of the data does not match the node's shape and dtype");
    case Op::kArange: return expect(node.rank() == 1 && node.dtype == DType::kI32, node, "is not an i32 vector");
    case Op::kSize:
      attributes_of<SizeAttributes>(node);
      return expect(node.rank() == 0 && node.dtype == DType::kI64, node, "is not an i64 scalar");
    default: attributes_of<InputAttributes>(node);
  }
}

void verify_routine(const Node& node) {
  Shape rows = node.sources[0]->shape;
  expect(!rows.empty(), node, "a scalar has no rows");
  for (const Node* source : node.sources) expect(source->shape == rows, node, "the sources have different shapes");
  if (node.op == Op::kArgSort) expect(node.dtype == DType::kI64, node, "is not an array of i64");
  if (node.op == Op::kSort) attributes_of<SortAttributes>(node);
  if (node.op == Op::kDft) {
    rows.insert(rows.begin(), 2);
  } else if (!node.shape.empty()) {  // a sort may keep only the first elements of each row (schedule/shorten_sorts.h)
    expect(!proven_less(rows.back(), node.shape.back()), node, "the rows became longer");
    rows.back() = node.shape.back();
  }
  expect(node.shape == rows, node, "the shape changed");
}

void verify_custom(const Node& node) {
  const auto& a = attributes_of<CustomAttributes>(node);
  expect(a.body != nullptr && static_cast<size_t>(a.body->results) == a.dtypes.size(), node, "the body gives another number of results");
  expect(std::equal(a.dtypes.begin(), a.dtypes.end(), a.body->variables.begin()), node, "the body gives results of other dtypes");
  expect(a.result >= 0 && a.result < a.body->results, node, "the body does not give this result");
  expect(a.dtypes[static_cast<size_t>(a.result)] == node.dtype, node, "the body gives another dtype");
  for (const BodyExpression& e : a.body->expressions) {
    if (e.kind != BodyKind::kLoad) continue;
    expect(e.array >= 0 && static_cast<size_t>(e.array) < node.sources.size(), node, "the body reads an input that it does not have");
    const Node& array = *node.sources[static_cast<size_t>(e.array)];
    expect(e.dtype == array.dtype && e.operands.size() == array.shape.size(), node, "the body reads an input as another array");
  }
}

void verify_native(const Node& node) {
  const auto& a = attributes_of<NativeAttributes>(node);
  for (const NativeParameter& p : a.parameters) {
    if (p.kind == NativeParameter::kInput)
      expect(p.input >= 0 && static_cast<size_t>(p.input) < node.sources.size(), node, "is called with an input that it does not have");
    // The pass of split_complex.h replaces complex arrays by arrays of floats, but does not change the parameters of native functions. So a
    // parameter may be complex although the array has the corresponding float dtype.
    if (p.kind == NativeParameter::kInput || p.kind == NativeParameter::kOutput) {
      const DType array = p.kind == NativeParameter::kOutput ? node.dtype : node.sources[static_cast<size_t>(p.input)]->dtype;
      expect(p.dtype == array || real_dtype(p.dtype) == array, node, "passes an array of another dtype");
    }
  }
}

void verify_node(const Node& node) {
  verify_sources(node);
  check_shape("verify", *node.graph, node.dtype, node.shape);
  switch (info(node.op).family) {
    case Family::kLeaf: return verify_leaf(node);
    case Family::kElementwise: return verify_elementwise(node);
    case Family::kConvert: return verify_convert(node);
    case Family::kReduce: return verify_reduce(node);
    case Family::kScan: return verify_scan(node);
    case Family::kMovement: return verify_movement(node);
    case Family::kJoin: return verify_concat(node);
    case Family::kGather: return verify_gather(node);
    case Family::kRoutine: return verify_routine(node);
    case Family::kScatter: return verify_scatter(node);
    case Family::kCustom: return verify_custom(node);
    case Family::kNative: return verify_native(node);
    case Family::kParts: return verify_parts(node);
    case Family::kCopy:
      if (node.op == Op::kCheckIndex) attributes_of<CheckAttributes>(node);
      return expect(node.shape == node.sources[0]->shape, node, "the shape changed");
  }
}

}  // namespace

void verify(const Graph& graph) {
  for (const GraphOutput& output : graph.outputs())
    HARP_ASSERT(output.node->graph == &graph, "output \"", output.name, "\" is a node of another graph");
  for (const Node* node : graph.live_nodes()) {
    HARP_ASSERT(node->graph == &graph, "graph \"", graph.name(), "\" has node ", node->id, " of graph \"", node->graph->name(), "\"");
    verify_node(*node);
  }
}

}  // namespace harp
