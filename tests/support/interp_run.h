// Builds small graphs over typed vectors and runs them on the interpreter.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "graph/build.h"
#include "interp/interpreter.h"

namespace harp::testing {

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, uint8_t>) return DType::kBool;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
}

/// The bytes of one array. A bool element is a uint8_t.
using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  static_assert(!std::is_same_v<T, bool>, "use uint8_t");
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Runs the graph and returns every output. `shape_values` is in the order of graph.dims().variables().
inline std::vector<Bytes> run(const Graph& graph, const std::vector<Bytes>& inputs, const std::vector<int64_t>& shape_values = {}) {
  const std::vector<Sym> variables = graph.dims().variables();
  const auto value = [&](const SymAtom& atom) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (variable_of(variables[i]) == &atom) return shape_values.at(i);
    return int64_t{-1};
  };
  std::vector<const void*> in;
  for (const Bytes& input : inputs) in.push_back(input.data());
  std::vector<Bytes> outputs;
  std::vector<void*> out;
  for (const GraphOutput& output : graph.outputs()) {
    size_t bytes = size_of(output.node->dtype);
    for (const Dim dim : output.node->shape) bytes *= static_cast<size_t>(evaluate(dim, value));
    outputs.emplace_back(bytes, std::byte{0xcd});
  }
  for (Bytes& output : outputs) out.push_back(output.data());
  interpret(graph, in, out, shape_values);
  return outputs;
}

/// Returns the bits of an array as text, in which all NaNs are equal. Two runs have equal results if these texts are equal.
inline std::string canonical(const Bytes& bytes, DType dtype) {
  if (is_complex(dtype)) return canonical(bytes, real_dtype(dtype));
  std::string text;
  const size_t size = size_of(dtype);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    Scalar value{dtype, {0, 0}};
    std::memcpy(value.bits, bytes.data() + i, size);
    const bool is_nan = is_float(dtype) && std::isnan(to_double(value));
    append(text, is_nan ? std::string("nan") : cat(value.bits[0]));
    text += ' ';
  }
  return text;
}

/// Applies an elementwise operation to one-dimensional inputs, and returns the elements of the result.
template <class R, class... T>
std::vector<R> apply(Op op, const std::vector<T>&... sources) {
  Graph graph;
  std::vector<const Node*> nodes;
  (nodes.push_back(graph.add_input(cat("x", nodes.size()), dtype_of<T>(), {Dim(static_cast<int64_t>(sources.size()))})), ...);
  graph.add_output("y", build::elementwise(op, nodes));
  return values_of<R>(run(graph, {bytes_of(sources)...})[0]);
}

template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();

/// Tests whether two numbers have equal bits or are both NaN.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a || b != b) return a != a && b != b;
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace harp::testing
