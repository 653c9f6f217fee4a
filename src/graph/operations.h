// The table of everything the text format can call, one row a name: parameters with their kinds and defaults, and the function
// that builds it. Elementwise rows come from ops.def, the others are written down in operations.cpp; kinds are derived from the
// C++ signatures. The parser works from this table alone, and so can a generator of APIs or documentation.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/composites.h"

namespace harp {

/// A number as it was written; its dtype comes from where it stands. Text is borrowed.
struct Literal {
  enum Kind : uint8_t { kInteger, kReal, kBool, kTyped } kind = kInteger;
  bool negative = false;
  std::string_view text;  // digits without sign, "nan", "inf", "true", "false"
  Scalar typed;           // kTyped: f32(0.5)
};
/// The literal as a scalar of dtype; Error{kRange} if it does not fit, Error{kDType} if it is typed differently.
Scalar to_scalar(std::string_view op, const Literal& literal, DType dtype);

/// Numbers in nested lists: items in row-major order.
struct ArrayLiteral {
  std::vector<int64_t> shape;
  std::vector<Literal> items;
};

/// One entry of a list of sizes: nothing ("none"), a size, or a list of sizes (a padding pair).
using SizeItem = std::variant<std::monostate, Dim, std::vector<Dim>>;

/// A value given to a parameter; monostate is "none".
using Argument =
    std::variant<std::monostate, const Node*, std::vector<const Node*>, Dim, std::vector<SizeItem>, Literal, ArrayLiteral, std::string>;

enum class ParameterKind : uint8_t {
  kNode,       // an expression, or a literal that takes the dtype of the other operands
  kCondition,  // a node that does not decide the dtype of literals
  kIndices,    // nor does this one; a literal is an i64
  kNodes,      // all remaining positional arguments
  kInteger,
  kIntegers,  // a list, or one integer for all axes
  kSize,      // a dimension expression
  kSizes,     // a list of them, entries may be none
  kPadding,   // a list of amounts or [before, after] pairs
  kSections,  // a count or a list of positions
  kBool,
  kNumber,   // a double
  kLiteral,  // a number of the operand's dtype
  kValue,    // such a number, or an expression
  kArray,    // numbers in nested lists
  kDType,
  kWord,  // an identifier or "text"
};

struct Parameter {
  std::string_view name;
  std::string_view default_text;  // in the text format's syntax; empty: must be given
  ParameterKind kind = ParameterKind::kNode;
};

struct Operation {
  static constexpr size_t kMaxParameters = 8;

  std::string_view name;
  std::array<Parameter, kMaxParameters> all_parameters;
  size_t parameter_count;
  bool has_results;  // several: `a, b = split(x, …)`
  std::vector<const Node*> (*function)(Graph&, std::span<const Argument> arguments);

  /// Makes the nodes; errors name this operation.
  std::vector<const Node*> build(Graph& graph, std::span<const Argument> arguments) const;

  std::span<const Parameter> parameters() const { return std::span(all_parameters).first(parameter_count); }
};

/// Sorted by name.
std::span<const Operation> operations();
const Operation* find_operation(std::string_view name);
/// The known name that is most like this one, or "" if none is near.
std::string_view nearest_operation(std::string_view name);

}  // namespace harp
