// Implements the two orders of a reduction that docs/semantics.md ("Sums") defines, chain and lanes, for arrays with any strides, and a
// table of functions by op and dtype.
//
// The axes of a reduction are kept or reduced, and reduced axes are outer or inner. With order chain, every reduced axis is outer, in the
// order in which the node's attribute `axes` lists them. With order lanes, the last group of adjacent reduced axes is inner: for each outer
// index, lanes combine the elements of the inner axes to one value, and a chain combines those values.
#include "interp/reduce.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "interp/combine.h"
#include "interp/machine.h"

namespace harp::interp {
namespace {

constexpr int64_t kChainBlock = 256;
constexpr int64_t kLanes = 64;
constexpr int64_t kLaneBlock = 4096;
/// Number of adjacent results that are computed together, each by a chain of its own. It is large enough to use whole cache lines, and
/// small enough for the L1 cache.
constexpr int64_t kChainWidth = 512;

/// How an accumulator is updated. kOperands is 2 for a sum of products (acc = fma(a, b, acc)), else 1.
template <Op op, DType dtype, int kOperands>
struct Step : Combine<op, dtype> {
  using T = typename Combine<op, dtype>::T;
  static T accumulate(T acc, T x) { return Step::combine(acc, x); }
  static T accumulate(T acc, T a, T b) { return Rule<Op::kFma>::apply(a, b, acc); }
};

/// Computes `width` independent chains together. Elements are combined into the accumulators of level 0, in blocks of 256 elements. When a
/// block is full and a further element arrives, the value of the block becomes one element of the next level. Thus 256 elements need one
/// level, and 257 need two.
template <class Step>
class Chains {
  using T = typename Step::T;

 public:
  explicit Chains(int64_t width) : width_(width), identity_(Step::identity()), levels_(1, empty_level()) {}

  /// Returns how many more elements the current block can take; at least 1.
  int64_t make_room() {
    if (levels_[0].count == kChainBlock) carry(0);
    return kChainBlock - levels_[0].count;
  }
  /// Returns the accumulators of the current block, which are valid until the next make_room(). After combining n elements into each
  /// accumulator, call advance(n).
  T* accumulators() { return levels_[0].values.data(); }
  void advance(int64_t n) { levels_[0].count += n; }

  const T* finish() {
    for (size_t level = 0; level + 1 < levels_.size(); ++level) carry(level);
    // A sum of products may be -0 after an underflow; adding +0 gives +0
    for (T& value : levels_.back().values) value = Step::combine(identity_, value);
    return levels_.back().values.data();
  }

 private:
  struct Level {
    std::vector<T> values;
    int64_t count;
  };

  Level empty_level() const { return {std::vector<T>(static_cast<size_t>(width_), identity_), 0}; }

  void carry(size_t level) {
    if (level + 1 == levels_.size())
      levels_.push_back(empty_level());
    else if (levels_[level + 1].count == kChainBlock)
      carry(level + 1);
    Level &from = levels_[level], &to = levels_[level + 1];
    for (int64_t j = 0; j < width_; ++j) to.values[j] = Step::combine(to.values[j], from.values[j]);
    ++to.count;
    std::fill(from.values.begin(), from.values.end(), identity_);
    from.count = 0;
  }

  int64_t width_;
  T identity_;
  std::vector<Level> levels_;
};

/// Computes one result by lanes, in blocks of 4,096 elements. Element p of a block is combined into lane p % 64. A tree combines the lanes
/// of a block, and the results of the blocks are combined in the same way.
template <class Step, int kOperands>
class Lanes {
  using T = typename Step::T;

 public:
  Lanes() { lanes_.fill(identity_); }

  /// Combines n further elements. X is the type of stored elements; for results of blocks, it is the type of accumulators.
  template <class X>
  void push(std::array<const X*, kOperands> data, const std::array<int64_t, kOperands>& steps, int64_t n) {
    const bool is_dense = std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step == 1; });
    while (n > 0) {
      if (filled_ == kLaneBlock) end_block();
      const int64_t first = filled_ % kLanes;
      const int64_t taken = std::min(n, kLanes - first);
      if (is_dense && taken == kLanes)
        step_lanes(0, kLanes, data, all_ones());
      else
        step_lanes(first, taken, data, steps);
      for (int k = 0; k < kOperands; ++k) data[k] += taken * steps[k];
      filled_ += taken;
      n -= taken;
    }
  }

