// The loop language of custom functions. A body computes one element of the result with loops, variables and loads at any index;
// docs/text-format.md has the grammar. An ElementBody is the checked and typed syntax tree of a body. The interpreter walks it, and
// lowering turns it into loops and expressions. It refers to arrays by number and to sizes by axis, so it stays valid when sizes change.
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

/// An expression node. Its operands have smaller numbers.
struct BodyExpression {
  BodyKind kind;
  DType dtype;
  Scalar value = {};
  int axis = -1;
  int array = -1;  // the number of an input; kSize: also ElementBody::kOutput, the result
  int variable = -1;
  Op op = Op::kAdd;
  std::vector<int> operands = {};
  std::vector<bool> is_inside = {};  // kLoad, per axis: the index is inside the array for all sizes
  int site = 0;                      // kLoad: number of the first index check of this load in the body
  int depth = 1;
};

struct BodyStatement {
  enum Kind : uint8_t {
    kSet,  // variable = value
    kFor,  // variable = value, value + 1, … end - 1; both bounds are computed before the loop
    kIf,   // runs `body` if the bool `value` is true, else `otherwise`
  } kind;
  int variable = -1;
  int value = -1, end = -1;  // numbers of expressions
  std::vector<BodyStatement> body = {}, otherwise = {};
};

struct ElementBody {
  static constexpr int kOutput = -1;  // the number of the result array
  static constexpr size_t kMaxInlined = 200;
  static constexpr int kResult = 0;  // the variable whose final value is the element; its initial value is 0

  std::vector<BodyExpression> expressions;
  std::vector<BodyStatement> statements;
  std::vector<DType> variables;
  int sites = 0;  // the number of load axes whose index is checked at run time
  bool has_loop = false;

  /// Tests whether an element is one expression without checked indices, small enough that every consumer of such a function computes it
  /// inline.
  bool is_expression() const { return !has_loop && sites == 0 && expressions.size() <= kMaxInlined; }
};

/// Parses and checks a body that computes an array of this dtype and shape from `inputs`. Error{kParse, kDType, kShape, kRange} with line
/// and column.
std::shared_ptr<const ElementBody> parse_body(std::string_view text, std::span<const Node* const> inputs, DType dtype, const Shape& shape);

/// A load axis whose index is checked. A message names it as `axis 1 of input 0`.
struct BodySite {
  int input, axis;
};
std::vector<BodySite> sites_of(const ElementBody& body);

namespace build {

/// An array of this dtype and shape whose elements the body computes. The inputs, if any, are nodes of `graph`. (body_parser.cpp)
const Node* custom_function(Graph& graph, std::span<const Node* const> inputs, std::string_view body, DType dtype, Shape shape);

}  // namespace build
}  // namespace harp
