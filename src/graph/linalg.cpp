// Builds matrix and vector products. All are contractions (contract.h): axes get labels, axes of both operands with the same label have a
// common index, and the products are summed over labels that the result does not have. Shapes follow NumPy, independent of the graph's
// flags.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"
#include "graph/contract.h"

namespace harp::build {
namespace {

/// Both factors of a product, cast to their common dtype.
struct Pair {
  NodeRef a, b;
};
Pair factors(std::string_view op, NodeRef a, NodeRef b) {
  const NodeRef operands[] = {a, b};
  const DType dtype = common_dtype(op, Operands::kNumber, operands);
  const NodeRef left = cast(a, dtype);
  return {left, cast(b, dtype)};
}

void check_summed(std::string_view op, NodeRef a, int a_axis, NodeRef b, int b_axis) {
  const Dim x = a->shape[static_cast<size_t>(a_axis)], y = b->shape[static_cast<size_t>(b_axis)];
  const NodeRef operands[] = {a, b};
  HARP_CHECK(x == y, Code::kShape, op, ": operands have shapes ", shapes_of(operands), " (", labels(operands), "); axis ", a_axis,
             " of the first (", to_string(x), ") and axis ", b_axis, " of the second (", to_string(y),
             ") are multiplied and summed, so they must be the same size");
}

// Labels of the axes of a matrix product (contract.h). Batch axis i, counted from the right, has the label kFirstBatch + i.
constexpr int kRow = 0, kSummed = 1, kColumn = 2, kFirstBatch = 3;

/// Returns the labels of an array of this rank: `matrix` for its last axes, batch labels for the axes before them.
Labels with_batch(int rank, const Labels& matrix) {
  Labels result;
  for (int i = rank - static_cast<int>(matrix.size()); i-- > 0;) result.push_back(kFirstBatch + i);
  result.insert(result.end(), matrix.begin(), matrix.end());
  return result;
}

NodeRef matrix_product(std::string_view op, NodeRef a, NodeRef b) {
  const Pair pair = factors(op, a, b);
  const bool has_rows = a->rank() > 1, has_columns = b->rank() > 1;
  check_summed(op, a, a->rank() - 1, b, has_columns ? b->rank() - 2 : 0);
  const Labels left = with_batch(a->rank(), has_rows ? Labels{kRow, kSummed} : Labels{kSummed});
  const Labels right = with_batch(b->rank(), has_columns ? Labels{kSummed, kColumn} : Labels{kSummed});
  try {
    broadcast_shapes(Shape(a->shape.begin(), a->shape.end() - (has_rows ? 2 : 1)),
                     Shape(b->shape.begin(), b->shape.end() - (has_columns ? 2 : 1)));
  } catch (const Error& e) {
    const NodeRef operands[] = {a, b};
    fail(e.code, op, ": the batch axes of shapes ", shapes_of(operands), " (", labels(operands), ") do not fit: ", e.message);
  }
  const int batch = std::max(a->rank() - (has_rows ? 2 : 1), b->rank() - (has_columns ? 2 : 1));
  Labels result = with_batch(batch, {});
  if (has_rows) result.push_back(kRow);
  if (has_columns) result.push_back(kColumn);
  return contract(op, {pair.a, left}, {pair.b, right}, result);
}

Labels numbered(int rank, int first) {
  Labels result;
  for (int i = 0; i < rank; ++i) result.push_back(first + i);
  return result;
}

}  // namespace

NodeRef matmul(NodeRef a, NodeRef b) {
  const NodeRef operands[] = {a, b};
  check_nodes("matmul", operands);
  HARP_CHECK(a->rank() > 0 && b->rank() > 0, Code::kShape, "matmul: operands have shapes ", shapes_of(operands), " (", labels(operands),
             "); matmul needs at least one axis, use mul for scalars");
  return matrix_product("matmul", a, b);
}

NodeRef batch_matmul(NodeRef a, NodeRef b) {
  const NodeRef operands[] = {a, b};
  check_nodes("batch_matmul", operands);
  HARP_CHECK(a->rank() >= 2 && b->rank() >= 2, Code::kShape, "batch_matmul: operands have shapes ", shapes_of(operands), " (",
             labels(operands), "); both need the two axes of a matrix, after any batch axes");
  return matrix_product("batch_matmul", a, b);
}

NodeRef tensordot(NodeRef a, NodeRef b, std::span<const int> a_axes, std::span<const int> b_axes) {
  const Pair pair = factors("tensordot", a, b);
  HARP_CHECK(a_axes.size() == b_axes.size(), Code::kShape, "tensordot: ", a_axes.size(), " axes of the first array and ", b_axes.size(),
             " of the second; they are summed in pairs");
  const std::vector<int> left = normalize_axes("tensordot", a_axes, a->rank()), right = normalize_axes("tensordot", b_axes, b->rank());
  Labels a_labels = numbered(a->rank(), 0), b_labels = numbered(b->rank(), kMaxRank), result;
  for (size_t i = 0; i < left.size(); ++i) {
    check_summed("tensordot", a, left[i], b, right[i]);
    b_labels[static_cast<size_t>(right[i])] = left[i];
  }
  for (const int label : a_labels)
    if (std::find(left.begin(), left.end(), label) == left.end()) result.push_back(label);
  for (const int label : b_labels)
    if (label >= kMaxRank) result.push_back(label);
  return contract("tensordot", {pair.a, std::move(a_labels)}, {pair.b, std::move(b_labels)}, result);
}

NodeRef dot(NodeRef a, NodeRef b) {
  const Pair pair = factors("dot", a, b);
  if (a->rank() == 0 || b->rank() == 0) return elementwise(Op::kMul, {pair.a, pair.b});
  const int a_axis = a->rank() - 1, b_axis = std::max(b->rank() - 2, 0);
  check_summed("dot", a, a_axis, b, b_axis);
  return tensordot(pair.a, pair.b, {&a_axis, 1}, {&b_axis, 1});
}

NodeRef vecdot(NodeRef a, NodeRef b, int axis) {
  const Pair pair = factors("vecdot", a, b);
  const int left = normalize_axis("vecdot", axis, a->rank()), right = normalize_axis("vecdot", axis, b->rank());
  check_summed("vecdot", a, left, b, right);
  Shape shape;
  try {
    shape = broadcast_shapes(a->shape, b->shape);
  } catch (const Error& e) {
    const NodeRef operands[] = {a, b};
    fail(e.code, "vecdot: ", e.message, " (", labels(operands), ")");
  }
  HARP_CHECK(axis < 0 || a->rank() == b->rank(), Code::kShape, "vecdot: axis ", axis, " for arrays of ranks ", a->rank(), " and ",
             b->rank(), "; count it from the end (-1)");
  const int along = normalize_axis("vecdot", axis, static_cast<int>(shape.size()));
  const NodeRef first = broadcast_to(conj(pair.a), shape), second = broadcast_to(pair.b, shape);
  const auto sum_of = [&](NodeRef x, NodeRef y) { return reduce(Op::kSum, elementwise(Op::kMul, {x, y}), {&along, 1}, false); };
  return is_complex(first->dtype) ? sum_of_products(first, second, sum_of) : sum_of(first, second);
}

NodeRef outer(NodeRef a, NodeRef b) {
  const Pair pair = factors("outer", a, b);
  const Labels left = numbered(a->rank(), 0), right = numbered(b->rank(), kMaxRank);
  Labels result = left;
  result.insert(result.end(), right.begin(), right.end());
  return contract("outer", {pair.a, left}, {pair.b, right}, result);
}

NodeRef trace(NodeRef x, int64_t offset, int axis1, int axis2) {
  check_node("trace", x);
  const NodeRef elements = diagonal("trace", x, offset, axis1, axis2);
  return sum(elements, std::vector<int>{-1}, false);
}

}  // namespace harp::build
