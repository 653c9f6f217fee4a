// Sums, products and running ones of complex arrays. Sums are those of the parts. Products are trees of neighbours, because a product of
// complex numbers is none of their parts: log2(n) elementwise steps, each over half of what the one before had.
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// a · b of neighbours along the last axis: `count` of them.
NodeRef pairs(NodeRef z, Dim count) {
  const NodeRef first = part_along(z, -1, 0, count, 2);
  return elementwise(Op::kMul, {first, part_along(z, -1, 1, count, 2)});
}

/// `by` more elements of this value at the end of the last axis.
NodeRef lengthened(NodeRef z, Dim by, int64_t value) {
  const std::vector<Dim> none(z->shape.size(), Dim(0));
  std::vector<Dim> after = none;
  after.back() = by;
  return pad(z, none, after, scalar_from_int(z->dtype, value));
}

/// What is left of a size after so many halvings, rounded up or down: after as many as a size has bits one, if there is any, or none.
constexpr int kMostHalvings = 63;
Dim halved_up(Dim n, int times) { return times < kMostHalvings ? ceil_div(n, int64_t{1} << times) : harp::min(n, Dim(1)); }
Dim halved_down(Dim n, int times) { return times < kMostHalvings ? floor_div(n, int64_t{1} << times) : Dim(0); }

/// The products along the last axis, which goes: of neighbours, of neighbours of these, and so on. An odd last element is taken along as it
/// is. After k steps there are n / 2^k, rounded up; said so each time, because what a step makes of sizes would grow without end.
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
  if (!z->shape.back().is_constant(1)) z = lengthened(z, Dim(1) - z->shape.back(), 1);  // of no element the product is 1
  Shape shape(z->shape.begin(), z->shape.end() - 1);
  return reshape(z, std::move(shape));
}

/// Running products along the last axis: those of the pairs are every second result, and with the element before them the others.
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
    // Element 2i is the first one, or the pairs before it times itself; element 2i + 1 is the pairs up to it.
    const NodeRef before = part_along(z, -1, 0, even - first);
    const NodeRef own = elementwise(Op::kMul, {before, part_along(x, -1, Dim(2) * first, even - first, 2)});
    const NodeRef evens[] = {part_along(x, -1, 0, first), own};
    // The two columns side by side, the odd one lengthened by what is cut off again. At the greatest rank the other axes make room for
    // theirs.
    Shape rows = x->shape, interleaved = x->shape;
    rows.back() = even;
    interleaved.back() = Dim(2) * even;
    if (x->rank() == kMaxRank) rows = {element_count(Shape(rows.begin(), rows.end() - 1)), rows.back()};
    const NodeRef columns[] = {reshape(concat(evens, -1), rows), reshape(lengthened(z, even - odd, 0), rows)};
    z = contiguous(part_along(reshape(stack(columns, -1), interleaved), -1, 0, length));
  }
  return z;
}

/// The axes in this order at the end.
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
             "); give none");
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
