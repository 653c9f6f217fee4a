// The parser of the text format.
//
//   file       = [ "harp" integer NL ] { shapes NL } graph
//   shapes     = "shape" variable { "," variable }
//   variable   = name [ "in" bound ".." bound ]                 bounds default to 0..2147483647
//   graph      = "graph" name "(" [ input { "," input } ] ")" [ "flags" "=" "[" { "broadcast" | "promote" } "]" ]
//                "{" { statement NL } "return" [ output { "," output } ] NL "}"
//   input      = name ":" dtype "[" [ (variable | dim) { "," (variable | dim) } ] "]"
//   statement  = shapes | name { "," name } "=" expression
//   output     = name [ "=" expression ]
//   expression = Python's comparison, | ^ & << >> + - * / // % @, unary - + ~, with Python's precedence; comparisons do not chain
//   primary    = literal | name | call | "(" expression ")"
//   call       = operation "(" [ argument { "," argument } ] ")"
//   argument   = [ parameter "=" ] value                        which value, says the parameter's kind (operations.h)
//   value      = expression | "none" | dim | list | number | word | "text"
//
// Literals, lists and arrays: text_values.cpp; dimension expressions: text_dims.cpp. Names may be written in quotes. A number without dtype
// takes the dtype of the typed operand beside it. Every construct that nests counts towards one depth limit; everything else is a loop, so
// that a statement list or a sum may be as long as it likes.
#include <array>
#include <unordered_map>

#include "graph/arguments.h"
#include "graph/operations.h"
#include "graph/text.h"
#include "graph/text_values.h"

namespace harp {
namespace {

using text::Cursor;
using text::Token;
using text::TokenKind;

constexpr int64_t kVersion = 1;

struct Value {
  const Node* node = nullptr;  // or a literal that still needs a dtype
  Literal literal;
  size_t offset = 0;
};

struct Infix {
  std::string_view symbol;
  int level;
  std::string_view operation;
};
constexpr int kComparison = 1;
constexpr Infix kInfix[] = {
    {"<", kComparison, "lt"},  {"<=", kComparison, "le"}, {">", kComparison, "gt"}, {">=", kComparison, "ge"}, {"==", kComparison, "eq"},
    {"!=", kComparison, "ne"}, {"|", 2, "bitwise_or"},    {"^", 3, "bitwise_xor"},  {"&", 4, "bitwise_and"},   {"<<", 5, "left_shift"},
    {">>", 5, "right_shift"},  {"+", 6, "add"},           {"-", 6, "sub"},          {"*", 7, "mul"},           {"/", 7, "div"},
    {"//", 7, "floor_divide"}, {"%", 7, "remainder"},     {"@", 7, "matmul"},
};

class Parser {
 public:
  explicit Parser(std::string_view source, std::span<const Operation> more = {}) : c_(source), more_(more) {}

  std::unique_ptr<Graph> run() {
    c_.skip_newlines();
    parse_version();
    // Variables declared before the graph fix their order; they move into its table.
    graph_ = std::make_unique<Graph>();
    while (c_.sees("shape")) parse_shapes();
    parse_header();
    while (!c_.sees("return")) {
      if (c_.sees("}") || c_.sees(TokenKind::kEnd)) c_.fail_expected("a statement or \"return\"");
      c_.sees("shape") && !c_.sees("=", 1) && !c_.sees(",", 1) ? parse_shapes() : parse_statement();
    }
    parse_return();
    c_.expect("}");
    c_.skip_newlines();
    if (!c_.sees(TokenKind::kEnd)) c_.fail_expected("the end of the text");
    return std::move(graph_);
  }

 private:
  void parse_version() {
    if (!c_.accept("harp")) return;
    const size_t offset = c_.peek().offset;
    const int64_t version = c_.expect_integer();
    if (version < 1 || version > kVersion)
      c_.fail_token(offset, cat("the text is of version ", version, "; this harp reads up to ", kVersion));
    if (!c_.sees(TokenKind::kNewline)) c_.fail_expected("the end of the line");
    c_.skip_newlines();
  }

  void parse_shapes() {
    c_.expect("shape");
    do text::parse_variable(c_, graph_->dims());
    while (c_.accept(","));
    c_.expect_end_of_line();
  }

