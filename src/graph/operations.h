// Declares the table of all operations that the text format can call. Each row has a name, the parameters with their kinds and defaults,
// and the function that builds the operation. The rows of elementwise operations are generated from ops.def; the other rows are in
// operations.cpp. The kind of a parameter is derived from the C++ signature of the function. The table contains all that the parser or a
// generator of documentation needs to know about an operation.
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

/// A number that is still text, because its dtype depends on the context. The Literal does not own the text.
struct Literal {
  enum Kind : uint8_t { kInteger, kReal, kBool, kTyped } kind = kInteger;
  bool negative = false;
  std::string_view text;  // digits without sign, "nan", "inf", "true", "false"
  Scalar typed;           // the value if kind is kTyped, such as f32(0.5)
};
/// Converts the literal to a scalar of `dtype`. Throws Error{kRange} if it does not fit, Error{kDType} if the literal has another dtype.
Scalar to_scalar(std::string_view op, const Literal& literal, DType dtype);

/// Numbers in nested lists of one shape; `items` has them in row-major order.
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
  kNode,       // an array, or a literal that gets the dtype of the other operands
  kCondition,  // an array whose dtype does not affect the dtype of literals
  kIndices,    // like kCondition, but a literal is converted to i64
  kNodes,      // all remaining positional arguments
  kInteger,
  kIntegers,  // a list of integers, or one integer for all axes
  kSize,      // a dimension expression
  kSizes,     // a list of dimension expressions; entries may be none
  kPadding,   // a list whose entries are amounts or [before, after] pairs
  kSections,  // the number of parts, or a list of positions
  kBool,
  kNumber,   // a double
  kLiteral,  // a number of the operand's dtype
  kValue,    // a number of the operand's dtype, or an array
  kArray,    // numbers in nested lists
  kDType,
  kDTypes,  // a dtype, or a list of them
  kWord,    // an identifier or "text"
};

struct Parameter {
  std::string_view name;
  std::string_view default_text;  // the default in the text format's syntax; empty: the parameter is required
  ParameterKind kind = ParameterKind::kNode;
};

struct Operation {
  static constexpr size_t kMaxParameters = 8;

  std::string_view name;
  std::array<Parameter, kMaxParameters> all_parameters;
  size_t parameter_count;
  bool has_results;  // whether it may return several results: `a, b = split(x, …)`
  std::vector<const Node*> (*function)(Graph&, std::span<const Argument> arguments);

  /// Builds the nodes of the operation. Errors name this operation.
  std::vector<const Node*> build(Graph& graph, std::span<const Argument> arguments) const;

  std::span<const Parameter> parameters() const { return std::span(all_parameters).first(parameter_count); }
};

/// Sorted by name.
std::span<const Operation> operations();
const Operation* find_operation(std::string_view name);
/// Returns the name of the operation that is most similar to `name`, or "" if none is similar.
std::string_view nearest_operation(std::string_view name);

}  // namespace harp
