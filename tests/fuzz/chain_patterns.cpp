#include "fuzz/chain_patterns.h"

#include <array>
#include <numeric>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

/// A random number of rows or columns; in three of four cases a constant.
Dim some_dim(Workbench& bench, int64_t lo, int64_t hi) { return bench.random().chance(75) ? bench.small_dim(lo, hi) : bench.random_dim(); }

class Chain {
 public:
  explicit Chain(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    const Dim batches = random_.chance(90) ? Dim(random_.between(4, 6)) : bench_.random_dim();
    const DType dtype = random_.chance(70) ? DType::kF32 : DType::kF64;
    NodeRef x = bench_.array_of(dtype, {batches, some_dim(bench_, 3, 20), some_dim(bench_, 3, 40)});
    for (int64_t steps = random_.between(2, 4); steps > 0; --steps) {
      x = step(x);
      if (bench_.estimated_count(x->shape) > kMaxElements) return false;
      if (random_.chance(20) && !bench_.want(x)) return false;
    }
    return bench_.want(x);
  }

 private:
  static constexpr int64_t kMaxElements = 4000;

  NodeRef step(NodeRef x) {
    const Dim &batches = x->shape[0], &rows = x->shape[1], &columns = x->shape[2];
    const int transposition[] = {0, 2, 1};
    switch (random_.below(8)) {
      case 0:
      case 1: return build::matmul(x, bench_.array_of(x->dtype, {batches, columns, bench_.small_dim(8, 20)}));
      case 2: return build::matmul(bench_.array_of(x->dtype, {batches, bench_.small_dim(4, 12), rows}), x);
      case 3: return build::softmax(x, 2);
      case 4: return build::softmax(x, 1);
      case 5: return build::permute(build::softmax(x, 2), transposition);
      case 6: return with_sums(x);
      default: return with_others(x);
    }
  }

  /// Returns x plus, for each element, the sum of tanh over the row of that element.
  NodeRef with_sums(NodeRef x) {
    const int axis[] = {1};
    const NodeRef sums = build::reduce(Op::kSum, build::elementwise(Op::kTanh, {x}), axis, true);
    return build::elementwise(Op::kAdd, {x, build::expand(sums, x->shape)});
  }

  /// Combines the softmax of x with another array, or with the same softmax flipped along an axis, so that the result for one row or batch
  /// depends on another row or batch.
  NodeRef with_others(NodeRef x) {
    const NodeRef sums = build::softmax(x, 2);
    const NodeRef other =
        random_.chance(50) ? bench_.array_of(x->dtype, x->shape) : build::flip(sums, std::vector<int>{random_.chance(50)});
    return build::elementwise(random_.chance(50) ? Op::kAdd : Op::kMul, {sums, other});
  }

  Workbench& bench_;
  Random& random_;
};

/// Builds a matrix product, then operations on each row of the result, then another product, as in attention.
class RowByRow {
 public:
  explicit RowByRow(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    const DType dtype = random_.chance(70) ? DType::kF32 : random_.chance(50) ? DType::kF64 : DType::kF16;
    Shape batch;
    for (int64_t axes = random_.below(3); axes > 0; --axes) batch.push_back(random_.between(1, 5));
    const Dim rows = some_dim(bench_, 6, 40), columns = some_dim(bench_, 4, 30), terms = bench_.small_dim(1, 6);
    NodeRef x = build::matmul(bench_.array_of(dtype, with(batch, {rows, terms})), factor(dtype, batch, {terms, columns}));
    for (int64_t steps = random_.between(1, 3); steps > 0; --steps) {
      x = step(x);
      if (bench_.estimated_count(x->shape) > kMaxElements) return false;
      if (random_.chance(5) && !bench_.want(x)) return false;
      if (random_.chance(20) && !bench_.want(row_sums(x))) return false;
    }
    x = build::matmul(x, factor(dtype, batch, {x->shape.back(), bench_.small_dim(1, 6)}));
    if (random_.chance(20)) x = build::elementwise(Op::kAdd, {x, bench_.array_of(dtype, x->shape)});
    return bench_.want(x);
  }

 private:
  static constexpr int64_t kMaxElements = 8000;

  static Shape with(Shape batch, std::initializer_list<Dim> last) {
    batch.insert(batch.end(), last);
    return batch;
  }
  /// The second operand of a matrix product. Sometimes all batches share one matrix, and sometimes the matrix is transposed.
  NodeRef factor(DType dtype, Shape batch, std::array<Dim, 2> last) {
    if (random_.chance(20)) batch.clear();
    for (Dim& size : batch)
      if (random_.chance(15)) size = 1;
    if (random_.chance(50)) return bench_.array_of(dtype, with(batch, {last[0], last[1]}));
    std::vector<int> turned(batch.size());
    std::iota(turned.begin(), turned.end(), 0);
    const int rank = static_cast<int>(batch.size());
    turned.insert(turned.end(), {rank + 1, rank});
    return build::permute(bench_.array_of(dtype, with(batch, {last[1], last[0]})), turned);
  }
  NodeRef row_sums(NodeRef x) {
    const int axis[] = {static_cast<int>(x->shape.size()) - 1};
    return build::reduce(random_.chance(50) ? Op::kSum : Op::kReduceMax, x, axis, random_.chance(50));
  }
  NodeRef step(NodeRef x) {
    const int last = static_cast<int>(x->shape.size()) - 1;
    switch (random_.below(7)) {
      case 0:
      case 1: return build::softmax(x, last);
      case 2:
        return build::softmax(x, random_.below(last + 1));  // often not the last axis, so that rows depend on each other
      // adds or multiplies by a mask or bias, which either is the same for all batches or has separate values for each batch
      case 3: {
        const Shape own = random_.chance(50) ? x->shape : Shape(x->shape.end() - 2, x->shape.end());
        const NodeRef bias = build::expand(build::reshape(bench_.array_of(x->dtype, own), ones_before(own, x->shape.size())), x->shape);
        return build::elementwise(random_.chance(50) ? Op::kAdd : Op::kMul, {x, bias});
      }
      case 4: return build::elementwise(Op::kTanh, {x});
      case 5: {
        const NodeRef sums = build::reduce(Op::kSum, x, std::vector<int>{last}, true);
        return build::elementwise(Op::kAdd, {x, build::expand(sums, x->shape)});
      }
      default: return build::matmul(x, bench_.array_of(x->dtype, {x->shape.back(), bench_.small_dim(3, 8)}));
    }
  }
  static Shape ones_before(const Shape& shape, size_t rank) {
    Shape all(rank - shape.size(), Dim(1));
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
  }

  Workbench& bench_;
  Random& random_;
};

}  // namespace

bool add_chain(Workbench& bench) { return Chain(bench).add(); }
bool add_row_by_row(Workbench& bench) { return RowByRow(bench).add(); }

}  // namespace harp::fuzz
