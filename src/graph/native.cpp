// Parses the signatures of native functions (native.h has their grammar), and builds the nodes that call them.
#include "graph/native.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "graph/build.h"
#include "graph/check.h"
#include "graph/text_values.h"

namespace harp {
namespace {

constexpr size_t kMaxParameters = 256, kMaxInputs = 256, kMaxText = size_t{1} << 16;

bool is_size(DType dtype) { return dtype == DType::kI32 || dtype == DType::kU32 || dtype == DType::kI64 || dtype == DType::kU64; }

class SignatureParser {
 public:
  SignatureParser(Graph& graph, std::span<const Node* const> inputs, const build::NativeCall& call)
      : c_(call.signature), graph_(graph), inputs_(inputs), call_(call), is_passed_(inputs.size(), false) {}

  NativeAttributes run() {
    NativeAttributes result{std::string(call_.name), call_.function, call_.user, c_.sees("i32"), {}};
    if (!c_.accept("i32") && !c_.accept("void")) c_.fail_expected("what the function returns, void or i32");
    c_.expect("(");
    while (!c_.accept(")")) {
      if (!result.parameters.empty()) {
        if (!c_.accept(",")) c_.fail_expected("\",\" or \")\"");
      }
      if (result.parameters.size() == kMaxParameters) c_.fail_here(cat("too many parameters; at most ", kMaxParameters, " are allowed"));
      result.parameters.push_back(parameter());
    }
    c_.skip_newlines();
    if (!c_.sees(text::TokenKind::kEnd)) c_.fail_expected("the end of the signature");
    for (size_t i = 0; i < inputs_.size(); ++i)
      HARP_CHECK(is_passed_[i], Code::kInvalidArgument, "input", i, " is not passed to the function");
    HARP_CHECK(is_output_passed_, Code::kInvalidArgument, "the output is not passed to the function");
    return result;
  }

 private:
  NativeParameter parameter() {
    const text::Token type = c_.peek();
    if (c_.accept("void")) {
      c_.expect("*");
      c_.expect("user");
      return {NativeParameter::kUser};
    }
    const DType dtype = text::parse_dtype(c_);
    if (c_.accept("*")) return array(dtype, type.offset);
    if (is_size(dtype)) return size(dtype);
    if (dtype == DType::kF32 || dtype == DType::kF64) return number(dtype);
    c_.fail_token(type.offset, cat("a parameter cannot be a single ", name(dtype), "; expected an array (", name(dtype),
                                   "*), a size (i32, u32, i64, u64) or a number (f32, f64)"));
  }

  /// Returns N of a name such as input12, or -1 if the name does not have this form.
  static int64_t input_number(std::string_view name) {
    constexpr std::string_view kPrefix = "input";
    if (!name.starts_with(kPrefix)) return -1;
    const std::string_view digits = name.substr(kPrefix.size());
    int64_t number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range) return std::numeric_limits<int64_t>::max();
    return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
  }
  size_t checked_input(const text::Token& token, int64_t number) const {
    if (static_cast<uint64_t>(number) >= inputs_.size())
      c_.fail_token(token.offset,
                    cat(token.text.substr(0, 40), ", but there ",
                        inputs_.size() == 1 ? std::string("is only input0") : cat("are only input0 to input", inputs_.size() - 1)));
    return static_cast<size_t>(number);
  }

  NativeParameter array(DType dtype, size_t offset) {
    const text::Token token = c_.peek();
    if (token.kind != text::TokenKind::kName) c_.fail_expected("input0, input1 ... or output");
    const int64_t number = input_number(token.text);
    if (number < 0 && token.text != "output") c_.fail_expected("input0, input1 ... or output");
    c_.next();
    if (number < 0) {
      check_dtype(offset, "output", dtype, call_.dtype, "");
      is_output_passed_ = true;
      return {NativeParameter::kOutput, dtype};
    }
    const size_t input = checked_input(token, number);
    check_dtype(offset, token.text, dtype, inputs_[input]->dtype, cat(" (", label(inputs_[input]), ")"));
    is_passed_[input] = true;
    return {NativeParameter::kInput, dtype, static_cast<int>(input)};
  }
  void check_dtype(size_t offset, std::string_view array, DType said, DType is, std::string_view note) const {
    if (said == is) return;
    c_.at(offset, [&] { fail(Code::kDType, array, " is passed as ", name(said), "*, but has dtype ", name(is), note); });
  }

  NativeParameter size(DType dtype) {
    const size_t offset = c_.peek().offset;
    NativeParameter result{NativeParameter::kSize, dtype};
    result.size = text::parse_dim(c_, graph_.dims(), false, [this](text::Cursor&) { return axis(); });
    c_.at(offset, [&] { check_expression("native", graph_, result.size, "the size"); });
    const SymRange may_be = native_size_range(dtype);
    if (result.size.is_constant() && (result.size.constant() < may_be.lo || result.size.constant() > may_be.hi))
      c_.at(offset, [&] { fail(Code::kRange, "the size ", result.size.constant(), " does not fit ", name(dtype)); });
    return result;
  }