  void parse_header() {
    if (!c_.sees("graph")) c_.fail_expected("\"graph\"");
    c_.next();
    const std::string name = c_.expect_name("the graph's name");
    struct Input {
      size_t offset;
      std::string name;
      DType dtype;
      Shape shape;
    };
    std::vector<Input> inputs;
    c_.expect("(");
    while (!c_.sees(")")) {
      Input input{c_.peek().offset, c_.expect_name("the name of an input"), DType::kF32, {}};
      c_.expect(":");
      input.dtype = text::parse_dtype(c_);
      c_.expect("[");
      while (!c_.sees("]")) {
        const bool states_bounds = c_.sees(TokenKind::kName) && c_.sees("in", 1);
        input.shape.push_back(states_bounds ? text::parse_variable(c_, graph_->dims()) : text::parse_dim(c_, graph_->dims(), true));
        if (!c_.accept(",") && !c_.sees("]")) c_.fail_expected("\",\" or \"]\"");
      }
      c_.expect("]");
      inputs.push_back(std::move(input));
      if (!c_.accept(",") && !c_.sees(")")) c_.fail_expected("\",\" or \")\"");
    }
    c_.expect(")");
    const GraphOptions options = parse_flags();
    c_.skip_newlines();
    c_.expect("{");
    c_.skip_newlines();

    graph_ = std::make_unique<Graph>(options, name, graph_->shared_dims());
    for (const Input& input : inputs) {
      const Node* node = c_.at(input.offset, [&] { return graph_->add_input(input.name, input.dtype, input.shape); });
      names_.emplace(input.name, node);
    }
  }

  GraphOptions parse_flags() {
    GraphOptions options;
    if (!c_.accept("flags")) return options;
    c_.expect("=");
    c_.expect("[");
    while (!c_.accept("]")) {
      if (c_.accept("broadcast"))
        options.broadcast = true;
      else if (c_.accept("promote"))
        options.promote = true;
      else
        c_.fail_expected("a flag (broadcast, promote)");
      if (!c_.accept(",") && !c_.sees("]")) c_.fail_expected("\",\" or \"]\"");
    }
    return options;
  }

  void parse_statement() {
    struct Target {
      std::string name;
      size_t offset;
    };
    std::vector<Target> targets;
    do {
      const size_t offset = c_.peek().offset;
      targets.push_back({c_.expect_name("a name"), offset});
      if (names_.contains(targets.back().name)) c_.fail_token(offset, cat("the name ", text::quote(targets.back().name), " is taken"));
    } while (c_.accept(","));
    c_.expect("=");

    const size_t offset = c_.peek().offset;
    const Operation* operation = c_.sees(TokenKind::kName) && c_.sees("(", 1) ? find(c_.peek().text) : nullptr;
    std::vector<const Node*> results;
    if (operation != nullptr && operation->has_results)
      results = parse_call(*operation);
    else
      results = {typed(parse_expression())};
    if (results.size() != targets.size())
      c_.fail_token(offset, cat("the right side gives ", results.size(), " results for ", targets.size(), " names"));
    for (size_t i = 0; i < results.size(); ++i) {
      if (!names_.emplace(targets[i].name, results[i]).second)
        c_.fail_token(targets[i].offset, cat("the name ", text::quote(targets[i].name), " is taken"));
      graph_->set_node_name(results[i], targets[i].name);
    }
    c_.expect_end_of_line();
  }

  void parse_return() {
    c_.expect("return");
    if (!c_.sees(TokenKind::kNewline) && !c_.sees("}")) {
      do {
        c_.skip_newlines();  // a list of outputs may go on after a comma
        const Token token = c_.peek();
        const std::string name = c_.expect_name("the name of an output");
        const Node* node = c_.accept("=") ? typed(parse_expression()) : variable(name, token.offset);
        c_.at(token.offset, [&] { graph_->add_output(name, node); });
      } while (c_.accept(","));
    }
    c_.expect_end_of_line();
  }

  const Node* variable(const std::string& name, size_t offset) {
    const auto found = names_.find(name);
    if (found == names_.end()) c_.fail_token(offset, cat("unknown name ", text::quote(name)));
    return found->second;
  }

  const Node* typed(const Value& value) {
    if (value.node == nullptr)
      c_.fail_token(value.offset, cat("the number ", value.literal.negative ? "-" : "", value.literal.text,
                                      " has no dtype here: write it as f32(…), f64(…), i32(…), i64(…) or bool(…)"));
    return value.node;
  }
  const Node* with_dtype(const Value& value, DType dtype) {
    if (value.node != nullptr) return value.node;
    return c_.at(value.offset, [&] { return build::constant(*graph_, to_scalar("number", value.literal, dtype)); });
  }

  Value parse_expression(int level = kComparison) {
    Cursor::Nested nested(c_);
    Value left = parse_unary();
    while (const Infix* infix = see_infix(level)) {
      const size_t offset = c_.next().offset;
      const Value right = parse_expression(infix->level + 1);
      left = combine(*infix, left, right, offset);
      if (infix->level == kComparison && see_infix(kComparison) != nullptr)
        c_.fail_here("comparisons do not chain; join two of them with &");
    }
    return left;
  }

