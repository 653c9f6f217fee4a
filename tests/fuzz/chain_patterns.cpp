#include "fuzz/chain_patterns.h"

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class Chain {
 public:
  explicit Chain(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    const Dim batches = random_.chance(90) ? Dim(random_.between(4, 6)) : bench_.random_dim();
    const DType dtype = random_.chance(70) ? DType::kF32 : DType::kF64;
    NodeRef x = bench_.array_of(dtype, {batches, bench_.small_dim(3, 20), bench_.small_dim(3, 40)});
    for (int64_t steps = random_.between(2, 4); steps > 0; --steps) {
      x = step(x);
      if (bench_.estimated_count(x->shape) > kMostElements) return false;
      if (random_.chance(20) && !bench_.want(x)) return false;
    }
    return bench_.want(x);
  }

 private:
  static constexpr int64_t kMostElements = 4000;

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

  /// Columns beside sums of their rows.
  NodeRef with_sums(NodeRef x) {
    const int axis[] = {1};
    const NodeRef sums = build::reduce(Op::kSum, build::elementwise(Op::kTanh, {x}), axis, true);
    return build::elementwise(Op::kAdd, {x, build::expand(sums, x->shape)});
  }

  /// What is of the batch, of another row or of another batch.
  NodeRef with_others(NodeRef x) {
    const NodeRef sums = build::softmax(x, 2);
    const NodeRef other =
        random_.chance(50) ? bench_.array_of(x->dtype, x->shape) : build::flip(sums, std::vector<int>{random_.chance(50)});
    return build::elementwise(random_.chance(50) ? Op::kAdd : Op::kMul, {sums, other});
  }

  Workbench& bench_;
  Random& random_;
};

}  // namespace

bool add_chain(Workbench& bench) { return Chain(bench).add(); }

}  // namespace harp::fuzz
