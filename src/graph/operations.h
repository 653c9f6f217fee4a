// The table of all operations that the text format can call, one row per name: the parameters with their kinds and defaults, and the
// function that builds the operation. Elementwise rows come from ops.def, the other rows are in operations.cpp; kinds are derived from the
// C++ signatures. The parser finds all that it needs to know about an operation in this table, and so does a generator of APIs or
// documentation.
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

/// A number as its text; its dtype depends on the context. The literal does not own its text.
struct Literal {
  enum Kind : uint8_t { kInteger, kReal, kBool, kTyped } kind = kInteger;
  bool negative = false;
  std::string_view text;  // digits without sign, "nan", "inf", "true", "false"
  Scalar typed;           // kTyped: f32(0.5)
};
/// Converts the literal to a scalar of `dtype`. Error{kRange} if it does not fit, Error{kDType} if the literal has another dtype.
Scalar to_scalar(std::string_view op, const Literal& literal, DType dtype);

/// Numbers in nested lists; items are in row-major order.
struct ArrayLiteral {
  std::vector<int64_t> shape;
  std::vector<Literal> items;
};

/// An entry of a list of sizes: nothing ("none"), a size, or a list of sizes (a padding pair).
using SizeItem = std::variant<std::monostate, Dim, std::vector<Dim>>;

/// The value that a call gives to a parameter; monostate is "none".
using Argument = std::variant<std::monostate, const Node*, std::vector<const Node*>, Dim, std::vector<SizeItem>, Literal, ArrayLiteral,
                              std::string, std::vector<std::string>>;

enum class ParameterKind : uint8_t {
  kNode,       // an expression, or a literal that takes the dtype of the other operands
  kCondition,  // a node whose dtype does not affect that of literals
  kIndices,    // like kCondition, but a literal is an i64
  kNodes,      // all remaining positional arguments
  kInteger,
  kIntegers,  // a list, or one integer for all axes
  kSize,      // a dimension expression
  kSizes,     // a list of dimension expressions; entries may be none
  kPadding,   // a list of amounts or [before, after] pairs
  kSections,  // a count or a list of positions
  kBool,
  kNumber,   // a double
  kLiteral,  // a number of the operand's dtype
  kValue,    // a number of the operand's dtype, or an expression
  kArray,    // numbers in nested lists
  kDType,
  kDTypes,  // a dtype, or a list of them
  kWord,    // an identifier or "text"
};

struct Parameter {
  std::string_view name;
  std::string_view default_text;  // in the text format's syntax; empty: the parameter is required
  ParameterKind kind = ParameterKind::kNode;
};

struct Operation {
  static constexpr size_t kMaxParameters = 8;

  std::string_view name;
  std::array<Parameter, kMaxParameters> all_parameters;
  size_t parameter_count;
  bool has_results;  // whether it may return several results: `a, b = split(x, …)`
  std::vector<const Node*> (*function)(Graph&, std::span<const Argument> arguments);

  /// Builds the nodes; errors name this operation.
  std::vector<const Node*> build(Graph& graph, std::span<const Argument> arguments) const;

  std::span<const Parameter> parameters() const { return std::span(all_parameters).first(parameter_count); }
};

/// Sorted by name.
std::span<const Operation> operations();
const Operation* find_operation(std::string_view name);
/// The known name that is most similar to this one, or "" if none is similar.
std::string_view nearest_operation(std::string_view name);

}  // namespace harp
