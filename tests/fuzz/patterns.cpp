#include "fuzz/patterns.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "fuzz/arguments.h"
#include "fuzz/chain_patterns.h"
#include "fuzz/fourier_patterns.h"
#include "fuzz/index_arguments.h"
#include "fuzz/layer_patterns.h"
#include "fuzz/op_pairs.h"
#include "fuzz/product_patterns.h"
#include "fuzz/short_axis_patterns.h"
#include "fuzz/window_patterns.h"
#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class Formulas {
 public:
  explicit Formulas(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    if (bench_.options().large_axes && random_.chance(30)) return long_reduction();
    switch (random_.below(22)) {
      case 0: return matmul();
      case 1: return stencil();
      case 2: return convolution();
      case 3: return running();
      case 4: return looked_up();
      case 5:
      case 6: return row_by_row();
      case 7: return normalise();
      case 8: return crossed();
      case 9: return sorted_rows();
      case 10:
      case 11: return add_chain(bench_);
      case 12: return add_row_by_row(bench_);
      case 13: return add_layers(bench_);
      case 14: return arg_extremes();
      case 15:
      case 16: return add_windows(bench_);
      case 17:
      case 18: return add_short_axes(bench_);
      case 19: return add_transforms(bench_);
      default: return add_product(bench_);
    }
  }

 private:
  DType number_dtype() { return random_.chance(60) ? DType::kF32 : random_.chance(60) ? DType::kF64 : DType::kI32; }
  NodeRef some_floats(int least_rank, int most_rank) {
    return bench_.find([=](NodeRef n) { return is_float(n->dtype) && n->rank() >= least_rank && n->rank() <= most_rank; });
  }

  /// A factor of a product. For a product in i32 it often is an array of a narrower dtype that is cast to i32, with or without an added
  /// zero point.
  NodeRef factor(DType dtype, const Shape& shape) {
    if (dtype != DType::kI32 || random_.chance(40)) return bench_.array_of(dtype, shape);
    constexpr DType kNarrow[] = {DType::kI8, DType::kU8, DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kBool};
    const NodeRef wide = build::cast(bench_.array_of(random_.pick(kNarrow), shape), dtype);
    if (random_.chance(75)) return wide;
    return build::elementwise(Op::kAdd, {wide, build::constant(bench_.graph(), scalar_from_int(dtype, random_.between(-200, 200)))});
  }

  /// sum over k of a[i, k] · b[k, j]: a contraction in chain order (the order of summation for products).
  bool matmul() {
    const auto dim = [&](int64_t lo, int64_t hi) { return random_.chance(50) ? bench_.small_dim(lo, hi) : bench_.random_dim(); };
    // enough for several tiles and, with more than 256 terms, for two blocks of the order of summation (docs/semantics.md, "Sums")
    const Dim rows = dim(4, 12), inner = dim(100, 400), columns = dim(8, 20);
    const DType dtype = number_dtype();
    const NodeRef a = factor(dtype, {rows, inner}), b = factor(dtype, {inner, columns});
    if (bench_.estimated_count({rows, inner, columns}) > 40'000) return false;
    const bool transposed = random_.chance(40);  // true: the summed axis k is the last axis of the product and of the view of b
    const Shape cube = transposed ? Shape{rows, columns, inner} : Shape{rows, inner, columns};
    const int transposition[] = {1, 0};
    const NodeRef left = build::expand(transposed ? build::reshape(a, {rows, 1, inner}) : build::reshape(a, {rows, inner, 1}), cube);
    const NodeRef right = transposed ? build::expand(build::reshape(build::permute(b, transposition), {1, columns, inner}), cube)
                                     : build::expand(build::reshape(b, {1, inner, columns}), cube);
    const int axis[] = {transposed ? 2 : 1};
    if (random_.chance(15)) bench_.keep(build::elementwise(Op::kMax, {left, right}));
    return bench_.keep(build::reduce(Op::kSum, build::elementwise(Op::kMul, {left, right}), axis, random_.chance(30)));
  }

  /// Transposed views, whose last axis is not contiguous in memory, used together with contiguous arrays: as an output, in a product, in a
  /// condition. All these expressions become outputs, and the memory of an output may overlap inputs that other outputs read.
  bool crossed() {
    const Dim rows = random_.chance(50) ? bench_.small_dim(7, 40) : bench_.random_dim();
    Shape shape = {rows, random_.chance(50) ? rows : bench_.random_dim()};
    if (random_.chance(30)) shape.insert(shape.begin() + static_cast<ptrdiff_t>(random_.below(3)), bench_.small_dim(1, 3));
    std::vector<int> axes(shape.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
    std::swap(axes.back(), axes[random_.below(axes.size() - 1)]);
    const DType dtype = random_.chance(50) ? DType::kF32 : bench_.random_dtype();
    const NodeRef seen = build::permute(bench_.array_of(dtype, shape), axes), contiguous_operand = bench_.array_of(dtype, seen->shape);
    if (random_.chance(60)) bench_.want(seen);
    if (random_.chance(40)) bench_.want(build::elementwise(Op::kMul, {contiguous_operand, build::flip(seen, std::vector<int>{0})}));
    if (random_.chance(30))
      bench_.want(build::elementwise(Op::kWhere, {build::elementwise(Op::kEq, {contiguous_operand, seen}), seen, contiguous_operand}));
    if (random_.chance(20)) bench_.want(build::elementwise(Op::kAdd, {contiguous_operand, contiguous_operand}));
    return bench_.want(build::elementwise(Op::kAdd, {contiguous_operand, seen}));
  }

  /// Sorts rows or columns. There may be few of them or enough to sort several interleaved, and they may be short or long. Elements are
  /// distinct, or take only a few values that include both zeros and NaN. The sort permutation may also be an output. Sometimes only the
  /// first elements of the sorted rows are outputs.
  bool sorted_rows() {
    const Dim n = random_.chance(30) ? bench_.random_dim() : bench_.small_dim(1, random_.chance(30) ? 300 : 40);
    Shape shape = {random_.chance(70) ? bench_.small_dim(8, 70) : bench_.random_dim(), n};
    if (bench_.estimated_count(shape) > 10'000) return false;
    const int axis = random_.chance(20) ? 0 : 1;
    if (axis == 0) std::swap(shape[0], shape[1]);
    NodeRef x = bench_.array_of(random_.chance(30) ? DType::kF32 : bench_.random_dtype(), shape);
    if (random_.chance(40) && accepts(Op::kSign, x->dtype)) x = build::elementwise(Op::kSign, {x});
    const bool descending = random_.chance(40);
    if (const int64_t least = range(n).lo; least >= 1 && random_.chance(40)) {
      const std::vector<NodeRef> first =
          build::topk(x, bench_.small_dim(1, random_.chance(60) ? std::min<int64_t>(least, 9) : least), axis, descending);
      if (random_.chance(50) && !bench_.want(first[1])) return false;
      return bench_.want(first[0]);
    }
    if (random_.chance(20)) bench_.want(build::argsort(x, axis, descending));
    return bench_.want(build::sort(x, axis, descending));
  }

  /// Argmax or argmin of arrays with repeated or arbitrary values, and also the maximum or minimum itself.
  bool arg_extremes() {
    const auto dim = [&](int64_t lo, int64_t hi) { return random_.chance(60) ? bench_.small_dim(lo, hi) : bench_.random_dim(); };
    Shape shape = {dim(1, 40), dim(1, 300)};
    if (random_.chance(30)) shape.insert(shape.begin(), bench_.small_dim(1, 3));
    const int axis[] = {static_cast<int>(random_.below(shape.size()))};
    if (shape[static_cast<size_t>(axis[0])].is_constant(0) || bench_.estimated_count(shape) > 20'000) return false;
    NodeRef x = bench_.array_of(random_.chance(50) ? DType::kF32 : bench_.random_dtype(), shape);
    if (is_complex(x->dtype)) return false;
    if (random_.chance(40) && accepts(Op::kSign, x->dtype)) x = build::elementwise(Op::kSign, {x});
    const bool greatest = random_.chance(50), keepdims = random_.chance(30);
    if (random_.chance(40)) bench_.want(build::reduce(greatest ? Op::kReduceMax : Op::kReduceMin, x, axis, keepdims));
    const NodeRef index = build::reduce(greatest ? Op::kArgMax : Op::kArgMin, x, axis, keepdims);
    return bench_.want(random_.chance(30) ? build::elementwise(Op::kAdd, {index, index}) : index);
  }

  /// Reductions with few results and so many terms that several threads compute one result together. Other nodes may also read the reduced
  /// array.
  bool long_reduction() {
    const Dim length = random_.pick(std::vector<int64_t>{65537, 69632, 70001}), others = bench_.small_dim(1, 2);
    const bool rows = random_.chance(60);
    NodeRef x = bench_.new_array(number_dtype(), random_.chance(50) ? Shape{length} : rows ? Shape{others, length} : Shape{length, others});
    if (random_.chance(60)) x = build::elementwise(is_float(x->dtype) ? Op::kTanh : Op::kAbs, {x});
    const int axis[] = {x->rank() == 1 || !rows ? 0 : 1};
    const auto reduced = [&] {
      constexpr Op kReduces[] = {Op::kSum, Op::kSum, Op::kReduceMax, Op::kReduceMin, Op::kProd, Op::kArgMax, Op::kArgMin};
      const Op op = random_.pick(kReduces);
      return build::reduce(op, op == Op::kSum && random_.chance(40) ? build::elementwise(Op::kMul, {x, x}) : x, axis, true);
    };
    const NodeRef value = reduced();
    if (random_.chance(30)) bench_.want(reduced());
    return bench_.want(value->dtype == x->dtype && random_.chance(30) ? build::sub(x, build::broadcast_to(value, x->shape)) : value);
  }

  /// Adds a weighted sum of the neighbours of each element. The neighbours are computed with roll.
  bool stencil() {
    const NodeRef x = some_floats(1, bench_.options().max_rank + 2);
    if (x == nullptr) return false;
    NodeRef total = x;
    for (int axis = 0; axis < x->rank() && axis < 3; ++axis)
      for (const int64_t by : {-1, 1}) {
        const Dim shift[] = {Dim(by)};
        total = build::elementwise(Op::kAdd, {total, build::roll(x, shift, std::vector<int>{axis})});
      }
    const NodeRef weight = build::constant(bench_.graph(), scalar_from_double(x->dtype, 0.2));
    return bench_.keep(build::elementwise(Op::kMul, {total, weight}));
  }

  /// A convolution along the last axis: windows times weights, summed in chain order (the order of summation for products). The windows
  /// overlap, so the operand of the product reads elements several times.
  bool convolution() {
    if (random_.chance(40)) return filters();
    const NodeRef x = some_floats(1, 3);
    if (x == nullptr) return false;
    const Dim taps = bench_.small_dim(1, 4);
    const NodeRef windows = build::unfold(x, x->rank() - 1, taps, random_.between(1, 2), random_.between(1, 2));
    const NodeRef weights = build::broadcast_to(bench_.array_of(x->dtype, {taps}), windows->shape);
    const int axis[] = {windows->rank() - 1};
    return bench_.keep(build::reduce(Op::kSum, build::elementwise(Op::kMul, {windows, weights}), axis, false));
  }

  /// A two-dimensional convolution of a small image, with enough filters to vectorise over them or with one or two filters for each channel
  /// (depthwise). The sizes of the image may be symbolic, and the channels may be the last axis.
  bool filters() {
    const DType dtype = number_dtype();
    const bool is_depthwise = random_.chance(25);
    const int64_t groups = is_depthwise ? random_.between(2, 5) : random_.chance(20) ? 2 : 1;
    const int64_t channels = is_depthwise ? groups : groups * random_.between(1, 6), most_taps = is_depthwise ? 5 : 3;
    const Dim count = Dim(groups * (is_depthwise ? random_.between(1, 2) : random_.pick(std::vector<int64_t>{16, 17, 20, 32})));
    const bool is_last = random_.chance(25);
    const auto side = [&](int64_t most) {
      const std::optional<Dim> variable = random_.chance(35) ? bench_.random_variable() : std::nullopt;
      return variable ? *variable + Dim(most_taps) : bench_.small_dim(most_taps, most);
    };
    const Shape sizes = {bench_.small_dim(1, 2), Dim(channels), side(8), side(is_depthwise ? 70 : 18)};
    const Shape kernel = {count, Dim(channels / groups), bench_.small_dim(1, most_taps), bench_.small_dim(1, most_taps)};
    if (bench_.estimated_count({sizes[0], sizes[2], sizes[3], kernel[0], kernel[1], kernel[2], kernel[3]}) > 200'000) return false;
    const int from_last[] = {0, 3, 1, 2}, to_last[] = {0, 2, 3, 1};
    const NodeRef x = is_last ? build::permute(factor(dtype, {sizes[0], sizes[2], sizes[3], sizes[1]}), from_last) : factor(dtype, sizes);
    const build::ConvOperands operands = {x, factor(dtype, kernel), random_.chance(40) ? bench_.array_of(dtype, {count}) : nullptr};
    const std::vector<int64_t> stride = {random_.between(1, 2), random_.between(1, 2)}, dilation = {1};
    const std::vector<build::Padding> padding = {{bench_.small_dim(0, 1), bench_.small_dim(0, 1)}};
    const NodeRef y = build::conv(2, operands, stride, padding, dilation, groups);
    return bench_.keep(is_last ? build::permute(y, to_last) : y);
  }

  /// (x - mean) / sqrt(var + c): reductions of the same array whose results are combined with that array again.
  bool normalise() {
    const NodeRef x = some_floats(1, bench_.options().max_rank + 2);
    if (x == nullptr) return false;
    const std::vector<int> axes = {static_cast<int>(random_.below(static_cast<uint64_t>(x->rank())))};
    const NodeRef centred = build::sub(x, build::broadcast_to(build::mean(x, axes, true), x->shape));
    const NodeRef spread = build::elementwise(Op::kAdd, {build::var(x, axes, 0, true), build::constant_like(x, 0.25)});
    return bench_.keep(build::elementwise(Op::kMul, {centred, build::broadcast_to(build::rsqrt(spread), x->shape)}));
  }

  /// Reductions of each row whose results are combined with the row again, several times, as in softmax, norms and their gradients. harp
  /// computes this in one kernel with several passes over each row, unless a value comes from another row.
  bool row_by_row() {
    const NodeRef x = bench_.find([](NodeRef n) { return n->rank() > 0 && (is_int(n->dtype) || is_float(n->dtype)); });
    if (x == nullptr) return false;
    std::vector<int> axes;
    for (int axis = 0; axis < x->rank(); ++axis)
      if (random_.chance(x->rank() > 2 ? 40 : 60)) axes.push_back(axis);
    if (axes.empty()) axes.push_back(x->rank() - 1);
    const auto binary = [&](NodeRef a, NodeRef b) {
      constexpr Op kOps[] = {Op::kAdd, Op::kMul, Op::kMax, Op::kAdd};
      return random_.chance(30) ? build::sub(a, b) : build::elementwise(random_.pick(kOps), {a, b});
    };
    NodeRef row = x;
    for (int64_t steps = random_.between(1, 4); steps > 0; --steps) {
      const NodeRef source = random_.chance(30) ? build::elementwise(Op::kMul, {row, random_.chance(50) ? row : x}) : row;
      constexpr Op kReduces[] = {Op::kSum, Op::kReduceMax, Op::kReduceMin, Op::kSum};
      NodeRef value = build::reduce(random_.pick(kReduces), source, axes, true);
      if (random_.chance(30)) value = binary(value, build::constant(bench_.graph(), scalar_from_int(x->dtype, 2)));
      if (random_.chance(25) && !bench_.keep(value)) return false;
      row = binary(random_.chance(20) ? x : row, build::broadcast_to(value, x->shape));
      if (is_float(x->dtype) && random_.chance(40)) row = build::elementwise(random_.chance(50) ? Op::kExp : Op::kTanh, {row});
      if (random_.chance(15)) row = build::elementwise(Op::kWhere, {build::elementwise(Op::kLt, {row, x}), row, x});
      if (random_.chance(10)) row = build::flip(row, std::vector<int>{axes.back()});
      if (random_.chance(30) && !bench_.keep(row)) return false;
    }
    return bench_.keep(row);
  }

  Op some_scan(DType dtype) {
    constexpr Op kScans[] = {Op::kCumSum, Op::kCumProd, Op::kCumMax, Op::kCumMin, Op::kLogCumSumExp};
    const Op op = random_.pick(kScans);
    return accepts(op, dtype) ? op : Op::kCumSum;
  }

  /// A single scan along long rows. The generated code divides a row into groups of elements, and interleaves the computation of several
  /// groups.
  bool running_alone() {
    const int64_t length = random_.between(200, 1500);
    NodeRef x = bench_.array_of(number_dtype(), {Dim(random_.between(1, 3)), Dim(length)});
    // roll joins two pieces of each row, so the boundary between the pieces can be inside a group of elements that the generated code
    // computes together.
    const auto rolled = [&](NodeRef n) {
      return build::roll(n, std::vector<Dim>{Dim(random_.between(-length, length))}, std::vector<int>{1});
    };
    if (random_.chance(30)) x = rolled(x);
    const NodeRef scan = build::cumulative(some_scan(x->dtype), x, 1, random_.chance(20), random_.chance(30));
    return bench_.keep(random_.chance(30) ? build::elementwise(Op::kAdd, {scan, rolled(x)}) : scan);
  }

  /// Two scans along the same axis of the same computed array, and a value computed from both results.
  bool running() {
    if (random_.chance(40)) return running_alone();
    const NodeRef x = bench_.find([](NodeRef n) { return n->rank() > 0 && (is_int(n->dtype) || is_float(n->dtype)); });
    if (x == nullptr) return false;
    const int axis = static_cast<int>(random_.below(static_cast<uint64_t>(x->rank())));
    const bool reverse = random_.chance(40);
    const NodeRef source = build::elementwise(Op::kAdd, {x, build::constant(bench_.graph(), scalar_from_int(x->dtype, 1))});
    const auto scan = [&](Op op, bool exclusive) { return build::cumulative(op, source, axis, exclusive, reverse); };
    const NodeRef sum = scan(Op::kCumSum, false), other = scan(some_scan(x->dtype), random_.chance(30));
    return bench_.keep(build::elementwise(Op::kMul, {build::sub(sum, other), x}));
  }

  /// Gathers rows or columns of a table, which may be a view, and adds a bias. Sometimes sums the gathered rows or scatters them into the
  /// table, as embeddings and their gradients do.
  bool looked_up() {
    const Dim words = bench_.random_dim(), width = bench_.random_dim();
    const DType dtype = number_dtype();
    const uint64_t kind = random_.below(5);
    NodeRef table = bench_.array_of(dtype, kind == 1 ? Shape{width, words} : Shape{words, width});
    const int transposition[] = {1, 0};
    if (kind == 1) table = build::permute(table, transposition);
    if (kind == 2) table = build::flip(table, std::vector<int>{static_cast<int>(random_.below(2))});
    if (kind == 3) table = build::elementwise(Op::kMul, {table, table});
    const int axis = static_cast<int>(random_.below(2));
    const NodeRef indices = some_indices(bench_, {bench_.random_dim()}, table->shape[static_cast<size_t>(axis)]);
    const NodeRef rows = build::take(table, indices, axis);
    const NodeRef biased = build::elementwise(Op::kAdd, {rows, build::broadcast_to(bench_.array_of(dtype, {rows->shape[1]}), rows->shape)});
    if (random_.chance(30)) return bench_.keep(build::index_add(table, indices, biased, axis));
    if (random_.chance(50)) return bench_.keep(biased);
    const int summed[] = {static_cast<int>(random_.below(2))};
    return bench_.keep(build::reduce(Op::kSum, biased, summed, false));
  }

  Workbench& bench_;
  Random& random_;
};

/// True if `op`, applied to an operand of dtype `operand`, can give a result of dtype `wanted`.
bool may_convert(Op op, DType operand, DType wanted) {
  if (op == Op::kReal || op == Op::kImag) return is_complex(operand) && real_dtype(operand) == wanted;
  if (op == Op::kComplex) return operand == real_dtype(wanted);
  if (op == Op::kCast) return operand != wanted && !is_complex(operand);
  if (op == Op::kBitcast) return operand != wanted && !is_complex(operand) && !is_bool(wanted) && size_of(operand) == size_of(wanted);
  return info(op).result == Result::kBool ? accepts(op, operand) : operand == wanted;
}

/// A node of this op and dtype; null if the attempt failed. `from_existing`: its operand is an existing node, if one is suitable.
NodeRef produce(Workbench& bench, Op op, DType dtype, bool from_existing) {
  if (info(op).family == Family::kLeaf) return bench.new_leaf(op, dtype);
  NodeRef primary = from_existing ? bench.find([&](NodeRef node) { return may_convert(op, node->dtype, dtype); }) : nullptr;
  if (primary == nullptr) {
    DType operand = bench.random_dtype();
    while (!may_convert(op, operand, dtype)) operand = bench.random_dtype();
    primary = bench.new_array(operand, bench.random_shape());
  }
  if (op == Op::kCast) return build::cast(primary, dtype);
  if (op == Op::kBitcast) return build::bitcast(primary, dtype);
  for (NodeRef made : try_operation(bench, *find_operation(name(op)), primary)) {
    // An operation may add further nodes after the node of its op: for example, a sum with `keepdims` ends with a reshape.
    while (made->op != op && made->sources.size() == 1) made = made->sources[0];
    if (made->op == op && made->dtype == dtype) return made;
  }
  return nullptr;
}

/// Tests whether `node` is a consumer of the pair that reads a producer of the pair. If not, tests its source in the same way, as long as
/// each node has only one source. This is needed because an operation may build further nodes after the node of its op, or no node of its
/// op at all if the op would have no effect.
bool is_made_by(const OpPair& pair, NodeRef node) {
  for (; !node->sources.empty(); node = node->sources[0]) {
    const auto is_produced = [&](NodeRef source) { return source->op == pair.producer && source->dtype == pair.dtype; };
    if (node->op == pair.consumer && std::any_of(node->sources.begin(), node->sources.end(), is_produced)) return true;
    if (node->sources.size() > 1) return false;
  }
  return false;
}

template <class Add>
bool quietly(Add add) {
  try {
    return add();
  } catch (const Error& error) {
    if (error.code == Code::kInternal) throw;
    return false;  // the random sizes or axes do not fit, so nothing is added
  }
}

}  // namespace

bool add_formula(Workbench& bench) {
  return quietly([&] { return Formulas(bench).add(); });
}

bool add_pair(Workbench& bench, const OpPair& pair) {
  // The consumer may not accept the random operands, so there are several attempts. After the first few, the operand of the producer is a
  // new array, because perhaps no existing node has a suitable shape (expand, for example, needs an axis of size 1).
  constexpr int kAttempts = 16, kWithExisting = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const bool added = quietly([&] {
      const NodeRef produced = produce(bench, pair.producer, pair.dtype, attempt < kWithExisting && bench.random().chance(85));
      if (produced == nullptr) return false;
      const std::vector<NodeRef> results = try_operation(bench, *find_operation(name(pair.consumer)), produced);
      return std::any_of(results.begin(), results.end(), [&](NodeRef node) { return is_made_by(pair, node); }) && bench.keep(produced) &&
             bench.keep_any(results);
    });
    if (added) return true;
  }
  return false;
}

bool add_again(Workbench& bench) {
  // Usually chooses a view, a conversion, a reduction or a cheap elementwise function, because the optimiser has rules for two of these in
  // sequence. Expensive elementwise functions are chosen only rarely.
  const bool any = bench.random().chance(25);
  const NodeRef primary = bench.find([=](NodeRef node) {
    return !node->sources.empty() && (any || info(node->op).family != Family::kElementwise || info(node->op).cost <= 1);
  });
  const Operation* row = primary == nullptr ? nullptr : find_operation(name(primary->op));
  if (row == nullptr || !takes_array(*row) || !may_take(*row, primary->dtype)) return false;
  return bench.keep_any(try_operation(bench, *row, primary));
}

}  // namespace harp::fuzz
