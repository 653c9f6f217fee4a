// The loop language of custom functions. A body computes one element of the result with loops, variables and loads at any index;
// docs/text-format.md has the grammar. An ElementBody is the checked and typed syntax tree of a body. The interpreter walks the tree, and
// lowering turns it into loops and expressions. The tree refers to arrays by number and to sizes by axis, so it stays valid when sizes
// change, for example when a shape variable gets a fixed value.
#pragma once

#include <memory>
#include <span>
#include <string>
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
  kElement,   // element [operand] of the local array that is variable number `variable`
  kApply,     // the result of `op`, which is elementwise or a cast, applied to the operands
};

/// An expression node. Other nodes refer to it by its index in ElementBody::expressions. The indices of its operands are smaller than its
/// own.
struct BodyExpression {
  BodyKind kind;
  DType dtype;
  Scalar value = {};
  int axis = -1;
  int array = -1;  // kLoad, kSize: the number of an input; kSize: ElementBody::kOutput for the result
  int variable = -1;
  Op op = Op::kAdd;
  std::vector<int> operands = {};
  std::vector<bool> is_inside = {};  // kLoad and kElement, per axis: the index is proven to be inside the array for all sizes
  int site = 0;                      // kLoad and kElement: position in ElementBody::sites of this expression's first checked index
  int depth = 1;
};

struct BodyStatement {
  enum Kind : uint8_t {
    kSet,    // variable = value
    kClear,  // sets all elements of the local array `variable` to 0
    kStore,  // sets element `index` of the local array `variable` to value
    kFor,    // runs `body` with variable = value, value + 1, … end - 1; both bounds are computed before the loop
    kWhile,  // runs `body` as long as the bool `value`, computed before each iteration, is true
    kIf,     // runs `body` if the bool `value` is true, else runs `otherwise`
    kBreak,  // leaves the innermost loop; it is always the last statement of its block
  } kind;
  int variable = -1;
  int value = -1, end = -1;  // indices of expressions in ElementBody::expressions
  std::vector<BodyStatement> body = {}, otherwise = {};
  int index = -1;  // kStore: the expression that computes the index of the element
  int site = -1;   // kStore: position of the index in ElementBody::sites; -1: the index needs no check
};

/// An index of a load or store that is checked at run time. An error message calls it `axis 1 of input 0`, or names the local array.
struct BodySite {
  int input, axis;
  std::string array = {};  // the name of the local array; "": the index is of input number `input`
};

struct ElementBody {
  static constexpr int kOutput = -1;  // the value of BodyExpression::array that denotes the result
  static constexpr size_t kMaxInlined = 200;
  /// The local arrays of one body have at most this many elements together, because compiled code keeps them on the stack.
  static constexpr int64_t kMaxElements = 1024;
  /// Number of the variable whose final value is the element of the result; its initial value is 0.
  static constexpr int kResult = 0;

  std::vector<BodyExpression> expressions;
  std::vector<BodyStatement> statements;
  std::vector<DType> variables;
  std::vector<int64_t> lengths;  // by variable number: the length of a local array; 0 for a scalar
  std::vector<BodySite> sites;   // indices that are checked at run time, in the order in which the text has them
  bool has_loop = false, has_arrays = false;

  /// True if the body is a single short expression, without loops, local arrays or run-time index checks. Every consumer of such a function
  /// computes the expression inline instead of reading a stored result.
  bool is_expression() const { return !has_loop && !has_arrays && sites.empty() && expressions.size() <= kMaxInlined; }
};

/// Parses and checks a body that computes an array of this dtype and shape from `inputs`. Throws Error{kParse, kDType, kShape, kRange} with
/// line and column.
std::shared_ptr<const ElementBody> parse_body(std::string_view text, std::span<const Node* const> inputs, DType dtype, const Shape& shape);

namespace build {

/// Returns an array of this dtype and shape whose elements are computed by the body. The inputs, if any, are nodes of `graph`.
/// (body_parser.cpp)
const Node* custom_function(Graph& graph, std::span<const Node* const> inputs, std::string_view body, DType dtype, Shape shape);

}  // namespace build
}  // namespace harp
