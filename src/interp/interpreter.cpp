// The interpreter stores values in a table, indexed by node id. It releases a value after its last use, so the memory needed is that of the
// values alive at the same time. Only nodes that an output depends on are evaluated. A call of a custom function with several results is
// evaluated once, for all results that are in use.
#include "interp/interpreter.h"

#include <algorithm>

#include "base/error.h"
#include "base/float_environment.h"
#include "graph/body.h"
#include "interp/custom.h"
#include "interp/evaluate_node.h"

namespace harp {
namespace {

using interp::Array;

/// Returns the number of uses of each node's value, by node id. Being an output counts as a use. A node with 0 uses is dead.
std::vector<uint32_t> count_uses(const Graph& graph) {
  std::vector<uint32_t> uses(graph.nodes().size(), 0);
  for (const GraphOutput& output : graph.outputs()) ++uses[output.node->id];
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (uses[node->id] == 0) continue;
    for (const Node* operand : interp::operands_of(*node)) ++uses[operand->id];
  }
  return uses;
}

/// If the node is a result of a custom function of several results, returns all results of its call that are in use. Empty for other
/// nodes.
std::vector<const Node*> results_in_use(const Node& node, const std::vector<uint32_t>& uses) {
  const auto* custom = std::get_if<CustomAttributes>(&node.attributes);
  if (custom == nullptr || custom->dtypes.size() == 1) return {};
  std::vector<const Node*> results;
  for (size_t i = 0; i < custom->dtypes.size(); ++i)
    if (const Node* result = result_of_call(node, static_cast<int>(i)); result != nullptr && uses[result->id] > 0)
      results.push_back(result);
  return results;
}

/// Returns the value of an input: usually a view of the caller's memory. It is a copy if an output uses the same memory, because other
/// outputs may be views of the input and must not see the new values. It is also a copy if the input has bools whose bytes are not 0 or 1.
Array read_input(const Node& node, const void* data, std::span<void* const> outputs, const interp::Sizes& sizes) {
  const Array array = Array::borrow(node.dtype, sizes.values(node.shape), data);
  const int64_t count = array.count();
  const bool is_output = count > 0 && std::find(outputs.begin(), outputs.end(), data) != outputs.end();
  if (!is_bool(node.dtype)) {
    if (!is_output) return array;
    Array copy = Array::allocate(node.dtype, array.shape);
    interp::copy_elements(array, copy, sizes);
    return copy;
  }
  interp::CancelChecks checks(sizes);
  const auto is_canonical = [&] {
    for (int64_t i = 0; i < count; ++i) {
      checks.count();
      if (array.data[i] > std::byte{1}) return false;
    }
    return true;
  };
  if (!is_output && is_canonical()) return array;
  Array copy = Array::allocate(node.dtype, array.shape);
  for (int64_t i = 0; i < count; ++i) {
    checks.count();
    copy.data[i] = std::byte{array.data[i] != std::byte{0}};
  }
  return copy;
}

}  // namespace

void interpret(const Graph& graph, std::span<const void* const> inputs, std::span<void* const> outputs,
               std::span<const int64_t> shape_values, const volatile int32_t* cancel) {
  HARP_CHECK(inputs.size() == graph.inputs().size() && outputs.size() == graph.outputs().size(), Code::kInvalidArgument, "the graph has ",
             graph.inputs().size(), " inputs and ", graph.outputs().size(), " outputs, got ", inputs.size(), " and ", outputs.size());
  const FloatEnvironment environment;
  const interp::Sizes sizes(graph.dims(), shape_values, cancel);
  sizes.check_cancelled();
  std::vector<uint32_t> uses = count_uses(graph);
  std::vector<Array> values(uses.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = *graph.inputs()[i];
    if (uses[node.id] > 0) values[node.id] = read_input(node, inputs[i], outputs, sizes);
  }

  std::vector<Array> operands;
  std::vector<bool> is_known(uses.size(), false);  // by node id: whether the value was computed together with another result
  for (const Node& node : graph.nodes()) {
    if (uses[node.id] == 0 || node.op == Op::kInput) continue;
    operands.clear();
    for (const Node* operand : interp::operands_of(node)) {
      operands.push_back(values[operand->id]);
      if (--uses[operand->id] == 0) values[operand->id] = Array();
    }
    if (is_known[node.id]) continue;
    sizes.check_cancelled();
    const std::vector<const Node*> results = results_in_use(node, uses);
    if (results.empty()) {
      values[node.id] = interp::evaluate(node, operands, sizes);
      continue;
    }
    std::vector<Array> arrays = interp::evaluate_results(results, operands, sizes);
    for (size_t i = 0; i < results.size(); ++i) {
      values[results[i]->id] = std::move(arrays[i]);
      is_known[results[i]->id] = true;
    }
  }
  sizes.check_cancelled();

  for (size_t i = 0; i < outputs.size(); ++i) {
    const Array& value = values[graph.outputs()[i].node->id];
    if (value.count() > 0) interp::copy_elements(value, Array::borrow(value.dtype, value.shape, outputs[i]), sizes);
  }
}

}  // namespace harp