  const Infix* see_infix(int least_level) const {
    if (!c_.sees(TokenKind::kSymbol)) return nullptr;
    for (const Infix& infix : kInfix)
      if (infix.symbol == c_.peek().text) return infix.level >= least_level ? &infix : nullptr;
    return nullptr;
  }

  Value combine(const Infix& infix, const Value& left, const Value& right, size_t offset) {
    const Operation* operation = find_operation(infix.operation);
    if (left.node == nullptr && right.node == nullptr) typed(left);
    const DType dtype = left.node != nullptr ? left.node->dtype : right.node->dtype;
    const std::array<Argument, 2> operands = {with_dtype(left, dtype), with_dtype(right, dtype)};
    return c_.at(offset, [&] { return Value{operation->build(*graph_, operands)[0], {}, offset}; });
  }

  Value parse_unary() {
    const Token token = c_.peek();
    if (!c_.sees("-") && !c_.sees("+") && !c_.sees("~")) return parse_primary();
    Cursor::Nested nested(c_);
    c_.next();
    Value operand = parse_unary();
    if (token.text == "+") return operand;
    if (token.text == "-" && operand.node == nullptr && operand.literal.kind != Literal::kBool) {
      operand.literal.negative = !operand.literal.negative;
      operand.offset = token.offset;
      return operand;
    }
    const Op op = token.text == "-" ? Op::kNeg : Op::kBitNot;
    return c_.at(token.offset, [&] { return Value{build::elementwise(op, {typed(operand)}), {}, token.offset}; });
  }

  Value parse_primary() {
    const Token token = c_.peek();
    if (auto literal = text::accept_literal(c_)) return {nullptr, *literal, token.offset};
    if (c_.accept("(")) {
      Value inner = parse_expression();
      c_.expect(")");
      return inner;
    }
    if (token.kind == TokenKind::kString) {
      c_.next();
      return {variable(text::unquote(token.text), token.offset), {}, token.offset};
    }
    if (token.kind != TokenKind::kName) c_.fail_expected("an expression");
    if (!c_.sees("(", 1)) {
      c_.next();
      return {variable(std::string(token.text), token.offset), {}, token.offset};
    }
    if (dtype_from_name(token.text)) {
      const Scalar value = text::parse_typed_literal(c_);
      return {c_.at(token.offset, [&] { return build::constant(*graph_, value); }), {}, token.offset};
    }
    const Operation* operation = find(token.text);
    if (operation == nullptr) {
      const std::string_view near = nearest_operation(token.text);
      c_.fail_here(cat("unknown operation ", text::quote(token.text), near.empty() ? "" : cat("; is it ", near, "?")));
    }
    const std::vector<const Node*> results = parse_call(*operation);
    if (results.size() != 1)
      c_.fail_token(token.offset, cat(token.text, " gives ", results.size(), " results; name them in a statement of their own"));
    return {results[0], {}, token.offset};
  }

  const Operation* find(std::string_view name) const {
    for (const Operation& operation : more_)
      if (operation.name == name) return &operation;
    return find_operation(name);
  }

  // Calls. A literal given for an array waits until the other arrays are known.
  struct Given {
    std::vector<Argument> arguments;
    std::vector<size_t> offsets;  // where each was written; 0: it was not
    struct Pending {
      size_t parameter, item;
      Value literal;
    };
    std::vector<Pending> pending;
  };

  std::vector<const Node*> parse_call(const Operation& operation) {
    Cursor::Nested nested(c_);
    const Token name = c_.next();
    const std::span<const Parameter> parameters = operation.parameters();
    Given given{std::vector<Argument>(parameters.size()), std::vector<size_t>(parameters.size(), 0), {}};
    c_.expect("(");
    size_t position = 0;
    bool keywords_began = false;
    while (!c_.sees(")")) {
      size_t index = position;
      if (c_.sees(TokenKind::kName) && c_.sees("=", 1)) {
        const Token keyword = c_.peek();
        for (index = 0; index < parameters.size() && parameters[index].name != keyword.text;) ++index;
        if (index == parameters.size())
          c_.fail_here(cat(name.text, " has no parameter ", text::quote(keyword.text), "; it takes ", list_parameters(parameters)));
        if (given.offsets[index] != 0) c_.fail_here(cat("parameter ", keyword.text, " is given twice"));
        c_.next();
        c_.next();
        keywords_began = true;
      } else if (keywords_began) {
        c_.fail_here("an argument without a name after one with a name");
      } else if (position >= parameters.size()) {
        c_.fail_here(cat(name.text, " takes at most ", parameters.size(), " arguments: ", list_parameters(parameters)));
      } else if (parameters[index].kind != ParameterKind::kNodes) {
        ++position;
      }
      given.offsets[index] = c_.peek().offset;
      parse_argument(parameters[index].kind, index, given);
      if (!c_.accept(",") && !c_.sees(")")) c_.fail_expected("\",\" or \")\"");
    }
    c_.expect(")");
    fill_defaults(name, parameters, given);
    give_dtypes(parameters, given);
    return c_.at(name.offset, [&] {
      try {
        return operation.build(*graph_, given.arguments);
      } catch (const arguments::ArgumentError& e) {
        throw Error(e.code, cat(name.text, ", ", parameters[e.index].name, ": ", e.message));
      }
    });
  }

