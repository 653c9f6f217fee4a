// Builds operations that are defined by an expression such as "x0*x1 + sin(x2)", in the text format's syntax (text_expression.h). The
// inputs are called x0, x1 and so on. The expression is converted to ordinary nodes, so it is fused, folded and differentiated like other
// operations. Any text is safe: an invalid expression is reported as an error.
#include <unordered_set>

#include "base/error.h"
#include "base/utf8.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/text_expression.h"

namespace harp::build {
namespace {

constexpr size_t kMaxInputs = 1000, kMaxText = size_t{1} << 20;

/// Tests whether the node may occur in an expression: each of its elements must be computed from the elements of its sources at the same
/// position. Expand and Reshape are allowed too, because broadcasting inserts them.
bool is_element_by_element(const Node* node) {
  const Family family = info(node->op).family;
  if (family == Family::kElementwise || family == Family::kConvert || family == Family::kParts) return true;
  return node->op == Op::kConstant || node->op == Op::kSize || node->op == Op::kStopGradient || node->op == Op::kExpand ||
         node->op == Op::kReshape;
}

/// Returns the shape that the result must have: the common shape of the inputs that the expression uses.
Shape shape_of_used(NodeRef result, std::span<const NodeRef> inputs) {
  const std::unordered_set<const Node*> given(inputs.begin(), inputs.end());
  std::unordered_set<const Node*> seen = {result};
  std::vector<const Node*> stack = {result};
  Shape shape;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (given.contains(node)) {
      shape = broadcast_shapes(shape, node->shape);
      continue;
    }
    HARP_CHECK(is_element_by_element(node), Code::kInvalidArgument, name(node->op),
               " is not elementwise; an expression may call only elementwise operations");
    for (const Node* source : node->sources)
      if (seen.insert(source).second) stack.push_back(source);
  }
  return shape;
}

NodeRef from_expression(std::string_view op, std::span<const NodeRef> inputs, std::string_view expression) {
  HARP_CHECK(!inputs.empty(), Code::kInvalidArgument, op, ": expected at least one input, got none");
  HARP_CHECK(inputs.size() <= kMaxInputs, Code::kInvalidArgument, op, ": ", inputs.size(), " inputs; at most ", kMaxInputs, " are allowed");
  HARP_CHECK(expression.size() <= kMaxText, Code::kInvalidArgument, op, ": the expression has ", expression.size(), " bytes; at most ",
             kMaxText, " are allowed");
  Graph& graph = check_nodes(op, inputs);
  text::ExpressionParser::Names names;
  for (size_t i = 0; i < inputs.size(); ++i) names.emplace(cat("x", i), inputs[i]);
  try {
    text::Cursor cursor(expression);
    const NodeRef result = text::ExpressionParser(cursor, graph, names, {}).parse();
    if (!cursor.sees(text::TokenKind::kEnd)) cursor.fail_expected("the end of the expression");
    const Shape shape = shape_of_used(result, inputs);
    HARP_CHECK(result->shape == shape, Code::kShape, "the expression has shape ", to_string(result->shape), ", but its inputs have ",
               to_string(shape), "; the two must be equal");
    return result;
  } catch (const Error& e) {
    const std::string inputs_are = inputs.size() == 1 ? "x0" : cat("x0 to x", inputs.size() - 1);
    throw Error(e.code, cat(op, ": \"", utf8_prefix(expression, 200), "\" of ", inputs_are, ": ", e.message));
  }
}

/// How custom_reduce and custom_cumulative combine the values of an expression.
struct Combination {
  std::string_view name;
  NodeRef (*reduce)(NodeRef x, const Axes& axes, bool keepdims);
  Op scan;
};
constexpr Combination kCombinations[] = {
    {"sum", sum, Op::kCumSum}, {"prod", prod, Op::kCumProd}, {"max", max, Op::kCumMax}, {"min", min, Op::kCumMin}};

const Combination& find_combination(std::string_view op, std::string_view name) {
  for (const Combination& combination : kCombinations)
    if (combination.name == name) return combination;
  fail(Code::kInvalidArgument, op, ": op is \"", name, "\"; it must be sum, prod, max or min");
}

}  // namespace

NodeRef custom_elementwise(std::span<const NodeRef> inputs, std::string_view expression) {
  return from_expression("custom_elementwise", inputs, expression);
}

NodeRef custom_reduce(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, const Axes& axes,
                      bool keepdims) {
  constexpr std::string_view op = "custom_reduce";
  const Combination& combination = find_combination(op, combine);
  return combination.reduce(from_expression(op, inputs, expression), axes, keepdims);
}

NodeRef custom_cumulative(std::span<const NodeRef> inputs, std::string_view expression, std::string_view combine, std::optional<int> axis,
                          bool exclusive, bool reverse) {
  constexpr std::string_view op = "custom_cumulative";
  const Combination& combination = find_combination(op, combine);
  return cumulative(combination.scan, from_expression(op, inputs, expression), axis, exclusive, reverse);
}

}  // namespace harp::build
