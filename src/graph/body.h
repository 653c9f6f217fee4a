// Defines the loop language of custom functions. A body computes one element of each result with loops, variables and loads at any index;
// docs/text-format.md has the grammar. An ElementBody is the checked and typed syntax tree of a body. The interpreter walks the tree, and
// lowering turns it into loops and expressions. The tree refers to arrays by number and to sizes by axis, so it stays valid when sizes
// change.
//
// All results of a call have one shape, and each has its own dtype. A graph has a node for each result, which is a pure function of the
// inputs like any other node: a result that nothing uses is removed, and passes need not know that the call has other results. Backends
// find the other results (result_of_call) in order to run the body once for all of them.
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
  kPosition,  // i64: the element's index along axis `axis` of the results
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
  int array = -1;  // the index of an input; for kSize also ElementBody::kOutput, which means the results
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

/// Tests whether one of these statements of a loop's body exits the loop.
bool has_break(const std::vector<BodyStatement>& statements);

/// An index of a load or store that is checked at run time. A message calls it `axis 1 of input 0`, or names the local array.
struct BodySite {
  int input, axis;
  std::string array = {};  // the name of the local array; "": the index is of input number `input`
};

struct ElementBody {
  static constexpr int kOutput = -1;  // stands for the results where the index of an array is expected
  static constexpr size_t kMaxInlined = 200;
  // Maximum number of elements of all local arrays together. Compiled code keeps these arrays on the stack.
  static constexpr int64_t kMaxElements = 1024;

  int results = 1;  // variables 0 to results - 1 are the results: they begin as 0, and their final values are the elements
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

/// Parses and checks a body that computes arrays of these dtypes and this shape from `inputs`. In the text, a single result is called
/// output, and several results are called output0, output1 … Throws Error{kParse, kDType, kShape, kRange} with line and column.
std::shared_ptr<const ElementBody> parse_body(std::string_view text, std::span<const Node* const> inputs, std::span<const DType> dtypes,
                                              const Shape& shape);

/// Tests whether both nodes are results of one call of a custom function, that is, whether they have the same body and inputs.
bool are_of_one_call(const Node& a, const Node& b);
/// `node` is a result of a call of a custom function. Returns the node of result number `result` of the same call, or null if the graph has
/// no such node because nothing uses that result.
const Node* result_of_call(const Node& node, int result);

namespace build {

/// Makes one array of this shape for each of the dtypes; the body computes their elements. The inputs, if any, are nodes of `graph`.
std::vector<const Node*> custom_function(Graph& graph, std::span<const Node* const> inputs, std::string_view body,
                                         std::span<const DType> dtypes, const Shape& shape);

}  // namespace build
}  // namespace harp