  T finish() {
    const T last = combine_lanes();
    if (results_.empty()) return Step::combine(identity_, last);
    results_.push_back(last);
    Lanes<Step, 1> next;
    next.push(std::array<const T*, 1>{results_.data()}, {1}, static_cast<int64_t>(results_.size()));
    return next.finish();
  }

 private:
  static constexpr std::array<int64_t, kOperands> all_ones() {
    std::array<int64_t, kOperands> ones{};
    ones.fill(1);
    return ones;
  }

  template <class X>
  [[gnu::always_inline]] void step_lanes(int64_t first, int64_t n, const std::array<const X*, kOperands>& data,
                                         const std::array<int64_t, kOperands>& steps) {
    for (int64_t i = 0; i < n; ++i) {
      T& lane = lanes_[first + i];
      if constexpr (kOperands == 2)
        lane = Step::accumulate(lane, Step::read(data[0][i * steps[0]]), Step::read(data[1][i * steps[1]]));
      else
        lane = Step::accumulate(lane, Step::read(data[0][i * steps[0]]));
    }
  }

  T combine_lanes() {
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i) lanes_[i] = Step::combine(lanes_[i], lanes_[i + half]);
    return lanes_[0];
  }

  void end_block() {
    results_.push_back(combine_lanes());
    lanes_.fill(identity_);
    filled_ = 0;
  }

  const T identity_ = Step::identity();
  std::array<T, kLanes> lanes_;
  int64_t filled_ = 0;
  std::vector<T> results_;
};

/// The axes of a reduction, with the strides of its operands.
template <int kOperands>
struct Axes {
  IndexSpace<kOperands + 1> kept;  // index space of the kept axes; its last operand is the result array
  IndexSpace<kOperands> outer, inner;
  bool has_outer;
};

/// Divides the axes into kept, outer and inner ones. All operands have the source's shape. It is not inlined, because the code is the same
/// for all types of elements.
template <int kOperands>
[[gnu::noinline]] Axes<kOperands> axes_of(const ReduceAttributes& attributes, std::span<const Array> operands, const Array& result) {
  const int rank = operands[0].rank();
  std::vector<bool> is_reduced(rank, false);
  for (const int axis : attributes.axes) is_reduced[axis] = true;

  std::vector<int> kept, outer, inner;
  for (int axis = 0; axis < rank; ++axis)
    if (!is_reduced[axis]) kept.push_back(axis);
  if (attributes.order == ReduceOrder::kChain) {
    outer = attributes.axes;
  } else {
    int end = rank;
    while (!is_reduced[end - 1]) --end;
    int begin = end;
    while (begin > 0 && is_reduced[begin - 1]) --begin;
    for (int axis = 0; axis < end; ++axis)
      if (is_reduced[axis]) (axis < begin ? outer : inner).push_back(axis);
  }

  const auto pick = [](const std::vector<int64_t>& numbers, const std::vector<int>& axes) {
    std::vector<int64_t> picked;
    for (const int axis : axes) picked.push_back(numbers[axis]);
    return picked;
  };
  const auto space = [&]<size_t N>(std::array<std::vector<int64_t>, N> strides, const std::vector<int>& axes) {
    std::array<std::span<const int64_t>, N> views;
    for (size_t k = 0; k < N; ++k) {
      if (k < kOperands) strides[k] = pick(operands[k].strides, axes);
      views[k] = strides[k];
    }
    return IndexSpace<N>(pick(operands[0].shape, axes), views);
  };
  std::array<std::vector<int64_t>, kOperands + 1> kept_strides;
  kept_strides[kOperands] = result.strides;
  const std::array<std::vector<int64_t>, kOperands> no_strides;
  return {space(kept_strides, kept), space(no_strides, outer), space(no_strides, inner), !outer.empty()};
}

