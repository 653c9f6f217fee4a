#include "fuzz/window_patterns.h"

#include <array>

#include "grad/gradient.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class WindowPattern {
 public:
  explicit WindowPattern(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    if (random_.chance(20)) return random_.chance(70) ? add_gradient_of_weights() : add_filters_of_groups();
    if (random_.chance(20)) return add_gradient_of_input();
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
  static constexpr int64_t kMaxElements = 4000, kMaxProducts = 24'000;

  Dim size(int64_t lo, int64_t hi) { return random_.chance(60) ? bench_.small_dim(lo, hi) : bench_.random_dim(); }

  /// Adds the gradient of the weights of a convolution: a product with windows, summed over all pixels, with the channels as the last axis.
  bool add_gradient_of_weights() {
    const DType dtype = random_.chance(60) ? DType::kF32 : random_.pick(std::vector<DType>{DType::kF64, DType::kF16, DType::kI32});
    const Dim pictures = random_.chance(50) ? Dim(1) : bench_.small_dim(1, 2), channels = bench_.small_dim(8, 10);
    NodeRef x = bench_.array_of(dtype, {pictures, channels, bench_.small_dim(4, 5), random_.chance(70) ? bench_.small_dim(5, 6) : Dim(9)});
    if (random_.chance(30)) x = build::elementwise(Op::kMul, {x, x});
    if (random_.chance(50)) {
      const std::vector<Dim> rim = {0, 0, 1, random_.between(0, 2)};
      x = build::pad_mode(x, rim, rim, bench_.random_scalar(x->dtype), "constant");
    }
    const int64_t stride = random_.chance(80) ? 1 : 2;
    for (const int axis : {2, 3}) x = build::unfold(x, axis, Dim(random_.between(2, 3)), stride, 1);
    const int channels_last[] = {0, 2, 3, 4, 5, 1};
    const NodeRef windows = build::permute(x, channels_last);
    const Dim filters = bench_.small_dim(4, 6);
    const Shape& of = windows->shape;
    const Shape space = {pictures, filters, of[1], of[2], of[3], of[4], channels};
    if (const int64_t terms = bench_.estimated_count(space); terms < 0 || terms > kMaxProducts) return false;
    const NodeRef gradient = bench_.array_of(dtype, {pictures, filters, of[1], of[2]});
    const NodeRef products = build::elementwise(
        Op::kMul, {build::expand(build::reshape(gradient, Shape{pictures, filters, of[1], of[2], 1, 1, 1}), space),
                   build::expand(build::reshape(windows, Shape{pictures, 1, of[1], of[2], of[3], of[4], channels}), space)});
    return bench_.want(build::reduce(Op::kSum, products, std::vector<int>{0, 2, 3}, false));
  }

  /// Adds the gradient of the input of a convolution or a transposed convolution, or some rows of it.
  bool add_gradient_of_input() {
    const DType dtype = random_.chance(70) ? DType::kF32 : random_.pick(std::vector<DType>{DType::kF64, DType::kF16, DType::kC64});
    const int spatial = random_.chance(40) ? 1 : 2;
    const int64_t groups = random_.chance(30) ? 2 : 1;
    const bool is_transposed = random_.chance(40);
    const auto each = [&] { return random_.pick(std::vector<int64_t>{1, 2, 3, 16}); };
    Shape of_x = {bench_.small_dim(1, 3), Dim(groups * each())}, of_w = {of_x[1], Dim(each())};
    if (!is_transposed) of_w = {Dim(groups * each()), Dim(of_x[1].constant() / groups)};
    std::vector<int64_t> stride, dilation;
    std::vector<build::Padding> padding;
    for (int i = 0; i < spatial; ++i) {
      const int64_t taps = random_.between(1, 4);
      of_w.emplace_back(taps);
      stride.push_back(random_.between(1, 3));
      dilation.push_back(random_.chance(80) ? 1 : 2);
      padding.push_back({Dim(random_.between(0, 1)), Dim(random_.between(0, 1))});
      const std::optional<Dim> variable = random_.chance(30) ? bench_.random_variable() : std::nullopt;
      of_x.push_back(variable ? *variable + Dim(7) : bench_.small_dim(7, spatial == 1 ? 40 : 10));
    }
    Shape space = of_x;
    space.insert(space.end(), of_w.begin() + 2, of_w.end());
    space.push_back(is_transposed ? of_w[1] : of_w[0]);
    if (const int64_t terms = bench_.estimated_count(space); terms < 0 || terms > kMaxProducts) return false;
    const NodeRef x = bench_.array_of(dtype, of_x);
    const build::ConvOperands operands = {x, bench_.array_of(dtype, of_w), nullptr};
    const NodeRef y = is_transposed ? build::conv_transpose(spatial, operands, stride, padding, std::vector<int64_t>{0}, dilation, groups)
                                    : build::conv(spatial, operands, stride, padding, dilation, groups);
    const NodeRef dx = grad::gradients(y, std::vector<NodeRef>{x}, bench_.array_of(dtype, y->shape), grad::WhereIndependent::kZeros)[0];
    std::vector<build::SliceSpec> part(of_x.size());
    if (random_.chance(30))
      part[2 + random_.below(static_cast<uint64_t>(spatial))] = {Dim(1), Dim(random_.between(2, 6)), random_.between(1, 2)};
    return bench_.want(build::slice(dx, part));
  }

  /// Adds products of windows with filters that differ from group to group. The pixels are the last axis of the result; the axis of the
  /// groups comes before or after that of the filters.
  bool add_filters_of_groups() {
    const DType dtype = random_.chance(70) ? DType::kF32 : DType::kF64;
    const Dim filters = random_.pick(std::vector<int64_t>{3, 16, 17, 32}), groups = bench_.small_dim(2, 4),
              channels = bench_.small_dim(2, 4);
    const Dim taps = bench_.small_dim(4, 8);
    const NodeRef x =
        bench_.array_of(dtype, {groups, channels, random_.chance(60) ? bench_.small_dim(8, 24) : bench_.random_dim() + Dim(8)});
    const int taps_before_pixels[] = {0, 1, 3, 2};
    const NodeRef windows = build::permute(build::unfold(x, 2, taps, random_.between(1, 2), 1), taps_before_pixels);
    const Dim& pixels = windows->shape.back();
    const bool are_groups_first = random_.chance(30);
    const Shape of_filters = are_groups_first ? Shape{groups, filters, channels, taps} : Shape{filters, groups, channels, taps};
    Shape ones = of_filters, space = of_filters;
    ones.emplace_back(1), space.push_back(pixels);
    if (const int64_t terms = bench_.estimated_count(space); terms < 0 || terms > kMaxProducts) return false;
    const Shape of_windows = are_groups_first ? Shape{groups, 1, channels, taps, pixels} : Shape{1, groups, channels, taps, pixels};
    const NodeRef products = build::elementwise(Op::kMul, {build::expand(build::reshape(bench_.array_of(dtype, of_filters), ones), space),
                                                           build::expand(build::reshape(windows, of_windows), space)});
    return bench_.want(build::reduce(Op::kSum, products, std::vector<int>{2, 3}, false));
  }

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
