// The small loop language of custom functions: what is computed for one element of the result, with loops, variables and loads at any
// index. docs/text-format.md has the grammar. An ElementBody is its syntax tree, checked and typed: the interpreter walks it, lowering
// makes loops and expressions of it. It knows its arrays by number and their sizes by axis, so that it stays what it is whatever the sizes
// become.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace harp {

enum class BodyKind : uint8_t {
  kConstant,  // `value`
  kPosition,  // i64: the element's index along axis `axis` of the result
  kSize,      // i64: the size of axis `axis` of `array`
  kVariable,  // variable number `variable`
  kLoad,      // element [operands…] of input `array`
  kApply,     // `op`, elementwise or a cast, of the operands
};

/// A node of an expression. Operands have smaller numbers.
struct BodyExpression {
  BodyKind kind;
  DType dtype;
  Scalar value = {};
  int axis = -1;
  int array = -1;  // an input; of kSize also the result: ElementBody::kOutput
  int variable = -1;
  Op op = Op::kAdd;
  std::vector<int> operands = {};
  std::vector<bool> is_inside = {};  // kLoad: is the index along this axis inside the array, whatever the sizes are?
  int site = 0;                      // kLoad: how many axes of earlier loads have to be checked
  int depth = 1;
};

struct BodyStatement {
  enum Kind : uint8_t {
    kSet,  // variable = value
    kFor,  // variable = value, value + 1, … end - 1, both computed before the loop
    kIf,   // value is a bool
  } kind;
  int variable = -1;
  int value = -1, end = -1;  // expressions
  std::vector<BodyStatement> body = {}, otherwise = {};
};

struct ElementBody {
  static constexpr int kOutput = -1;  // an array
  static constexpr size_t kMostInlined = 200;
  static constexpr int kResult = 0;  // the variable whose last value is the element; it begins as 0

  std::vector<BodyExpression> expressions;
  std::vector<BodyStatement> statements;
  std::vector<DType> variables;
  int sites = 0;  // axes of loads whose index has to be checked
  bool has_loop = false;

  /// Is an element an expression of elements that are there? Such a function is computed wherever it is used.
  bool is_expression() const { return !has_loop && sites == 0 && expressions.size() <= kMostInlined; }
};

/// What the body of a function of these inputs says that gives an array of this type. Error{kParse, kDType, kShape, kRange} with line and
/// column.
std::shared_ptr<const ElementBody> parse_body(std::string_view text, std::span<const Node* const> inputs, DType dtype, const Shape& shape);

/// The words of a site, for a message: `axis 1 of input 0`.
struct BodySite {
  int input, axis;
};
std::vector<BodySite> sites_of(const ElementBody& body);

namespace build {

/// An array of this type whose elements are computed by the body, from inputs of this graph, if there are any. (body_parser.cpp)
const Node* custom_function(Graph& graph, std::span<const Node* const> inputs, std::string_view body, DType dtype, Shape shape);

}  // namespace build
}  // namespace harp
