#include "schedule/paired_columns.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "opt/rewrite.h"
#include "schedule/program.h"

namespace harp {
namespace {

/// A product whose columns' factor consists of every second element along the last axis of an array, beginning with element `part` (0 or
/// 1).
struct Half {
  const Node *rows, *array;  // the factor A before it is broadcast along the columns, and the array B'
  const Node* columns;       // the slice of `array`, reshaped to add axes of size 1 if necessary, before it is broadcast along the rows
  size_t position;           // which of the two operands of the multiplication (0 or 1) is the columns' factor
  size_t part;
};

/// If the slice takes every second element of the last axis, which has an even size, and all elements along the other axes, returns the
/// element with which it begins: 0 or 1. Otherwise returns nothing.
std::optional<size_t> half_of(const Node& slice) {
  if (slice.op != Op::kSlice || slice.rank() == 0) return std::nullopt;
  const auto& taken = slice.as<SliceAttributes>();
  const Shape& from = slice.sources[0]->shape;
  const size_t last = slice.shape.size() - 1;
  for (size_t axis = 0; axis < last; ++axis)
    if (!taken.start[axis].is_constant(0) || taken.step[axis] != 1 || slice.shape[axis] != from[axis]) return std::nullopt;
  if (taken.step[last] != 2 || from[last] != slice.shape[last] * Dim(2)) return std::nullopt;
  if (taken.start[last].is_constant(0)) return 0;
  return taken.start[last].is_constant(1) ? std::optional<size_t>(1) : std::nullopt;
}

std::optional<Half> as_half(const Node& sum) {
  if (!sums_products(sum) || sum.as<ReduceAttributes>().order != ReduceOrder::kChain) return std::nullopt;
  const Node& product = *sum.sources[0];
  if (product.sources.size() != 2 || product.shape.empty() || sum.shape.empty()) return std::nullopt;
  const Dim columns = product.shape.back();
  // The columns are the last axis. They are not summed, so they are the last axis of the result too.
  for (const int axis : sum.as<ReduceAttributes>().axes)
    if (static_cast<size_t>(axis) + 1 == product.shape.size()) return std::nullopt;
  if (columns.is_constant(1)) return std::nullopt;
  for (const size_t position : {size_t{1}, size_t{0}}) {
    const Node *repeated = product.sources[position], *other = product.sources[1 - position];
    if (other->op != Op::kExpand) continue;
    const Node *view = repeated->op == Op::kExpand ? repeated->sources[0] : repeated, *rows = other->sources[0];
    if (view->shape.size() != product.shape.size() || view->shape.back() != columns) continue;
    if (rows->shape.size() != product.shape.size() || !rows->shape.back().is_constant(1)) continue;
    const Node* slice = view;
    if (view->op == Op::kReshape && squeezed(view->shape) == squeezed(view->sources[0]->shape)) slice = view->sources[0];
    if (slice->rank() == 0 || slice->shape.back() != columns) continue;
    if (const std::optional<size_t> part = half_of(*slice)) return Half{rows, slice->sources[0], view, position, *part};
  }
  return std::nullopt;
}

Shape doubled(Shape shape) {
  shape.back() = shape.back() * Dim(2);
  return shape;
}

/// Returns the product of the rows' factor with all columns of the array B'. For the product with the real parts and the product with the
/// imaginary parts the result is the same node. `sum` and `half` are nodes of the graph `result`.
const Node* whole_product(Graph& result, const Node& sum, const Half& half) {
  const Node& product = *sum.sources[0];
  const DType dtype = half.array->dtype;
  const Shape all = doubled(product.shape), view = doubled(half.columns->shape);
  const Node* columns = half.array->shape == view ? half.array : result.intern(Op::kReshape, dtype, view, {half.array});
  if (columns->shape != all) columns = result.intern(Op::kExpand, dtype, all, {columns});
  const Node* rows = result.intern(Op::kExpand, half.rows->dtype, all, {half.rows});
  std::vector<const Node*> factors = {rows, rows};
  factors[half.position] = columns;
  const Node* products = result.intern(product.op, product.dtype, all, std::move(factors), product.attributes);
  return result.intern(sum.op, sum.dtype, doubled(sum.shape), {products}, sum.attributes);
}

/// Returns every second column of `whole`, from column `part` (0 or 1) on.
const Node* part_of(Graph& result, const Node* whole, const Node& sum, size_t part) {
  SliceAttributes taken{std::vector<Dim>(sum.shape.size(), Dim(0)), std::vector<int64_t>(sum.shape.size(), 1)};
  taken.start.back() = Dim(static_cast<int64_t>(part));
  taken.step.back() = 2;
  return result.intern(Op::kSlice, sum.dtype, sum.shape, {whole}, std::move(taken));
}

}  // namespace

std::shared_ptr<Graph> pair_columns(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  if (limits.many_threads) return whole;
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  // For each pair of a rows' factor and an array: which halves of the array (every second element) are multiplied by the rows' factor.
  std::map<std::tuple<const Node*, const Node*, size_t>, std::array<bool, 2>> read;
  const auto read_by = [&](const Half& half) -> std::array<bool, 2>& { return read[{half.rows, half.array, half.position}]; };
  // indexed by node id: the half of an array that a product reads; nullopt: the node is not a product with half of an array
  std::vector<std::optional<Half>> halves(graph.nodes().size());
  for (const Node* node : live) {
    halves[node->id] = as_half(*node);
    if (const std::optional<Half>& half = halves[node->id]) read_by(*half)[half->part] = true;
  }
  const auto has_pair = [&](const Node* node) {
    const std::optional<Half>& half = halves[node->id];
    return half && read_by(*half) == std::array<bool, 2>{true, true};
  };
  if (std::ranges::none_of(live, has_pair)) return whole;

  auto result = opt::without_nodes(graph);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    const std::optional<Half> half = has_pair(node) ? as_half(*copy) : std::nullopt;
    return half ? part_of(*result, whole_product(*result, *copy, *half), *copy, half->part) : copy;
  });
  return result;
}

}  // namespace harp
