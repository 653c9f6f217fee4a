// Builds the adjoint of y = logcumsumexp(x). If g is the gradient of y, the gradient of x[k] is the sum over all i >= k of g[i] · exp(x[k]
// - y[i]), where exp(x[k] - y[i]) is the share of x[k] in y[i].
//
// The formula "running sum of g[i] · exp(-y[i]), times exp(x[k])" cannot be used: its exponentials overflow. Logarithms of these terms
// cannot be summed either: near 1e8, the rounding error of a logarithm in f32 exceeds log(2). Therefore the differences x[k] - y[i] are
// computed for each pair, but only for pairs in the same block. What the elements i of later blocks contribute to a block is summed once
// for the whole block, relative to y at the block's last element: the sum of g[i] · exp(y[last] - y[i]). For each element k of the block
// this sum is then multiplied by exp(x[k] - y[last]). The running sum y never decreases, so no exponential exceeds 1. The result is linear
// in g, so higher derivatives are correct too.
#include <limits>

#include "grad/placing.h"
#include "grad/rules.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::grad {
namespace {

using namespace build::steps;
using build::constant_like, build::elementwise, build::sub;

constexpr int64_t kBlock = 64;
/// An array that is cut into blocks has the axes [before, blocks, elements, after]. These are the indices of the middle two axes.
constexpr int kBlocks = 1, kElements = 2;

/// The source x, the result y and the gradient g of the result, cut into blocks. If the scan is reversed, they are reversed along the axis
/// first.
class Blocks {
 public:
  explicit Blocks(const Step& s)
      : graph_(check_node("grad", s.y)), attributes_(s.y->as<ScanAttributes>()), whole_(s.y->shape), length_(whole_[axis()]) {
    const auto along = whole_.begin() + attributes_.axis;
    before_ = element_count({whole_.begin(), along}), after_ = element_count({along + 1, whole_.end()});
    size_ = range(length_).hi <= kBlock ? length_ : Dim(kBlock);
    count_ = range(length_).hi <= kBlock ? Dim(1) : ceil_div(length_, kBlock);
    x_ = cut(s.a()), y_ = cut(s.y), g_ = cut(s.g);
  }

  NodeRef adjoint() const {
    NodeRef result = from_own_block();
    if (!count_.is_constant(1)) result = add({result, from_later_blocks()});
    result = resized(build::reshape(result, {before_, count_ * size_, after_}), 1, length_);
    return build::reshape(attributes_.reverse ? flipped(result) : result, whole_);
  }

 private:
  size_t axis() const { return static_cast<size_t>(attributes_.axis); }
  static NodeRef flipped(NodeRef x) { return build::flip(x, std::vector<int>{1}); }
  static NodeRef both(NodeRef a, NodeRef b) { return elementwise(Op::kBitAnd, {a, b}); }

  NodeRef cut(NodeRef v) const {
    v = build::reshape(v, {before_, length_, after_});
    if (attributes_.reverse) v = flipped(v);
    return build::reshape(padded_after(v, 1, count_ * size_ - length_), {before_, count_, size_, after_});
  }
  Shape shape() const { return {before_, count_, size_, after_}; }

  /// False where y, the logarithm of a running sum of exponentials, is -inf because all elements of x so far are -inf; true elsewhere.
  static NodeRef is_something(NodeRef y) { return elementwise(Op::kNe, {y, constant_like(y, -std::numeric_limits<double>::infinity())}); }
  /// True for the elements i that contribute to gradients: y is not -inf, and the element is not padding after the end of the array.
  NodeRef counts() const {
    const Dim all = count_ * size_;
    if (all == length_) return is_something(y_);
    const NodeRef number = build::arange(graph_, all), end = build::cast(build::size(graph_, length_), number->dtype);
    const NodeRef is_element = build::broadcast_to(build::reshape(lt({number, end}), {1, count_, size_, 1}), shape());
    return both(is_element, is_something(y_));
  }
  /// Returns exp(a - b) · factor where `mask` is true, else 0. Where it is false, exp is applied to 0 instead of a - b, so that no infinity
  /// or NaN enters a gradient.
  static NodeRef share(NodeRef mask, NodeRef a, NodeRef b, NodeRef factor) {
    const NodeRef zero = constant_like(a, 0);
    return where({mask, mul({exp(where({mask, sub(a, b), zero})), factor}), zero});
  }
  static NodeRef sum_over(NodeRef x, int axis) { return build::reduce(Op::kSum, x, std::span(&axis, 1), false); }
  /// `of_block` has one element per block, in the shape [before, blocks, 1, after]. Broadcasts it to all elements of the blocks.
  NodeRef stretched(NodeRef of_block) const { return build::broadcast_to(of_block, shape()); }

