// Builds attention: softmax(query · keyᵀ · scale + mask) · value, as PyTorch's scaled_dot_product_attention without dropout.
#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

constexpr std::string_view kOp = "scaled_dot_product_attention";

Dim size_of_axis(NodeRef x, int from_end) { return x->shape[x->shape.size() - static_cast<size_t>(from_end)]; }

void check_operands(NodeRef query, NodeRef key, NodeRef value) {
  const NodeRef all[] = {query, key, value};
  for (const NodeRef x : all)
    HARP_CHECK(x->rank() >= 2, Code::kShape, kOp, ": ", label(x), " has shape ", to_string(x->shape),
               "; query, key and value need at least 2 axes, [..., length, features]");
  HARP_CHECK(size_of_axis(query, 1) == size_of_axis(key, 1), Code::kShape, kOp, ": query has ", to_string(size_of_axis(query, 1)),
             " features and key ", to_string(size_of_axis(key, 1)), "; expected equal counts (shapes ", to_string(query->shape), " and ",
             to_string(key->shape), ")");
  HARP_CHECK(size_of_axis(key, 2) == size_of_axis(value, 2), Code::kShape, kOp, ": key has length ", to_string(size_of_axis(key, 2)),
             " and value ", to_string(size_of_axis(value, 2)), "; expected equal lengths (shapes ", to_string(key->shape), " and ",
             to_string(value->shape), ")");
}

/// Returns how many query heads share one head of key and value.
Dim heads_of_a_group(NodeRef query, NodeRef key, NodeRef value) {
  for (const NodeRef x : {query, key, value})
    HARP_CHECK(x->rank() >= 3 && x->rank() < kMaxRank, Code::kShape, kOp, ": ", label(x), " has shape ", to_string(x->shape),
               "; enable_gqa needs 3 to ", kMaxRank - 1, " axes: [..., heads, length, features]");
  HARP_CHECK(size_of_axis(key, 3) == size_of_axis(value, 3), Code::kShape, kOp, ": key has ", to_string(size_of_axis(key, 3)),
             " heads and value ", to_string(size_of_axis(value, 3)), "; expected equal counts");
  const std::optional<Dim> group = exact_quotient(size_of_axis(query, 3), size_of_axis(key, 3));
  HARP_CHECK(group.has_value(), Code::kShape, kOp, ": query has ", to_string(size_of_axis(query, 3)),
             " heads, which is not a multiple of the ", to_string(size_of_axis(key, 3)), " heads of key and value");
  return *group;
}

/// Returns 1 / sqrt(number of features). It is computed in f64, so that a constant and a symbolic number of features give the same bits.
NodeRef default_scale(NodeRef query) {
  const Dim features = size_of_axis(query, 1);
  if (features.is_constant()) return constant_like(query, 1 / std::sqrt(static_cast<double>(features.constant())));
  return cast(rsqrt(cast(build::size(check_node(kOp, query), features), DType::kF64)), query->dtype);
}

/// Sets the scores of masked positions to -inf.
NodeRef masked(NodeRef scores, NodeRef mask, bool is_causal) {
  Graph& graph = check_node(kOp, scores);
  const NodeRef nothing = constant_like(scores, -std::numeric_limits<double>::infinity());
  if (mask != nullptr) {
    const NodeRef everywhere = broadcast_to(mask, scores->shape);
    if (!is_bool(mask->dtype)) scores = add({scores, cast(everywhere, scores->dtype)});
    if (is_bool(mask->dtype)) scores = where({everywhere, scores, nothing});
  }
  if (!is_causal) return scores;
  const Dim rows = size_of_axis(scores, 2), columns = size_of_axis(scores, 1);
  const NodeRef row = broadcast_to(reshape(arange(graph, rows), {rows, 1}), {rows, columns});
  const NodeRef past = le({broadcast_to(arange(graph, columns), {rows, columns}), row});
  return where({broadcast_to(past, scores->shape), scores, nothing});
}

/// Returns the softmax over the keys. If the mask hides every key from a query, the weights are zeros, where softmax would give NaN.
NodeRef weights_of(NodeRef scores, bool is_masked) {
  if (!is_masked || size_of_axis(scores, 1).is_constant(0)) return softmax(scores, -1);
  const std::vector<int> keys = {scores->rank() - 1};
  const NodeRef peak = stop_gradient(max(scores, keys, true));
  const NodeRef sees_none = eq({peak, constant_like(peak, -std::numeric_limits<double>::infinity())});
  const NodeRef shift = where({sees_none, constant_like(peak, 0), peak});
  const NodeRef e = exp(add({scores, broadcast_to(neg(shift), scores->shape)}));
  const NodeRef total = sum(e, keys, true);
  const NodeRef scale = unary(Op::kRecip, where({sees_none, constant_like(total, 1), total}));
  return mul({e, broadcast_to(scale, scores->shape)});
}

}  // namespace

NodeRef scaled_dot_product_attention(NodeRef query, NodeRef key, NodeRef value, NodeRef mask, const AttentionOptions& options) {
  std::vector<NodeRef> arrays = {query, key, value};
  if (mask != nullptr) {
    const NodeRef both[] = {query, mask};
    check_nodes(kOp, both);
    HARP_CHECK(is_bool(mask->dtype) || is_float(mask->dtype), Code::kDType, kOp, ": mask must be bool or a float dtype, got ",
               name(mask->dtype));
    if (!is_bool(mask->dtype)) arrays.push_back(mask);
  }
  const DType dtype = common_dtype(kOp, Operands::kFloat, arrays), working = working_dtype(dtype);
  query = cast(query, working), key = cast(key, working), value = cast(value, working);
  check_operands(query, key, value);
  const Shape heads = query->shape;
  if (options.enable_gqa) {
    // Split the axis of heads into two axes: one index per head of key, and an index within the group of query heads that share that head.
    // The second axis has size 1 in key and value, and is broadcast.
    const Dim group = heads_of_a_group(query, key, value);
    const auto split_heads = [](NodeRef x, Dim outer, Dim inner) {
      Shape shape = x->shape;
      shape[shape.size() - 3] = outer;
      shape.insert(shape.end() - 2, inner);
      return reshape(x, std::move(shape));
    };
    const Dim shared = size_of_axis(key, 3);
    query = split_heads(query, shared, group), key = split_heads(key, shared, 1), value = split_heads(value, shared, 1);
    if (mask != nullptr && mask->rank() >= 3) {
      const Dim of_mask = size_of_axis(mask, 3);
      mask = of_mask.is_constant(1) ? split_heads(mask, 1, 1) : split_heads(mask, shared, group);
    }
  }
  const NodeRef scale = options.scale ? constant_like(query, *options.scale) : default_scale(query);
  std::vector<int> exchanged(key->shape.size());
  for (size_t i = 0; i < exchanged.size(); ++i) exchanged[i] = static_cast<int>(i);
  std::swap(exchanged[exchanged.size() - 1], exchanged[exchanged.size() - 2]);
  const NodeRef scores = masked(mul({matmul(query, permute(key, exchanged)), scale}), mask, options.is_causal);
  NodeRef result = matmul(weights_of(scores, mask != nullptr), value);
  if (options.enable_gqa) {
    Shape shape = result->shape;
    shape.erase(shape.end() - 3);
    shape[shape.size() - 3] = heads[heads.size() - 3];
    result = reshape(result, std::move(shape));
  }
  return cast(result, dtype);
}

}  // namespace harp::build
