// Builds the nodes of a call of a custom function, one for each result (body.h). They differ only in their dtypes and in
// CustomAttributes::result.
#include "base/error.h"
#include "graph/body.h"
#include "graph/check.h"

namespace harp {

bool are_of_one_call(const Node& a, const Node& b) {
  if (!is_custom(a.op) || !is_custom(b.op) || a.sources != b.sources || a.shape != b.shape) return false;
  const auto &of_a = a.as<CustomAttributes>(), &of_b = b.as<CustomAttributes>();
  return of_a.dtypes == of_b.dtypes && of_a.text == of_b.text;
}

const Node* result_of_call(const Node& node, int result) {
  Node other = node;
  auto& attributes = std::get<CustomAttributes>(other.attributes);
  attributes.result = result;
  other.dtype = attributes.dtypes[static_cast<size_t>(result)];
  return node.graph->find(other);
}

namespace build {

std::vector<const Node*> custom_function(Graph& graph, std::span<const Node* const> inputs, std::string_view body,
                                         std::span<const DType> dtypes, const Shape& shape) {
  constexpr std::string_view op = name(Op::kCustom);
  constexpr size_t kMaxText = size_t{1} << 16, kMaxInputs = 256, kMaxResults = 64;
  HARP_CHECK(inputs.size() <= kMaxInputs, Code::kInvalidArgument, op, ": ", inputs.size(), " inputs; at most ", kMaxInputs, " are allowed");
  HARP_CHECK(!dtypes.empty() && dtypes.size() <= kMaxResults, Code::kInvalidArgument, op, ": ", dtypes.size(),
             " results; a function has 1 to ", kMaxResults);
  HARP_CHECK(body.size() <= kMaxText, Code::kInvalidArgument, op, ": the body has ", body.size(), " bytes; at most ", kMaxText,
             " are allowed");
  if (!inputs.empty()) check_nodes(op, inputs);
  for (const Node* input : inputs) {
    check_node(op, input);
    HARP_CHECK(!is_complex(input->dtype), Code::kDType, op, ": ", label(input), " is ", name(input->dtype),
               "; a body computes with real numbers, so pass its real() and imag()");
  }
  for (size_t i = 0; i < dtypes.size(); ++i) {
    check_dtype(op, dtypes[i]);
    HARP_CHECK(!is_complex(dtypes[i]), Code::kDType, op, ": ", dtypes.size() == 1 ? "the result" : cat("result ", i), " cannot be ",
               name(dtypes[i]), "; a body computes with real numbers, so compute the real and imaginary parts separately");
    check_shape(op, graph, dtypes[i], shape);
  }
  std::shared_ptr<const ElementBody> parsed;
  try {
    parsed = parse_body(body, inputs, dtypes, shape);
  } catch (const Error& e) {
    throw Error(e.code, cat(op, ": body: ", e.message));
  }
  std::vector<const Node*> results;
  for (size_t i = 0; i < dtypes.size(); ++i)
    results.push_back(graph.intern(Op::kCustom, dtypes[i], shape, {inputs.begin(), inputs.end()},
                                   CustomAttributes{std::string(body), {dtypes.begin(), dtypes.end()}, static_cast<int>(i), parsed}));
  return results;
}

}  // namespace build
}  // namespace harp