template <class Step, int kOperands>
void reduce_by_chain(const Axes<kOperands>& axes, std::array<const typename Step::Stored*, kOperands> data, typename Step::Stored* result,
                     const Sizes& sizes) {
  using T = typename Step::T;
  using Stored = typename Step::Stored;
  CancelChecks checks(sizes);
  for_each_run(axes.kept, [&](const auto& kept_offsets, const auto& kept_steps, int64_t kept_count) {
    for (int64_t begin = 0; begin < kept_count; begin += kChainWidth) {
      const int64_t width = std::min(kChainWidth, kept_count - begin);
      checks.count(width);
      Chains<Step> chains(width);
      for_each_run(axes.outer, [&](const auto& offsets, const auto& steps, int64_t n) {
        std::array<const Stored*, kOperands> row;
        for (int k = 0; k < kOperands; ++k) row[k] = data[k] + kept_offsets[k] + begin * kept_steps[k] + offsets[k];
        while (n > 0) {
          const int64_t taken = std::min(n, chains.make_room());
          checks.count(taken * width);
          T* acc = chains.accumulators();
          for (int64_t i = 0; i < taken; ++i) {
            for (int64_t j = 0; j < width; ++j) {
              if constexpr (kOperands == 2)
                acc[j] = Step::accumulate(acc[j], Step::read(row[0][j * kept_steps[0]]), Step::read(row[1][j * kept_steps[1]]));
              else
                acc[j] = Step::accumulate(acc[j], Step::read(row[0][j * kept_steps[0]]));
            }
            for (int k = 0; k < kOperands; ++k) row[k] += steps[k];
          }
          chains.advance(taken);
          n -= taken;
        }
      });
      const T* values = chains.finish();
      Stored* target = result + kept_offsets[kOperands] + begin * kept_steps[kOperands];
      for (int64_t j = 0; j < width; ++j) target[j * kept_steps[kOperands]] = Step::template write<Stored>(values[j]);
    }
  });
}

template <class Step, int kOperands>
void reduce_by_lanes(const Axes<kOperands>& axes, std::array<const typename Step::Stored*, kOperands> data, typename Step::Stored* result,
                     const Sizes& sizes) {
  using T = typename Step::T;
  using Stored = typename Step::Stored;
  CancelChecks checks(sizes);
  const auto inner_value = [&](const std::array<const Stored*, kOperands>& start) {
    checks.count(kLanes);  // for cancellation, combining the lanes counts as work, because it takes time even for a short row
    Lanes<Step, kOperands> lanes;
    for_each_run(axes.inner, [&](const auto& offsets, const auto& steps, int64_t n) {
      std::array<const Stored*, kOperands> run = start;
      for (int k = 0; k < kOperands; ++k) run[k] += offsets[k];
      checks.in_parts(n, [&](int64_t begin, int64_t count) {
        std::array<const Stored*, kOperands> part = run;
        for (int k = 0; k < kOperands; ++k) part[k] += begin * steps[k];
        lanes.push(part, steps, count);
      });
    });
    return lanes.finish();
  };
  // If there are no outer axes, the lanes compute the whole result, and there is no chain.
  const auto value = [&](const std::array<const Stored*, kOperands>& start) {
    T result_of_lanes = Step::identity();
    std::optional<Chains<Step>> chain;
    if (axes.has_outer) chain.emplace(1);
    for_each_run(axes.outer, [&](const auto& offsets, const auto& steps, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        std::array<const Stored*, kOperands> row = start;
        for (int k = 0; k < kOperands; ++k) row[k] += offsets[k] + i * steps[k];
        result_of_lanes = inner_value(row);
        if (!chain) continue;
        chain->make_room();
        *chain->accumulators() = Step::combine(*chain->accumulators(), result_of_lanes);
        chain->advance(1);
      }
    });
    return chain ? *chain->finish() : result_of_lanes;
  };
  for_each_run(axes.kept, [&](const auto& offsets, const auto& steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      std::array<const Stored*, kOperands> start;
      for (int k = 0; k < kOperands; ++k) start[k] = data[k] + offsets[k] + i * steps[k];
      result[offsets[kOperands] + i * steps[kOperands]] = Step::template write<Stored>(value(start));
    }
  });
}