  /// Returns, for each element k, the sum of what the elements i of the same block contribute to its gradient. Arrays of pairs have the
  /// shape [before, blocks, k, i, after].
  NodeRef from_own_block() const {
    const Shape pairs = {before_, count_, size_, size_, after_};
    const auto of_k = [&](NodeRef v) { return build::broadcast_to(build::reshape(v, {before_, count_, size_, 1, after_}), pairs); };
    const auto of_i = [&](NodeRef v) { return build::broadcast_to(build::reshape(v, {before_, count_, 1, size_, after_}), pairs); };
    const NodeRef not_before = le({positions(graph_, pairs, 2), positions(graph_, pairs, 3)});
    const NodeRef counted = both(not_before, of_i(counts())), x = of_k(x_), y = of_i(y_);
    return sum_over(share(counted, x, y, of_i(g_)), 3);
  }

  /// Returns, for each element, the sum of what the elements of later blocks contribute to its gradient. First, for each block k, the
  /// contributions of all blocks i > k are summed with the last y of block k in place of x; the sum is then multiplied by exp(x - last y)
  /// for each element of block k. Arrays of pairs of blocks have the shape [before, k, i, after].
  NodeRef from_later_blocks() const {
    const NodeRef first = build::part_along(y_, kElements, 0, 1), last = build::part_along(y_, kElements, size_ - 1, 1);
    const NodeRef counted = counts();
    const NodeRef of_first = sum_over(share(counted, stretched(first), y_, g_), kElements);
    const Shape pairs = {before_, count_, count_, after_};
    const auto of_k = [&](NodeRef v) { return build::broadcast_to(build::reshape(v, {before_, count_, 1, after_}), pairs); };
    const auto of_i = [&](NodeRef v) { return build::broadcast_to(build::reshape(v, {before_, 1, count_, after_}), pairs); };
    const NodeRef is_before = lt({positions(graph_, pairs, 1), positions(graph_, pairs, 2)});
    const NodeRef counted_last = both(is_before, of_k(is_something(last))), last_of_k = of_k(last), first_of_i = of_i(first);
    const NodeRef later = sum_over(share(counted_last, last_of_k, first_of_i, of_i(of_first)), 2);
    const NodeRef some = stretched(is_something(last));
    const NodeRef has_later =
        both(some, lt({positions(graph_, shape(), kBlocks), build::cast(build::size(graph_, count_ - 1), DType::kI32)}));
    const NodeRef stretched_last = stretched(last);
    return share(has_later, x_, stretched_last, stretched(build::reshape(later, {before_, count_, 1, after_})));
  }

  Graph& graph_;
  const ScanAttributes& attributes_;
  const Shape& whole_;
  Dim length_, before_, after_, size_, count_;
  NodeRef x_, y_, g_;
};

}  // namespace

NodeRef adjoint_of_logcumsumexp(const Step& s) {
  if (!is_half(s.y->dtype)) return Blocks(s).adjoint();
  const NodeRef x = build::cast(s.a(), DType::kF32), g = build::cast(s.g, DType::kF32);
  return build::cast(Blocks({build::scan_exactly(s.y->op, x, s.y->as<ScanAttributes>()), g, 0}).adjoint(), s.y->dtype);
}

}  // namespace harp::grad
