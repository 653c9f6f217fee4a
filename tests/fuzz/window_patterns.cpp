#include "fuzz/window_patterns.h"

#include <array>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class WindowPattern {
 public:
  explicit WindowPattern(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    const Shape shape = {bench_.small_dim(1, 3), size(5, 12), size(5, 40)};
    if (bench_.estimated_count(shape) > kMaxElements) return false;
    const DType dtype = random_.chance(60) ? DType::kF32 : random_.chance(40) ? DType::kF64 : bench_.random_dtype();
    NodeRef x = bench_.array_of(is_bool(dtype) || is_complex(dtype) ? DType::kI32 : dtype, shape);
    if (random_.chance(30)) x = build::elementwise(Op::kMul, {x, x});
    if (random_.chance(30)) x = continued(x);
    const uint64_t kind = random_.below(4);
    const NodeRef y = kind == 0 ? continued(x) : kind == 1 ? few_rows(x) : pooled(x);
    return y != nullptr && bench_.want(random_.chance(40) ? build::elementwise(Op::kAdd, {y, y}) : y);
  }

 private:
  static constexpr int64_t kMaxElements = 4000;

  Dim size(int64_t lo, int64_t hi) { return random_.chance(60) ? bench_.small_dim(lo, hi) : bench_.random_dim(); }

  /// Pads rows and columns at both ends. The padding may be longer than the padded axis.
  NodeRef continued(NodeRef x) {
    constexpr std::string_view kModes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};
    // an array that may be empty cannot be padded with its own elements
    if (range(x->shape[1]).lo == 0 || range(x->shape[2]).lo == 0) return x;
    const std::vector<Dim> before = {0, bench_.small_dim(0, 3), bench_.small_dim(0, 3)},
                           after = {0, bench_.small_dim(0, 3), bench_.small_dim(0, 20)};
    return build::pad_mode(x, before, after, bench_.random_scalar(x->dtype), kModes[random_.below(std::size(kModes))]);
  }

  /// Reduces windows of the last two axes, as in pooling.
  NodeRef pooled(NodeRef x) {
    for (const int axis : {1, 2}) {
      const int64_t window = random_.between(1, 4), dilation = random_.chance(80) ? 1 : 2;
      if (range(x->shape[static_cast<size_t>(axis)]).lo <= (window - 1) * dilation) return nullptr;
      x = build::unfold(x, axis, Dim(window), random_.between(1, 5), dilation);
    }
    return reduced(x, {3, 4});
  }

  /// Reduces each matrix over its rows. The number of rows is a small constant.
  NodeRef few_rows(NodeRef x) {
    const int order[] = {1, 0, 2};
    return reduced(random_.chance(50) ? build::permute(x, order) : x, {1});
  }

  NodeRef reduced(NodeRef x, const std::vector<int>& axes) {
    if (random_.chance(30)) x = build::elementwise(Op::kMul, {x, bench_.array_of(x->dtype, x->shape)});
    const Op op = random_.pick(std::vector<Op>{Op::kSum, Op::kSum, Op::kReduceMax, Op::kReduceMin, Op::kProd});
    const bool is_product = op == Op::kSum && x->op == Op::kMul && is_float(x->dtype);
    const auto chain = [&](Op of) { return build::reduce_exactly(of, x, {axes, ReduceOrder::kChain, of == Op::kSum && is_product}); };
    if (random_.chance(30)) bench_.want(chain(Op::kReduceMax));
    return random_.chance(80) ? chain(op) : build::reduce(op, x, axes, random_.chance(20));
  }

  Workbench& bench_;
  Random& random_;
};

}  // namespace

bool add_windows(Workbench& bench) { return WindowPattern(bench).add(); }

}  // namespace harp::fuzz
