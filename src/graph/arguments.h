// Converts parsed arguments to the C++ parameters of the function that builds an operation. There is one Reader per C++ type. Call<F>
// derives the parameters from the signature of a lambda, so a row of the table of operations (operations.h) cannot disagree with its
// function.
#pragma once

#include <tuple>
#include <utility>
#include <variant>

#include "base/error.h"
#include "graph/operations.h"

namespace harp::arguments {

/// The C++ type of a parameter that takes a node whose dtype need not match the dtypes of the other operands.
struct Condition {
  const Node* node;
};
/// The C++ type of a parameter that takes an array of indices, whose dtype need not match the dtypes of the other operands.
struct Indices {
  const Node* node;
};

/// A number that is still text, or a node whose value is used instead.
using Value = std::variant<Literal, const Node*>;

/// The error for an argument that cannot be converted. `index` is that of its parameter, from which the parser finds the argument's
/// position in the text.
struct ArgumentError : Error {
  ArgumentError(size_t index, Error cause) : Error(std::move(cause)), index(index) {}
  size_t index;
};

int64_t to_integer(const Argument& argument);
Dim to_dim(const Argument& argument);
/// Returns the entries of an argument that is a list of sizes. An argument that is a single size counts as a list with one entry.
std::vector<SizeItem> to_items(const Argument& argument);

template <class T>
struct Reader;

template <class T>
struct Reader<std::optional<T>> {
  static constexpr ParameterKind kKind = Reader<T>::kKind;
  static std::optional<T> read(const Argument& argument) {
    if (std::holds_alternative<std::monostate>(argument)) return std::nullopt;
    return Reader<T>::read(argument);
  }
};
template <>
struct Reader<const Node*> {
  static constexpr ParameterKind kKind = ParameterKind::kNode;
  static const Node* read(const Argument& argument);
};
template <>
struct Reader<Condition> {
  static constexpr ParameterKind kKind = ParameterKind::kCondition;
  static Condition read(const Argument& argument) { return {Reader<const Node*>::read(argument)}; }
};
template <>
struct Reader<Indices> {
  static constexpr ParameterKind kKind = ParameterKind::kIndices;
  static Indices read(const Argument& argument) { return {Reader<const Node*>::read(argument)}; }
};
template <>
struct Reader<std::vector<const Node*>> {
  static constexpr ParameterKind kKind = ParameterKind::kNodes;
  static std::vector<const Node*> read(const Argument& argument);
};
template <>
struct Reader<int64_t> {
  static constexpr ParameterKind kKind = ParameterKind::kInteger;
  static int64_t read(const Argument& argument) { return to_integer(argument); }
};
template <>
struct Reader<int> {
  static constexpr ParameterKind kKind = ParameterKind::kInteger;
  static int read(const Argument& argument);
};
template <>
struct Reader<std::vector<int64_t>> {
  static constexpr ParameterKind kKind = ParameterKind::kIntegers;
  static std::vector<int64_t> read(const Argument& argument);
};
template <>
struct Reader<std::vector<int>> {
  static constexpr ParameterKind kKind = ParameterKind::kIntegers;
  static std::vector<int> read(const Argument& argument);
};
template <>
struct Reader<Dim> {
  static constexpr ParameterKind kKind = ParameterKind::kSize;
  static Dim read(const Argument& argument) { return to_dim(argument); }
};
template <>
struct Reader<Shape> {
  static constexpr ParameterKind kKind = ParameterKind::kSizes;
  static Shape read(const Argument& argument);
};
template <>
struct Reader<std::vector<std::optional<Dim>>> {
  static constexpr ParameterKind kKind = ParameterKind::kSizes;
  static std::vector<std::optional<Dim>> read(const Argument& argument);
};
template <>
struct Reader<std::vector<build::Padding>> {
  static constexpr ParameterKind kKind = ParameterKind::kPadding;
  static std::vector<build::Padding> read(const Argument& argument);
};
template <>
struct Reader<build::Sections> {
  static constexpr ParameterKind kKind = ParameterKind::kSections;
  static build::Sections read(const Argument& argument);
};
template <>
struct Reader<bool> {
  static constexpr ParameterKind kKind = ParameterKind::kBool;
  static bool read(const Argument& argument);
};
template <>
struct Reader<double> {
  static constexpr ParameterKind kKind = ParameterKind::kNumber;
  static double read(const Argument& argument);
};
template <>
struct Reader<Literal> {
  static constexpr ParameterKind kKind = ParameterKind::kLiteral;
  static Literal read(const Argument& argument);
};
template <>
struct Reader<Value> {
  static constexpr ParameterKind kKind = ParameterKind::kValue;
  static Value read(const Argument& argument);
};
template <>
struct Reader<ArrayLiteral> {
  static constexpr ParameterKind kKind = ParameterKind::kArray;
  static ArrayLiteral read(const Argument& argument);
};
template <>
struct Reader<DType> {
  static constexpr ParameterKind kKind = ParameterKind::kDType;
  static DType read(const Argument& argument);
};
template <>
struct Reader<std::vector<DType>> {
  static constexpr ParameterKind kKind = ParameterKind::kDTypes;
  static std::vector<DType> read(const Argument& argument);
};
template <>
struct Reader<std::string_view> {
  static constexpr ParameterKind kKind = ParameterKind::kWord;
  static std::string_view read(const Argument& argument);
};

template <class Member>
struct Signature;
template <class Class, class R, class... P>
struct Signature<R (Class::*)(P...) const> {
  using Result = R;
  using Parameters = std::tuple<P...>;
  static constexpr bool kTakesGraph = false;
};
template <class Class, class R, class... P>
struct Signature<R (Class::*)(Graph&, P...) const> {
  using Result = R;
  using Parameters = std::tuple<P...>;
  static constexpr bool kTakesGraph = true;
};

/// Turns a stateless function object into the plain function build(), which converts parsed arguments to the parameters of the function
/// object and calls it. An Operation (a row of the table of operations) stores a pointer to build().
template <class Function>
struct Call {
  using Traits = Signature<decltype(&Function::operator())>;
  using Parameters = typename Traits::Parameters;
  static constexpr size_t kCount = std::tuple_size_v<Parameters>;
  static constexpr bool kHasResults = std::is_same_v<typename Traits::Result, std::vector<const Node*>>;