  /// Parses the size of an axis, written as input0[1] or output[0]. Returns nothing if something else comes next.
  std::optional<Dim> axis() {
    const text::Token token = c_.peek();
    const int64_t number = input_number(token.text);
    if (!c_.sees("[", 1) || (number < 0 && token.text != "output")) return std::nullopt;
    const Shape& shape = number < 0 ? call_.shape : inputs_[checked_input(token, number)]->shape;
    c_.next();
    c_.expect("[");
    const size_t offset = c_.peek().offset;
    const bool negative = c_.accept("-");
    const int64_t axis = c_.expect_integer(negative);
    c_.expect("]");
    const int64_t rank = static_cast<int64_t>(shape.size()), along = axis < 0 ? axis + rank : axis;
    if (along < 0 || along >= rank)
      c_.at(offset, [&] { fail(Code::kShape, token.text, " has no axis ", axis, ": its shape is ", to_string(shape)); });
    return shape[static_cast<size_t>(along)];
  }

  NativeParameter number(DType dtype) {
    const size_t offset = c_.peek().offset;
    const Literal literal = text::parse_literal(c_);
    if (literal.kind == Literal::kTyped || literal.kind == Literal::kBool)
      c_.fail_token(offset,
                    cat("expected a number without a dtype, such as 0.5, found a ",
                        literal.kind == Literal::kBool ? "bool" : "number with a dtype", "; the parameter has dtype ", name(dtype)));
    NativeParameter result{NativeParameter::kNumber, dtype};
    result.number = c_.at(offset, [&] { return to_scalar("native", literal, dtype); });
    return result;
  }

  text::Cursor c_;
  Graph& graph_;
  const std::span<const Node* const> inputs_;
  const build::NativeCall& call_;
  std::vector<bool> is_passed_;
  bool is_output_passed_ = false;
};

std::string print(const NativeParameter& p) {
  switch (p.kind) {
    case NativeParameter::kInput: return cat(name(p.dtype), "* input", p.input);
    case NativeParameter::kOutput: return cat(name(p.dtype), "* output");
    case NativeParameter::kSize: return cat(name(p.dtype), " ", to_string(p.size));
    case NativeParameter::kNumber: return cat(name(p.dtype), " ", to_string(p.number));
    case NativeParameter::kUser: return "void* user";
  }
  return {};
}

}  // namespace

std::string native_signature(const NativeAttributes& attributes) {
  return cat(attributes.returns_status ? "i32" : "void", "(", join(attributes.parameters, ", ", print), ")");
}

SymRange native_size_range(DType dtype) {
  constexpr int64_t kWide = int64_t{1} << 62;
  switch (dtype) {
    case DType::kI32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case DType::kU32: return {0, std::numeric_limits<uint32_t>::max()};
    case DType::kI64: return {-kWide, kWide};
    case DType::kU64: return {0, kWide};
    default: fail(Code::kInternal, "a size is passed to a native function as an integer, not as ", name(dtype));
  }
}

void check_native_functions(const Graph& graph) {
  for (const Node* node : graph.live_nodes())
    if (is_native(node->op))
      HARP_CHECK(node->as<NativeAttributes>().function != nullptr, Code::kUnsupported, graph.describe(node),
                 ": its function is unknown, because the text format does not store addresses; build the node with harp_native");
}

std::string native_label(std::string_view name) { return cat("native \"", name, "\""); }
std::string native_failure(std::string_view name, int32_t status) {
  return cat(native_label(name), ": the function returned ", status, ", expected 0");
}

namespace build {

const Node* native_exactly(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call) {
  constexpr std::string_view op = name(Op::kNative);
  HARP_CHECK(inputs.size() <= kMaxInputs, Code::kInvalidArgument, op, ": ", inputs.size(), " inputs; at most ", kMaxInputs, " are allowed");
  HARP_CHECK(!call.name.empty(), Code::kInvalidArgument, op, ": the name is empty");
  HARP_CHECK(call.signature.size() <= kMaxText, Code::kInvalidArgument, op, ": the signature has ", call.signature.size(),
             " bytes; at most ", kMaxText, " are allowed");
  for (const Node* input : inputs)
    HARP_CHECK(&check_node(op, input) == &graph, Code::kInvalidArgument, op, ": the inputs belong to another graph");
  check_dtype(op, call.dtype);
  check_shape(op, graph, call.dtype, call.shape);
  try {
    NativeAttributes attributes = SignatureParser(graph, inputs, call).run();
    return graph.intern(Op::kNative, call.dtype, call.shape, {inputs.begin(), inputs.end()}, std::move(attributes));
  } catch (const Error& e) {
    throw Error(e.code, cat(op, " \"", call.name.substr(0, 100), "\", signature: ", e.message));
  }
}

const Node* native(Graph& graph, std::span<const Node* const> inputs, const NativeCall& call) {
  HARP_CHECK(call.function != nullptr, Code::kInvalidArgument, "native \"", call.name.substr(0, 100), "\": the function is NULL");
  std::vector<const Node*> plain(inputs.begin(), inputs.end());
  for (const Node*& input : plain)
    if (input != nullptr && is_bool(input->dtype)) input = contiguous(input);
  const Node* node = native_exactly(graph, plain, call);
  return is_bool(node->dtype) ? contiguous(node) : node;
}

}  // namespace build
}  // namespace harp
