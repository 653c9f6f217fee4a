// Parses expressions of the text format: names, literals, calls of operations, Python's operators and indices. Expressions become nodes of
// a graph. The grammar is at the top of text_parser.cpp.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>

#include "graph/text_index.h"
#include "graph/text_values.h"

namespace harp::text {

/// The value of an expression: a node, or a literal that has no dtype yet.
struct Value {
  const Node* node = nullptr;
  Literal literal;
  size_t offset = 0;
};

struct Infix;  // describes an operator, see kInfix in text_expression.cpp

class ExpressionParser {
 public:
  using Names = std::unordered_map<std::string, const Node*>;

  /// Parses at the position of `cursor`. An expression may use the nodes in `names`, and may call the operations in `more` in addition to
  /// those of operations.h.
  ExpressionParser(Cursor& cursor, Graph& graph, const Names& names, std::span<const Operation> more)
      : c_(cursor), graph_(graph), names_(names), more_(more) {}

  /// Parses an expression. Its value must not be a literal without a dtype.
  const Node* parse() { return typed(parse_expression()); }
  /// Parses a call and returns all its results. The cursor is at the name of the operation.
  std::vector<const Node*> parse_call(const Operation& operation);

  const Operation* find(std::string_view name) const;
  const Node* variable(const std::string& name, size_t offset) const;

 private:
  const Node* typed(const Value& value) const;
  const Node* with_dtype(const Value& value, DType dtype) const;

  Value parse_expression(int level = 0);
  const Infix* see_infix(int least_level) const;
  Value combine(const Infix& infix, const Value& left, const Value& right, size_t offset);
  /// Computes an operator on two integers without a dtype, as Python does. Fails if the result does not fit i64.
  Value fold(const Infix& infix, const Value& left, const Value& right, size_t offset);
  Value whole_number(int64_t value, size_t offset);
  Value parse_unary();
  Value parse_power();
  Value parse_indexed();
  Value parse_primary();

  // Functions that parse indices; text_index.cpp defines them.
  IndexItem parse_index_item();
  bool sees_size() const;
  std::optional<Dim> parse_bound();

  // The arguments of a call. A literal that is given for an array is converted after all arguments are parsed, because it gets the dtype of
  // the other arrays.
  struct Given {
    std::vector<Argument> arguments;
    std::vector<size_t> offsets;  // position of each argument in the text; 0: the argument is omitted
    struct Pending {
      size_t parameter, item;
      Value literal;
    };
    std::vector<Pending> pending;
  };

  void fill_defaults(const Token& name, std::span<const Parameter> parameters, Given& given);
  void give_dtypes(std::span<const Parameter> parameters, Given& given) const;
  void parse_argument(ParameterKind kind, size_t index, Given& given);

  Cursor& c_;
  Graph& graph_;
  const Names& names_;
  std::span<const Operation> more_;
  std::deque<std::string> computed_;  // the texts of literals that fold() computed; a Literal does not own its text
};

/// Converts an integer literal to i64. If it does not fit, the error states its position in the text.
int64_t to_i64(const Cursor& cursor, const Value& value);

}  // namespace harp::text