  static std::string list_parameters(std::span<const Parameter> parameters) {
    return join(parameters, ", ", [](const Parameter& p) { return p.name; });
  }

  void fill_defaults(const Token& name, std::span<const Parameter> parameters, Given& given) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (given.offsets[i] != 0) continue;
      const Parameter& parameter = parameters[i];
      if (parameter.default_text.empty()) c_.fail_token(name.offset, cat(name.text, " needs ", parameter.name));
      if (parameter.default_text == "none") continue;
      Parser text(parameter.default_text);  // the same syntax, in a text of its own
      text.graph_ = std::move(graph_);
      text.parse_argument(parameter.kind, i, given);
      graph_ = std::move(text.graph_);
    }
  }

  void give_dtypes(std::span<const Parameter> parameters, Given& given) {
    if (given.pending.empty()) return;
    const Node* beside = nullptr;
    for (size_t i = 0; i < parameters.size() && beside == nullptr; ++i) {
      if (parameters[i].kind == ParameterKind::kNode)
        if (auto* node = std::get_if<const Node*>(&given.arguments[i])) beside = *node;
      if (auto* nodes = std::get_if<std::vector<const Node*>>(&given.arguments[i]))
        for (const Node* node : *nodes)
          if (beside == nullptr) beside = node;
    }
    for (const Given::Pending& p : given.pending) {
      if (beside == nullptr || parameters[p.parameter].kind == ParameterKind::kCondition) typed(p.literal);
      const Node* node = with_dtype(p.literal, beside->dtype);
      if (auto* nodes = std::get_if<std::vector<const Node*>>(&given.arguments[p.parameter]))
        (*nodes)[p.item] = node;
      else
        given.arguments[p.parameter] = node;
    }
  }

  void parse_argument(ParameterKind kind, size_t index, Given& given) {
    Argument& argument = given.arguments[index];
    if (c_.sees("none") && !c_.sees("(", 1)) {
      c_.next();
      return;
    }
    switch (kind) {
      case ParameterKind::kNode:
      case ParameterKind::kCondition: {
        const Value value = parse_expression();
        if (value.node != nullptr)
          argument = value.node;
        else
          given.pending.push_back({index, 0, value});
        return;
      }
      case ParameterKind::kNodes: {
        if (!std::holds_alternative<std::vector<const Node*>>(argument)) argument = std::vector<const Node*>();
        auto& nodes = std::get<std::vector<const Node*>>(argument);
        const bool in_list = c_.accept("[");
        while (!in_list || !c_.accept("]")) {
          const Value value = parse_expression();
          if (value.node == nullptr) given.pending.push_back({index, nodes.size(), value});
          nodes.push_back(value.node);
          if (!in_list) return;
          if (!c_.accept(",") && !c_.sees("]")) c_.fail_expected("\",\" or \"]\"");
        }
        return;
      }
      case ParameterKind::kInteger:
      case ParameterKind::kSize: argument = text::parse_dim(c_, graph_->dims(), false); return;
      case ParameterKind::kIntegers:
      case ParameterKind::kSizes:
      case ParameterKind::kPadding:
      case ParameterKind::kSections:
        if (c_.sees("["))
          argument = text::parse_size_list(c_, graph_->dims());
        else
          argument = text::parse_dim(c_, graph_->dims(), false);
        return;
      case ParameterKind::kBool:
      case ParameterKind::kNumber:
      case ParameterKind::kLiteral: argument = text::parse_literal(c_); return;
      case ParameterKind::kArray: argument = text::parse_array(c_); return;
      case ParameterKind::kDType:
      case ParameterKind::kWord: argument = c_.expect_name("a word"); return;
    }
  }

  Cursor c_;
  std::span<const Operation> more_;
  std::unique_ptr<Graph> graph_;
  std::unordered_map<std::string, const Node*> names_;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text, std::span<const Operation> more) { return Parser(text, more).run(); }

}  // namespace harp
