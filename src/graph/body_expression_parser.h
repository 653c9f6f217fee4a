// Declares the parser of the loop language's expressions (body.h). body_parser.cpp parses the statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/body.h"
#include "graph/operations.h"
#include "graph/text_cursor.h"

namespace harp {

/// Parses expressions and appends them to `body_`. The derived class parses the statements; it declares the variables that expressions may
/// use. A function that returns an int returns the index of an expression in ElementBody::expressions, unless stated otherwise.
class BodyExpressionParser {
 protected:
  /// Declares the results as variables 0, 1 ... Keeps references to the text, the inputs and the shape.
  BodyExpressionParser(std::string_view source, std::span<const Node* const> inputs, std::span<const DType> dtypes, const Shape& shape);

  /// What parsing an expression returns: the index of an expression node, or (if that is -1) a number whose dtype is not known yet.
  struct Value {
    int expression = -1;
    Literal literal = {};
    size_t offset = 0;
  };

  Value expression(int level = 0);
  /// Converts a value to an expression and returns the index of that expression. A literal gets the dtype `wanted`; without `wanted`, a
  /// whole number becomes an i64.
  int typed(const Value& value, std::optional<DType> wanted);
  /// Parses an index of an array, and converts it to an i64.
  int index();
  /// Parses the index of an element of a local array.
  int element_index(const text::Token& array);
  /// Converts an integer to an i64.
  int as_i64(int value, size_t offset);
  const BodyExpression& at(int expression) const { return body_.expressions[static_cast<size_t>(expression)]; }
  /// Tests whether the index is proven to be in 0 … size - 1, so that no check at run time is needed.
  bool is_inside(int index, Dim size) const;
  /// Adds an index that is checked at run time. Returns its position in ElementBody::sites.
  int add_site(BodySite site);
  /// Returns the index of the variable with this name.
  int find(const text::Token& token) const;
  /// Returns N if the name is the prefix followed by a number N, such as input12; else -1.
  static int numbered(std::string_view name, std::string_view prefix);
  bool is_array(int variable) const { return body_.lengths[static_cast<size_t>(variable)] > 0; }
  /// Returns the name by which error messages call the results: "output", or for several results a range such as "output0 to output2".
  std::string results() const { return body_.results == 1 ? "output" : cat(result_names_.front(), " to ", result_names_.back()); }

  /// The bounds of a `for` loop, as indices of expressions. The loop variable runs from `begin` to `end` - 1.
  struct LoopRange {
    bool is_loop = false;
    int begin = -1, end = -1;
  };

  text::Cursor c_;
  const std::span<const Node* const> inputs_;
  const Shape& shape_;
  ElementBody body_;
  std::vector<std::unordered_map<std::string_view, int>> scopes_;  // the variables by their names, in each block around this point
  std::vector<LoopRange> ranges_;                                  // by variable number
  std::vector<std::string> result_names_;

 private:
  struct Infix;
  static const Infix kInfix[];
  static const Infix kPower;

  int add(BodyExpression e, size_t offset);
  const Infix* see_infix(int least) const;
  Value combine(const Infix& infix, const Value& left, const Value& right, size_t offset);
  int apply(Op op, std::vector<int> operands, size_t offset);
  Value unary();
  /// ** binds tighter than a unary sign before it, and looser than a unary sign after it.
  Value power();
  Value primary();
  int named(const text::Token& token);
  /// Returns `input`, the index of an input. Fails if there is no such input.
  int checked_input(const text::Token& token, int input) const;
  int load(const text::Token& token, int input);
  Dim size_of_axis(const BodyExpression& e) const;
  int call(const text::Token& function);
  int convert(const text::Token& function, DType dtype, const std::vector<Value>& values);
  /// Parses the arguments of a call of size(), such as size(input0, 1) or size(output, 0).
  int size_call(const text::Token& function);
};

}  // namespace harp
