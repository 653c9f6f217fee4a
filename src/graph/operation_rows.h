// Functions that make rows of the table of operations (operations.cpp): each makes the rows of a group of operations that have the same
// parameters. arguments::row() makes a row of any other operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/arguments.h"
#include "graph/composites.h"
#include "graph/operations.h"

/// The functions, and short names for the types of parameters.
namespace harp::operation_rows {

using arguments::Indices;
using arguments::row;
using build::Axes;
using build::NodeRef;
using Ints = std::vector<int>;
using Integers = std::vector<int64_t>;
using OptionalDim = std::optional<Dim>;
using OptionalNode = std::optional<NodeRef>;
using Paddings = std::vector<build::Padding>;
using OptionalShape = std::optional<Shape>;

template <Op op>
constexpr Operation elementwise_row() {
  if constexpr (op == Op::kWhere)
    return row(name(op), {{"condition"}, {"a"}, {"b"}}, [](arguments::Condition c, NodeRef a, NodeRef b) {
      return build::elementwise(op, {c.node, a, b});
    });
  else if constexpr (info(op).arity == 1)
    return row(name(op), {{"x"}}, [](NodeRef x) { return build::elementwise(op, {x}); });
  else if constexpr (info(op).arity == 2)
    return row(name(op), {{"a"}, {"b"}}, [](NodeRef a, NodeRef b) { return build::elementwise(op, {a, b}); });
  else
    return row(name(op), {{"a"}, {"b"}, {"c"}}, [](NodeRef a, NodeRef b, NodeRef c) { return build::elementwise(op, {a, b, c}); });
}

/// The row of a reduction also has parameters for the attributes that decide the bits of the result. If `order` is given, build::reduce()
/// chooses nothing, and the axes are reduced in the order of the list.
template <Op op>
constexpr Operation reduce_row() {
  return row(name(op), {{"x"}, {"axes", "none"}, {"keepdims", "false"}, {"order", "none"}, {"product", "false"}},
             [](NodeRef x, Axes axes, bool keepdims, std::optional<std::string_view> order, bool product) {
               return arguments::reduce_in_order(op, x, axes, keepdims, order, product);
             });
}

/// The row of a scan also has a parameter for the order, because the order decides the bits of the result.
template <Op op>
constexpr Operation scan_row() {
  return row(name(op), {{"x"}, {"axis", "none"}, {"exclusive", "false"}, {"reverse", "false"}, {"order", "none"}},
             [](NodeRef x, std::optional<int> axis, bool exclusive, bool reverse, std::optional<std::string_view> order) {
               return arguments::scan_in_order(op, x, axis, exclusive, reverse, order);
             });
}

template <NodeRef (*function)(NodeRef, NodeRef, NodeRef, int)>
constexpr Operation scatter_row(std::string_view name, std::string_view axis) {
  return row(name, {{"x"}, {"indices"}, {"updates"}, {"axis", axis}},
             [](NodeRef x, Indices indices, NodeRef updates, int along) { return function(x, indices.node, updates, along); });
}

template <NodeRef (*function)(NodeRef)>
constexpr Operation unary_row(std::string_view name) {
  return row(name, {{"x"}}, [](NodeRef x) { return function(x); });
}
template <NodeRef (*function)(NodeRef, NodeRef)>
constexpr Operation binary_row(std::string_view name) {
  return row(name, {{"a"}, {"b"}}, [](NodeRef a, NodeRef b) { return function(a, b); });
}
template <NodeRef (*function)(NodeRef, OptionalDim, int, std::string_view)>
constexpr Operation transform_row(std::string_view name) {
  return row(name, {{"x"}, {"n", "none"}, {"axis", "-1"}, {"norm", "\"backward\""}},
             [](NodeRef x, OptionalDim n, int axis, std::string_view norm) { return function(x, n, axis, norm); });
}
template <NodeRef (*function)(NodeRef, const Axes&, bool)>
constexpr Operation reduction_row(std::string_view name) {
  return row(name, {{"x"}, {"axes", "none"}, {"keepdims", "false"}},
             [](NodeRef x, Axes axes, bool keep) { return function(x, axes, keep); });
}
template <NodeRef (*function)(NodeRef, const OptionalShape&, const Axes&, std::string_view)>
constexpr Operation transform_axes_row(std::string_view name, std::string_view axes) {
  return row(name, {{"x"}, {"s", "none"}, {"axes", axes}, {"norm", "\"backward\""}},
             [](NodeRef x, OptionalShape s, Axes axes, std::string_view norm) { return function(x, s, axes, norm); });
}
template <int spatial>
constexpr Operation unfold_row(std::string_view name) {
  return row(name, {{"x"}, {"size"}, {"stride", "1"}, {"dilation", "1"}, {"padding", "0"}},
             [](NodeRef x, Shape size, Integers stride, Integers dilation, std::vector<build::Padding> padding) {
               return build::unfold_spatial(x, spatial, size, stride, dilation, padding);
             });
}

/// Returns the node, or null if no node is given.
inline NodeRef or_null(std::optional<NodeRef> node) { return node.value_or(nullptr); }

template <int spatial>
constexpr Operation conv_row(std::string_view name) {
  return row(name, {{"x"}, {"weight"}, {"bias", "none"}, {"stride", "1"}, {"padding", "0"}, {"dilation", "1"}, {"groups", "1"}},
             [](NodeRef x, NodeRef weight, OptionalNode bias, Integers stride, Paddings padding, Integers dilation, int64_t groups) {
               return build::conv(spatial, {x, weight, or_null(bias)}, stride, padding, dilation, groups);
             });
}
template <int spatial>
constexpr Operation conv_transpose_row(std::string_view name) {
  return row(
      name,
      {{"x"}, {"weight"}, {"bias", "none"}, {"stride", "1"}, {"padding", "0"}, {"output_padding", "0"}, {"groups", "1"}, {"dilation", "1"}},
      [](NodeRef x, NodeRef weight, OptionalNode bias, Integers stride, Paddings padding, Integers output_padding, int64_t groups,
         Integers dilation) {
        return build::conv_transpose(spatial, {x, weight, or_null(bias)}, stride, padding, output_padding, dilation, groups);
      });
}
template <NodeRef (*function)(NodeRef, std::span<const int>, NodeRef, NodeRef, double)>
constexpr Operation normalisation_row(std::string_view name) {
  return row(name, {{"x"}, {"axes", "-1"}, {"weight", "none"}, {"bias", "none"}, {"eps", "1e-5"}},
             [](NodeRef x, Ints axes, OptionalNode weight, OptionalNode bias, double eps) {
               return function(x, axes, or_null(weight), or_null(bias), eps);
             });
}
template <NodeRef (*function)(NodeRef, NodeRef, const Shape&, DType)>
constexpr Operation random_row(std::string_view name, std::string_view dtype) {
  return row(name, {{"key"}, {"shape"}, {"counter", "none"}, {"dtype", dtype}},
             [](NodeRef key, Shape shape, OptionalNode counter, DType type) { return function(key, or_null(counter), shape, type); });
}
template <NodeRef (*function)(NodeRef, std::optional<int>, bool)>
constexpr Operation index_row(std::string_view name) {
  return row(name, {{"x"}, {"axis", "none"}, {"keepdims", "false"}},
             [](NodeRef x, std::optional<int> axis, bool keepdims) { return function(x, axis, keepdims); });
}

template <Op op>
constexpr Operation reduction_of() {
  if constexpr (op == Op::kArgMax)
    return index_row<build::argmax>(name(op));
  else if constexpr (op == Op::kArgMin)
    return index_row<build::argmin>(name(op));
  else
    return reduce_row<op>();
}

}  // namespace harp::operation_rows