template <class Step, int kOperands>
void reduce(const ReduceAttributes& attributes, std::span<const Array> operands, const Array& result, const Sizes& sizes) {
  using Stored = typename Step::Stored;
  const Axes<kOperands> axes = axes_of<kOperands>(attributes, operands, result);
  std::array<const Stored*, kOperands> data;
  for (int k = 0; k < kOperands; ++k) data[k] = reinterpret_cast<const Stored*>(operands[k].data);
  Stored* const target = reinterpret_cast<Stored*>(result.data);
  if (attributes.order == ReduceOrder::kChain)
    reduce_by_chain<Step, kOperands>(axes, data, target, sizes);
  else
    reduce_by_lanes<Step, kOperands>(axes, data, target, sizes);
}

using ReduceFunction = void (*)(const ReduceAttributes&, std::span<const Array>, const Array&, const Sizes&);
using ReduceTable = std::array<std::array<ReduceFunction, kDTypeCount>, kOpCount>;

/// The table has a function for every reduction of ops.def and every dtype that it accepts. A combination without a rule does not compile.
constexpr ReduceTable make_reduce_table() {
  ReduceTable table{};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (
        [&] {
          constexpr Op op = static_cast<Op>(i);
          if constexpr (is_reduce(op) && !is_arg_extreme(op)) {
            for_each_dtype([&]<DType dtype>() {
              if constexpr (accepts(op, dtype)) table[i][static_cast<int>(dtype)] = reduce<Step<op, combined_as(op, dtype), 1>, 1>;
            });
          }
        }(),
        ...);
  }
  (std::make_integer_sequence<int, kOpCount>());
  return table;
}
constexpr ReduceTable kReduces = make_reduce_table();

template <DType dtype>
HARP_WITH_FMA void product_with_fma(const ReduceAttributes& attributes, std::span<const Array> operands, const Array& result,
                                    const Sizes& sizes) {
  reduce<Step<Op::kSum, dtype, 2>, 2>(attributes, operands, result, sizes);
}

/// Functions for sums of products, by dtype and machine. Only floats need them: for integers, a product followed by a sum gives the same
/// bits.
constexpr std::array<std::array<ReduceFunction, kMachineCount>, kDTypeCount> make_product_table() {
  std::array<std::array<ReduceFunction, kMachineCount>, kDTypeCount> table{};
  for_each_dtype([&]<DType dtype>() {
    if constexpr (is_float(dtype)) table[static_cast<int>(dtype)] = {reduce<Step<Op::kSum, dtype, 2>, 2>, product_with_fma<dtype>};
  });
  return table;
}
constexpr auto kProducts = make_product_table();

}  // namespace

std::span<const Node* const> reduce_operands(const Node& reduce) {
  if (!reduce.as<ReduceAttributes>().product) return reduce.sources;
  HARP_ASSERT(reduce.op == Op::kSum && reduce.sources[0]->op == Op::kMul, "expected the sum of a mul, got ", name(reduce.op), " of ",
              name(reduce.sources[0]->op));
  return reduce.sources[0]->sources;
}

Array evaluate_reduce(const Node& node, std::span<const Array> operands, const Sizes& sizes) {
  const ReduceAttributes& attributes = node.as<ReduceAttributes>();
  const std::vector<int64_t> shape = sizes.values(node.sources[0]->shape);
  std::vector<Array> expanded(operands.begin(), operands.end());
  for (Array& operand : expanded) {
    if (operand.rank() != 0) continue;
    operand.shape = shape;
    operand.strides.assign(shape.size(), 0);
  }
  const Array result = Array::allocate(node.dtype, sizes.values(node.shape));
  const ReduceFunction function = attributes.product ? kProducts[static_cast<int>(node.dtype)][this_machine()]
                                                     : kReduces[static_cast<int>(node.op)][static_cast<int>(node.dtype)];
  HARP_ASSERT(function != nullptr, "no rule for ", name(node.op), " of ", name(node.dtype));
  function(attributes, expanded, result, sizes);
  return result;
}

}  // namespace harp::interp
