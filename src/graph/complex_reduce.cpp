// Builds sums, products, running sums and running products of complex arrays. A sum consists of the sums of the real and the imaginary
// parts. A product cannot be computed part by part, so it is computed as a tree: each of log2(n) elementwise steps multiplies neighbours
// and halves the number of elements.
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// Multiplies neighbours: returns the products of `count` pairs along the last axis.
NodeRef pairs(NodeRef z, Dim count) {
  const NodeRef first = part_along(z, -1, 0, count, 2);
  return elementwise(Op::kMul, {first, part_along(z, -1, 1, count, 2)});
}

/// Appends `by` elements that all have this value to the last axis.
NodeRef lengthened(NodeRef z, Dim by, int64_t value) {
  const std::vector<Dim> none(z->shape.size(), Dim(0));
  std::vector<Dim> after = none;
  after.back() = by;
  return pad(z, none, after, scalar_from_int(z->dtype, value));
}

/// halved_up() and halved_down() divide a size by 2^times, rounding up or down. If `times` is kMaxHalvings or more, 2^times does not fit
/// i64; the quotient rounded up is then 1 (0 if the size is 0), and the quotient rounded down is 0.
constexpr int kMaxHalvings = 63;
Dim halved_up(Dim n, int times) { return times < kMaxHalvings ? ceil_div(n, int64_t{1} << times) : harp::min(n, Dim(1)); }
Dim halved_down(Dim n, int times) { return times < kMaxHalvings ? floor_div(n, int64_t{1} << times) : Dim(0); }

/// Multiplies all elements along the last axis, and removes the axis. Each step multiplies neighbours; the last element of an odd number
/// passes unchanged. After k steps, ceil(n / 2^k) elements are left. The size after each step is stated as a function of n, because an
/// expression in terms of the size before the step would grow with every step.
NodeRef product_of_last(NodeRef z) {
  Graph& graph = check_node("prod", z);
  const Dim n = z->shape.back();
  for (int step = 1; range(z->shape.back()).hi > 1; ++step) {
    const Dim before = z->shape.back(), count = floor_div(before, 2), after = halved_up(n, step);
    if (before == Dim(2) * count) {
      z = contiguous(pairs(z, count));
      continue;
    }
    const NodeRef first = part_along(z, -1, 0, after, 2);
    const NodeRef second = lengthened(part_along(z, -1, 1, count, 2), after - count, 1);
    const NodeRef is_pair = lengthened(full(graph, {count}, Scalar::of(DType::kBool, true)), after - count, 0);
    z = contiguous(elementwise(Op::kWhere, {broadcast_to(is_pair, first->shape), elementwise(Op::kMul, {first, second}), first}));
  }
  // An array without elements is padded with a 1, which is the product of no elements.
  if (!z->shape.back().is_constant(1)) z = lengthened(z, Dim(1) - z->shape.back(), 1);
  Shape shape(z->shape.begin(), z->shape.end() - 1);
  return reshape(z, std::move(shape));
}

/// Returns the running products along the last axis. Elements 2i and 2i + 1 are a pair. The running products of the pairs' products are the
/// results at odd positions. A result at an even position is the product of all pairs before it times the element at that position.
NodeRef products_along_last(NodeRef z) {
  const Dim n = z->shape.back();
  std::vector<NodeRef> levels;
  for (int step = 1; range(z->shape.back()).hi > 1; ++step) {
    levels.push_back(z);
    z = contiguous(pairs(z, halved_down(n, step)));
  }
  for (size_t level = levels.size(); level-- > 0;) {
    const NodeRef x = levels[level];
    const Dim length = x->shape.back(), odd = z->shape.back(), even = length - odd, first = harp::min(length, Dim(1));
    // The result at index 2i + 1 is the product of all pairs up to that index. The result at index 2i is the product of all pairs before it
    // times the element at 2i. The result at index 0 is element 0.
    const NodeRef before = part_along(z, -1, 0, even - first);
    const NodeRef own = elementwise(Op::kMul, {before, part_along(x, -1, Dim(2) * first, even - first, 2)});
    const NodeRef evens[] = {part_along(x, -1, 0, first), own};
    // Interleave the even and the odd results as two columns. The odd column may be shorter; it is padded, and the padding is cut off
    // afterwards. At rank kMaxRank, all other axes are merged into one, because the column axis is an additional axis.
    Shape rows = x->shape, interleaved = x->shape;
    rows.back() = even;
    interleaved.back() = Dim(2) * even;
    if (x->rank() == kMaxRank) rows = {element_count(Shape(rows.begin(), rows.end() - 1)), rows.back()};
    const NodeRef columns[] = {reshape(concat(evens, -1), rows), reshape(lengthened(z, even - odd, 0), rows)};
    z = contiguous(part_along(reshape(stack(columns, -1), interleaved), -1, 0, length));
  }
  return z;
}

/// Moves these axes to the end, in this order.
NodeRef moved_to_end(NodeRef z, std::span<const int> axes) {
  std::vector<int> order;
  for (int axis = 0; axis < z->rank(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  order.insert(order.end(), axes.begin(), axes.end());
  return permute(z, order);
}

template <class Build>
NodeRef of_each_part(NodeRef z, Build build) {
  const Parts parts = parts_of(z);
  const NodeRef re = build(parts.re);
  return complex_from_parts(re, build(parts.im));
}

void check_is_sum(Op op, Op sum, NodeRef source) {
  HARP_CHECK(op == sum, Code::kInvalidArgument, name(op), ": the order of a product of ", name(source->dtype), " is fixed (", label(source),
             "); omit order");
}

}  // namespace

NodeRef complex_reduce(Op op, NodeRef source, std::span<const int> axes) {
  if (op == Op::kSum) return of_each_part(source, [&](NodeRef part) { return reduce(op, part, axes, false); });
  NodeRef z = moved_to_end(source, axes);
  Shape shape(z->shape.begin(), z->shape.end() - static_cast<int64_t>(axes.size()));
  shape.push_back(element_count(Shape(z->shape.end() - static_cast<int64_t>(axes.size()), z->shape.end())));
  return product_of_last(reshape(z, std::move(shape)));
}

NodeRef complex_reduce_exactly(Op op, NodeRef source, const ReduceAttributes& attributes) {
  check_is_sum(op, Op::kSum, source);
  return of_each_part(source, [&](NodeRef part) { return reduce_exactly(op, part, attributes); });
}

NodeRef complex_scan(Op op, NodeRef source, int axis, bool reverse) {
  if (op == Op::kCumSum) return of_each_part(source, [&](NodeRef part) { return scan(op, part, axis, reverse); });
  const int moved[] = {axis};
  NodeRef z = moved_to_end(source, moved);
  const std::vector<int> last = {z->rank() - 1};
  z = products_along_last(reverse ? flip(z, last) : z);
  return moveaxis(reverse ? flip(z, last) : z, last, moved);
}

NodeRef complex_scan_exactly(Op op, NodeRef source, const ScanAttributes& attributes) {
  check_is_sum(op, Op::kCumSum, source);
  return of_each_part(source, [&](NodeRef part) { return scan_exactly(op, part, attributes); });
}

}  // namespace harp::build