  template <size_t... I>
  static constexpr std::array<ParameterKind, kCount> kinds(std::index_sequence<I...>) {
    return {Reader<std::tuple_element_t<I, Parameters>>::kKind...};
  }
  static constexpr std::array<ParameterKind, kCount> kKinds = kinds(std::make_index_sequence<kCount>());

  template <size_t I>
  static auto read(std::span<const Argument> given) {
    try {
      return Reader<std::tuple_element_t<I, Parameters>>::read(given[I]);
    } catch (Error& e) {
      throw ArgumentError(I, std::move(e));
    }
  }
  template <size_t... I>
  static auto call(Graph& graph, std::span<const Argument> given, std::index_sequence<I...>) {
    if constexpr (Traits::kTakesGraph)
      return Function{}(graph, read<I>(given)...);
    else
      return Function{}(read<I>(given)...);
  }
  static std::vector<const Node*> build(Graph& graph, std::span<const Argument> given) {
    if constexpr (kHasResults)
      return call(graph, given, std::make_index_sequence<kCount>());
    else
      return {call(graph, given, std::make_index_sequence<kCount>())};
  }
};

/// The name and the default value of a parameter. Its kind is derived from the type of the C++ function's parameter.
struct Named {
  std::string_view name;
  std::string_view default_text = {};
};

/// Makes one row of the table of operations. `named` gives a name and an optional default for each parameter of the function.
template <class Function, size_t N>
constexpr Operation row(std::string_view name, const Named (&named)[N], Function) {
  static_assert(Call<Function>::kCount == N, "one name for each parameter");
  static_assert(N <= Operation::kMaxParameters);
  Operation operation{name, {}, N, Call<Function>::kHasResults, &Call<Function>::build};
  for (size_t i = 0; i < N; ++i) operation.all_parameters[i] = {named[i].name, named[i].default_text, Call<Function>::kKinds[i]};
  return operation;
}

// Functions that only the table of operations calls.

/// Builds a reduction. If `order` is given, the node gets exactly the given axes, order and `product` (ReduceAttributes); otherwise
/// build::reduce() chooses the order and `product`.
const Node* reduce_in_order(Op op, const Node* x, const build::Axes& axes, bool keepdims, std::optional<std::string_view> order,
                            bool product);
const Node* scan_in_order(Op op, const Node* x, std::optional<int> axis, bool exclusive, bool reverse,
                          std::optional<std::string_view> order);
/// Builds a slice, either from Python's start, stop and step, or from start, size and step, which are not clamped to the array.
const Node* slice(const Node* x, const std::optional<std::vector<std::optional<Dim>>>& start,
                  const std::optional<std::vector<std::optional<Dim>>>& stop, const std::optional<std::vector<int64_t>>& step,
                  const std::optional<Shape>& size);
/// Returns the elements of a list of numbers such as [0.5, 2]. Returns an empty vector if the argument is omitted.
std::vector<double> numbers(std::string_view op, std::string_view parameter, const std::optional<ArrayLiteral>& list);
/// Builds a constant array, either from numbers in nested lists (`data`), or from a shape and the elements' bytes in base64.
const Node* constant_array(Graph& graph, const std::optional<ArrayLiteral>& data, DType dtype, const std::optional<Shape>& shape,
                           std::optional<std::string_view> base64);

}  // namespace harp::arguments
