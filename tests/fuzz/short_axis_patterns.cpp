#include "fuzz/short_axis_patterns.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "graph/composites.h"

namespace harp::fuzz {
namespace {

class ShortAxes {
 public:
  explicit ShortAxes(Workbench& bench) : bench_(bench), random_(bench.random()) {}

  bool add() {
    Shape shape = {random_.chance(50) ? bench_.small_dim(1, 70) : bench_.random_dim()};
    for (uint64_t axes = 1 + random_.below(3); axes > 0; --axes) shape.push_back(bench_.small_dim(axes > 1 ? 2 : 1, axes > 1 ? 4 : 17));
    if (random_.chance(25)) std::swap(shape.front(), shape.back());
    if (const int64_t count = bench_.estimated_count(shape); count < 0 || count > 20'000) return false;
    dtype_ = random_.chance(60) ? DType::kF32 : bench_.random_dtype();
    x_ = worked(bench_.array_of(dtype_, shape));
    switch (random_.below(9)) {
      case 0: return reduced();
      case 1: return passes();
      case 2: return moved();
      case 3: return product();
      case 4: return tall();
      case 5: return running();
      case 6: return joined();
      case 7: return with_other_rows();
      default: return scaled();
    }
  }

 private:
  int last() const { return static_cast<int>(x_->rank()) - 1; }
  NodeRef worked(NodeRef x) {
    if (!random_.chance(40) || is_bool(x->dtype)) return x;
    return build::elementwise(Op::kAdd, {x, x});
  }
  /// Adds an output that is computed from `result`. Sometimes `result` itself becomes an output as well.
  bool want(NodeRef result) {
    if (random_.chance(25) && !bench_.want(result)) return false;
    return bench_.want(worked(result));
  }

  /// Inserts axes of size 1 into x_ at random positions after the first axis. Returns the indices of some random axes, never the first one.
  std::vector<int> axes_among_ones() {
    Shape shape = x_->shape;
    for (uint64_t count = 1 + random_.below(3); count > 0; --count)
      shape.insert(shape.begin() + static_cast<ptrdiff_t>(1 + random_.below(shape.size())), Dim(1));
    x_ = build::reshape(x_, shape);
    std::vector<int> axes;
    for (int axis = 1; axis <= last(); ++axis)
      if (random_.chance(65)) axes.push_back(axis);
    return axes.empty() ? std::vector<int>{last()} : axes;
  }

  /// Reductions of the last axis, the last two axes, any one axis, or several axes between axes of size 1. Several reductions of the same
  /// axes can become one kernel.
  bool reduced() {
    std::vector<int> axes(1 + random_.below(std::min<uint64_t>(2, x_->rank() - 1)));
    std::iota(axes.begin(), axes.end(), static_cast<int>(x_->rank() - axes.size()));
    if (random_.chance(25)) axes = {static_cast<int>(random_.below(x_->rank()))};
    if (random_.chance(25)) axes = axes_among_ones();
    if (std::ranges::any_of(axes, [&](int axis) { return !x_->shape[static_cast<size_t>(axis)].is_constant(); })) return false;
    const bool keepdims = random_.chance(30);
    if (axes.size() == 1 && !is_complex(dtype_) && random_.chance(30))
      return want(build::reduce(random_.chance(50) ? Op::kArgMax : Op::kArgMin, x_, axes, keepdims));
    bool is_kept = false;
    for (const Op op : {Op::kSum, Op::kProd, Op::kReduceMax, Op::kReduceMin}) {
      const bool is_ordered = op == Op::kReduceMax || op == Op::kReduceMin;
      if ((is_complex(dtype_) && (is_ordered || op == Op::kProd)) || is_bool(dtype_) != (is_ordered && is_bool(dtype_))) continue;
      if (random_.chance(50)) is_kept |= want(build::reduce(op, x_, axes, keepdims));
    }
    return is_kept;
  }

  bool passes() {
    if (!is_float(dtype_) || !x_->shape.back().is_constant()) return false;
    const int axis = random_.chance(80) ? last() : static_cast<int>(random_.below(x_->rank()));
    switch (random_.below(3)) {
      case 0: return want(build::softmax(x_, axis));
      case 1: return want(build::log_softmax(x_, axis));
      default: {
        const NodeRef total = build::reduce(Op::kSum, build::elementwise(Op::kMul, {x_, x_}), std::vector<int>{axis}, true);
        return want(build::elementwise(Op::kMul, {x_, build::expand(total, x_->shape)}));
      }
    }
  }

  bool moved() {
    std::vector<int> axes(x_->rank());
    std::iota(axes.begin(), axes.end(), 0);
    random_.shuffle(axes);
    return want(build::contiguous(build::permute(x_, axes)));
  }

  /// Rows that are rolled, stacked, joined or repeated, reshapes that join the last two axes of a permuted array, and the greatest elements
  /// of rows.
  bool joined() {
    const int64_t few = 2 + static_cast<int64_t>(random_.below(4));
    const NodeRef other = bench_.array_of(dtype_, x_->shape);
    std::vector<NodeRef> parts;
    for (int64_t part = 0; part < few; ++part) parts.push_back(random_.chance(50) ? other : worked(x_));
    switch (random_.below(7)) {
      case 0: return want(build::roll(x_, std::vector<Dim>{Dim(few)}, std::vector<int>{last()}));
      case 1: return want(build::stack(parts, last() + 1));
      case 2: return want(build::concat(parts, last()));
      case 3: return want(build::repeat(x_, Dim(few), last()));
      case 4: {
        std::vector<Dim> repeats(x_->shape.size(), Dim(1));
        repeats.back() = Dim(few);
        return want(build::tile(x_, repeats));
      }
      case 5: {
        std::vector<int> axes(x_->rank());
        std::iota(axes.begin(), axes.end(), 0);
        std::swap(axes[axes.size() - 2], axes.back());
        return want(build::flatten(build::permute(x_, axes), -2, -1));
      }
      default: {
        const Dim& size = x_->shape.back();
        if (is_bool(dtype_) || is_complex(dtype_) || !size.is_constant() || size.constant() < 1) return false;
        const auto k = 1 + static_cast<int64_t>(random_.below(static_cast<uint64_t>(size.constant())));
        return want(build::topk(x_, Dim(k), last(), random_.chance(50))[0]);
      }
    }
  }

  /// A matrix product of x and a small matrix, or of a batch of small matrices and another one.
  bool product() {
    if (is_bool(dtype_) || is_complex(dtype_) || x_->rank() < 2 || x_->rank() > 3) return false;
    Shape other = x_->shape;
    other.back() = bench_.small_dim(1, 9);
    other[other.size() - 2] = x_->shape.back();
    if (const int64_t count = bench_.estimated_count(other); count < 0 || count > 20'000) return false;
    return want(build::batch_matmul(x_, bench_.array_of(dtype_, other)));
  }

  /// Reductions over the rows of tall matrices with few columns, and kernels that pass over the rows several times. There are so many rows
  /// that the order of summation divides them into several blocks (docs/semantics.md, "Sums"). Expensive operands are stored before they
  /// are reduced. Sometimes the columns are two axes, which kernels join.
  bool tall() {
    const DType dtype = is_bool(dtype_) || is_complex(dtype_) ? DType::kF64 : dtype_;
    Shape shape = {random_.chance(30) ? bench_.random_dim() + Dim(512) : bench_.small_dim(200, 1400), bench_.small_dim(2, 7)};
    const int rows = random_.chance(30) ? 1 : 0;
    if (rows == 1) shape.insert(shape.begin(), random_.chance(50) ? bench_.small_dim(1, 5) : bench_.random_dim());
    if (random_.chance(30)) shape.insert(shape.end() - 1, random_.chance(60) ? bench_.small_dim(2, 9) : bench_.random_dim());
    if (const int64_t count = bench_.estimated_count(shape); count < 0 || count > 20'000) return false;
    NodeRef x = worked(bench_.array_of(dtype, shape));
    if (is_float(dtype) && random_.chance(30)) x = build::elementwise(random_.chance(50) ? Op::kExp : Op::kTanh, {x});
    if (is_float(dtype) && random_.chance(20)) return want(random_.chance(50) ? build::softmax(x, rows) : build::log_softmax(x, rows));
    const Op op = random_.pick(std::vector<Op>{Op::kSum, Op::kSum, Op::kProd, Op::kReduceMax, Op::kReduceMin});
    if (op == Op::kSum && random_.chance(40)) x = build::elementwise(Op::kMul, {x, bench_.array_of(dtype, shape)});
    const std::vector<int> axes = {rows};
    if (random_.chance(25) && !bench_.want(build::reduce(Op::kReduceMax, x, axes, false))) return false;
    return want(build::reduce(op, x, axes, random_.chance(20)));
  }

  /// Running values along the rows of tall matrices with few columns, sometimes so many rows that docs/semantics.md ("Scans") divides them
  /// into two blocks.
  bool running() {
    if (random_.chance(40)) return running_along_short_axis();
    const DType dtype = is_bool(dtype_) || is_complex(dtype_) ? DType::kF64 : dtype_;
    const int64_t most = random_.chance(30) ? 5000 : 700;
    Shape shape = {random_.chance(20) ? bench_.random_dim() + Dim(30) : bench_.small_dim(20, most), bench_.small_dim(1, 4)};
    const int rows = random_.chance(30) ? 1 : 0;
    if (rows == 1) shape.insert(shape.begin(), random_.chance(50) ? bench_.small_dim(1, 5) : bench_.random_dim());
    if (const int64_t count = bench_.estimated_count(shape); count < 0 || count > 20'000) return false;
    const NodeRef x = worked(bench_.array_of(dtype, shape));
    if (random_.chance(25) && !bench_.want(scanned(x, rows))) return false;
    return want(scanned(x, rows));
  }

  /// Running values along the last axis, or along a short axis in front of it. Several of them can become one kernel.
  bool running_along_short_axis() {
    const int axis = x_->rank() > 2 && random_.chance(40) ? last() - 1 : last();
    if (random_.chance(30) && !bench_.want(scanned(x_, axis))) return false;
    return want(scanned(x_, axis));
  }

  NodeRef scanned(NodeRef x, int axis) {
    constexpr Op kScans[] = {Op::kCumSum, Op::kCumSum, Op::kCumProd, Op::kCumMax, Op::kCumMin, Op::kLogCumSumExp};
    const Op drawn = random_.pick(kScans), usual = is_bool(x->dtype) ? Op::kCumMax : Op::kCumSum;
    const Op op = accepts(drawn, x->dtype) && !is_complex(x->dtype) ? drawn : usual;
    std::optional<ScanOrder> order;
    if (random_.chance(20)) order = random_.chance(50) ? ScanOrder::kTree : ScanOrder::kChain;
    return build::cumulative(op, x, axis, random_.chance(20), random_.chance(30), order);
  }

  /// Passes over rows, often of an unknown number of elements, that also read elements of other rows, and running values along such rows.
  bool with_other_rows() {
    const DType dtype = is_float(dtype_) ? dtype_ : DType::kF32;
    Shape shape = {bench_.small_dim(1, 130), bench_.random_dim()};
    if (random_.chance(30)) shape.insert(shape.begin(), bench_.small_dim(2, 3));
    if (const int64_t count = bench_.estimated_count(shape); count < 0 || count > 20'000) return false;
    const NodeRef x = bench_.array_of(dtype, shape);
    const std::vector<int> axes = {static_cast<int>(random_.below(shape.size()))};
    const NodeRef other = random_.chance(75) ? build::roll(x, std::vector<Dim>{Dim(1)}, axes) : build::flip(x, axes);
    const NodeRef both = build::elementwise(Op::kAdd, {x, other});
    const int along = static_cast<int>(shape.size()) - 1;
    return want(random_.chance(50) ? build::softmax(both, along) : scanned(both, along));
  }

  /// Multiplies by an array that has one factor for each index of the last axis.
  bool scaled() {
    if (is_bool(dtype_)) return false;
    Shape ones(x_->rank(), Dim(1));
    ones.back() = x_->shape.back();
    const NodeRef scale = build::reshape(bench_.array_of(dtype_, {x_->shape.back()}), ones);
    return want(build::elementwise(Op::kMul, {x_, build::expand(scale, x_->shape)}));
  }

  Workbench& bench_;
  Random& random_;
  DType dtype_ = DType::kF32;
  NodeRef x_;
};

}  // namespace

bool add_short_axes(Workbench& bench) { return ShortAxes(bench).add(); }

}  // namespace harp::fuzz
