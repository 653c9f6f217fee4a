// Parses the text format.
//
//   file       = [ "harp" integer NL ] { shapes NL } graph
//   shapes     = "shape" variable { "," variable }
//   variable   = name [ "in" bound ".." bound ]                 bounds default to 0..2147483647
//   graph      = "graph" name "(" [ input { "," input } ] ")" [ "flags" "=" "[" [ flag { "," flag } ] "]" ]
//                "{" { statement NL } "return" [ output { "," output } ] NL "}"
//   flag       = "broadcast" | "promote" | "promote_mixed"
//   input      = name ":" dtype "[" [ (variable | dim) { "," (variable | dim) } ] "]"
//   statement  = shapes | name { "," name } "=" expression
//   output     = name [ "=" expression ]
//   expression = Python's comparison, | ^ & << >> + - * / // % @, unary - + ~, **, with Python's precedence; comparisons do not chain
//   operand    = primary { "[" index { "," index } [ "," ] "]" }
//   index      = [ dim | "none" ] ":" [ dim | "none" ] [ ":" [ integer ] ] | dim | "none" | "None" | "..." | expression
//   primary    = literal | name | call | "(" expression ")"
//   call       = operation "(" [ argument { "," argument } ] ")"
//   argument   = [ parameter "=" ] value                        the parameter's kind decides which value (operations.h)
//   value      = expression | "none" | dim | list | number | word | words | "text"
//
// Literals, lists and arrays are parsed in text_values.cpp, dimension expressions in text_dims.cpp, expressions and calls in
// text_expression.cpp, indices in text_index.cpp. A name in an index denotes a shape variable if there is one of that name; else it denotes
// a node, and the index is an array. Names may be quoted. A number without a dtype takes the dtype of the other operand. All nested
// constructs count towards one depth limit. Everything else is a loop, so lists of statements and sums may have any length.
#include <algorithm>

#include "graph/text.h"
#include "graph/text_expression.h"

namespace harp {
namespace {

using text::Cursor;
using text::ExpressionParser;
using text::Token;
using text::TokenKind;

constexpr int64_t kVersion = 1;

class Parser {
 public:
  explicit Parser(std::string_view source, std::span<const Operation> more) : c_(source), more_(more) {}

  std::unique_ptr<Graph> run() {
    c_.skip_newlines();
    parse_version();
    // Variables that are declared before the graph come first in the order of variables. The empty graph that is made here only owns their
    // table; the final graph takes the table over after the header is parsed.
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
      c_.fail_token(offset, cat("the text has version ", version, ", but this version of harp reads up to ", kVersion));
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
        options.promotion = std::max(options.promotion, Promotion::kArrayApi);
      else if (c_.accept("promote_mixed"))
        options.promotion = Promotion::kMixed;
      else
        c_.fail_expected("a flag (broadcast, promote, promote_mixed)");
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
      if (names_.contains(targets.back().name))
        c_.fail_token(offset, cat("the name ", text::quote(targets.back().name), " is already used"));
    } while (c_.accept(","));
    c_.expect("=");

    const size_t offset = c_.peek().offset;
    const Operation* operation = c_.sees(TokenKind::kName) && c_.sees("(", 1) ? expressions().find(c_.peek().text) : nullptr;
    std::vector<const Node*> results;
    if (operation != nullptr && operation->has_results && call_ends_line())
      results = expressions().parse_call(*operation);
    else
      results = {expressions().parse()};
    if (results.size() != targets.size())
      c_.fail_token(offset, cat("the right side gives ", results.size(), results.size() == 1 ? " result" : " results", " for ",
                                targets.size(), targets.size() == 1 ? " name" : " names"));
    for (size_t i = 0; i < results.size(); ++i) {
      if (!names_.emplace(targets[i].name, results[i]).second)
        c_.fail_token(targets[i].offset, cat("the name ", text::quote(targets[i].name), " is already used"));
      graph_->set_node_name(results[i], targets[i].name);
    }
    c_.expect_end_of_line();
  }

  /// Tests whether the call at the cursor is a whole expression, up to the end of its line.
  bool call_ends_line() const {
    size_t ahead = 1, open = 0;  // begins at the parenthesis after the operation's name
    do {
      if (c_.sees("(", ahead)) ++open;
      if (c_.sees(")", ahead)) --open;
      ++ahead;
    } while (open > 0 && c_.peek(ahead).kind != TokenKind::kEnd);
    const TokenKind after = c_.peek(ahead).kind;
    return after == TokenKind::kNewline || after == TokenKind::kEnd || c_.sees("}", ahead);
  }

  void parse_return() {
    c_.expect("return");
    if (!c_.sees(TokenKind::kNewline) && !c_.sees("}")) {
      do {
        c_.skip_newlines();  // a list of outputs may continue after a comma
        const Token token = c_.peek();
        const std::string name = c_.expect_name("the name of an output");
        const Node* node = c_.accept("=") ? expressions().parse() : expressions().variable(name, token.offset);
        c_.at(token.offset, [&] { graph_->add_output(name, node); });
      } while (c_.accept(","));
    }
    c_.expect_end_of_line();
  }

  ExpressionParser expressions() { return {c_, *graph_, names_, more_}; }

  Cursor c_;
  std::span<const Operation> more_;
  std::unique_ptr<Graph> graph_;
  ExpressionParser::Names names_;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text, std::span<const Operation> more) {
  // The byte order mark in UTF-8, which some editors write at the start of a file.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Parser(text, more).run();
}

}  // namespace harp
