// Splits reductions of many elements to few values. The reduced elements, in the order of docs/semantics.md ("Sums"), are split into whole
// blocks and a remainder. One reduction computes a value for each whole block, another one the value of the remainder. A further reduction
// combines the concatenation of these values in the same order. If the remainder is empty at run time, its value is the identity. Combining
// one more block result that is the identity changes no bit (docs/semantics.md, "Sums").
//
// An argmax or argmin is computed from the max (min) of each block and the index of that element within its block: the result is in the
// first block with the best value.
//
// If the axes of a reduction in lanes order are not adjacent, it is defined as a chain of reductions in lanes order. On a GPU it becomes
// two reductions, each of which may be split again.
#include "schedule/split_reductions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "opt/rewrite.h"
#include "schedule/kernel_structure.h"
#include "schedule/law.h"

namespace harp {
namespace {

class Splitter {
 public:
  Splitter(Graph& graph, const Node& reduce, const FusionLimits& limits)
      : graph_(graph), reduce_(reduce), attributes_(reduce.as<ReduceAttributes>()), limits_(limits) {}

  const Node* run() {
    if (is_chain_of_lanes()) return chain_of_lanes();
    if (!choose()) return &reduce_;
    const Node* all = is_arg_extreme(reduce_.op) ? arg_extreme() : reduced(reduce_.op, results_of(reduce_.op), axis_, false);
    if (limits_.many_threads && !is_arg_extreme(reduce_.op)) {
      Splitter again(graph_, *all, limits_);
      again.in_block_ = in_block_ * block_;
      all = again.run();
    }
    if (all->dtype != reduce_.dtype) all = graph_.intern(Op::kCast, reduce_.dtype, all->shape, {all});
    return reshaped(all, reduce_.shape);
  }

 private:
  std::vector<int> kept_axes() const {
    std::vector<int> kept;
    for (int axis = 0; axis < reduce_.sources[0]->rank(); ++axis)
      if (std::find(attributes_.axes.begin(), attributes_.axes.end(), axis) == attributes_.axes.end()) kept.push_back(axis);
    return kept;
  }
  Dim count(const std::vector<int>& axes) const {
    const Shape& shape = reduce_.sources[0]->shape;
    return std::accumulate(axes.begin(), axes.end(), Dim(1), [&](Dim n, int axis) { return n * shape[static_cast<size_t>(axis)]; });
  }

  /// Tests whether this is a lanes-order reduction (docs/semantics.md, "Sums") over axes that are not adjacent, with few but long rows. One
  /// group of threads would take too long to reduce such a row.
  bool is_chain_of_lanes() const {
    if (!limits_.many_threads || attributes_.order != ReduceOrder::kLanes || lane_axes(reduce_).outer.empty()) return false;
    return range(count(attributes_.axes)).hi > long_length(limits_, ReduceOrder::kLanes) &&
           range(count(kept_axes())).hi < limits_.few_long_rows;
  }

  /// Reduces the innermost run of adjacent axes in lanes order, and then the results of these runs in chain order (docs/semantics.md,
  /// "Sums").
  const Node* chain_of_lanes() {
    const LaneAxes lanes = lane_axes(reduce_);
    const std::vector<int> inner(lanes.inner.begin(), lanes.inner.end());
    std::vector<int> outer(lanes.outer.begin(), lanes.outer.end());
    const DType dtype = working_dtype(reduce_.sources[0]->dtype);
    const auto converted = [&](const Node* x) { return x->dtype == dtype ? x : graph_.intern(Op::kCast, dtype, x->shape, {x}); };
    const Node* source = reduce_.sources[0];
    source = !attributes_.product
                 ? converted(source)
                 : graph_.intern(Op::kMul, dtype, source->shape, {converted(source->sources[0]), converted(source->sources[1])});
    const Node* all = source;
    for (const auto& [axes, order, product] :
         {std::tuple{inner, ReduceOrder::kLanes, attributes_.product}, std::tuple{outer, ReduceOrder::kChain, false}}) {
      Shape shape = all->shape;
      for (size_t i = axes.size(); i-- > 0;) shape.erase(shape.begin() + axes[i]);
      ReduceAttributes attributes = attributes_;
      attributes.axes = axes, attributes.order = order, attributes.product = product;
      Splitter part(graph_, *graph_.intern(reduce_.op, dtype, std::move(shape), {all}, std::move(attributes)), limits_);
      // Each element that the chain-order reduction reads is the result of many elements of the original source. Therefore the chain-order
      // reduction is split again only if it is long for all values of the shape variables.
      if (order == ReduceOrder::kChain) part.in_block_ = kLaneBlock;
      all = part.run();
    }
    return all->dtype == reduce_.dtype ? all : graph_.intern(Op::kCast, reduce_.dtype, all->shape, {all});
  }

  /// Decides whether splitting pays. If so, sets `order_`, `axis_`, `kept_`, and the length of the reduced sequence.
  bool choose() {
    const Shape& shape = reduce_.sources[0]->shape;
    const std::vector<int> kept = kept_axes();
    std::vector<int> axes = attributes_.axes;
    if (attributes_.order == ReduceOrder::kLanes) std::sort(axes.begin(), axes.end());
    const bool is_lanes = attributes_.order == ReduceOrder::kLanes;
    // A lanes-order reduction over axes that are not adjacent is a chain of several lanes-order reductions (docs/semantics.md, "Sums").
    // Only chain_of_lanes() splits it.
    if (is_lanes && axes.back() - axes.front() + 1 != static_cast<int>(axes.size())) return false;
    // A contraction is not split here, because threads divide its tiles.
    if (!is_lanes && attributes_.product && kept.size() > 1) return false;
    length_ = count(axes);
    block_ = is_lanes ? kLaneBlock : kChainBlock;
    const SymRange lengths = range(length_);
    const bool may_be_long = limits_.many_threads && in_block_ < kLaneBlock;
    if ((may_be_long ? lengths.hi : lengths.lo) <= long_length(limits_, attributes_.order)) return false;
    if (range(count(kept)).hi >= limits_.few_long_rows) return false;
    // In lanes order (docs/semantics.md, "Sums") the axis of the blocks comes after the kept axes, so that the elements of a block are
    // contiguous. In chain order it comes before them.
    axis_ = is_lanes ? kept.size() : 0;
    order_ = is_lanes ? kept : axes;
    order_.insert(order_.end(), is_lanes ? axes.begin() : kept.begin(), is_lanes ? axes.end() : kept.end());
    for (const int axis : kept) kept_.push_back(shape[static_cast<size_t>(axis)]);
    return true;
  }

  /// Returns an array with the results of all blocks along axis_.
  const Node* results_of(Op op) {
    const Dim whole = floor_div(length_, block_) * block_, rest = mod(length_, block_);
    std::vector<const Node*> found;
    if (!whole.is_constant(0)) found.push_back(block_results(op, 0, whole, {floor_div(length_, block_), block_}));
    if (!rest.is_constant(0)) found.push_back(block_results(op, whole, rest, {1, rest}));
    if (found.size() == 1) return found[0];
    Shape shape = found[0]->shape;
    shape[axis_] += 1;
    const DType dtype = found[0]->dtype;
    return graph_.intern(Op::kConcat, dtype, std::move(shape), std::move(found), ConcatAttributes{static_cast<int>(axis_)});
  }

  const Node* arg_extreme() {
    const Node* best = results_of(combine_of(reduce_.op) == Op::kMax ? Op::kReduceMax : Op::kReduceMin);
    const Node* block = reduced(reduce_.op, best, axis_, false);
    if (limits_.many_threads) {
      Splitter again(graph_, *block, limits_);
      again.in_block_ = in_block_ * block_;
      block = again.run();
    }
    block = reshaped(block, with({1}));
    const Node* inside =
        graph_.intern(Op::kGather, DType::kI64, block->shape, {results_of(reduce_.op), block}, GatherAttributes{static_cast<int>(axis_)});
    const Node* size = graph_.intern(Op::kConstant, DType::kI64, {}, {}, ConstantAttributes{scalar_from_int(DType::kI64, block_)});
    const Node* before = graph_.intern(Op::kMul, DType::kI64, block->shape, {block, size});
    return graph_.intern(Op::kAdd, DType::kI64, block->shape, {before, inside});
  }

  const Node* reshaped(const Node* node, const Shape& shape) {
    return node->shape == shape ? node : graph_.intern(Op::kReshape, node->dtype, shape, {node});
  }

  /// Returns the shape of the kept axes, with axes of the sizes `reduced` inserted at axis_.
  Shape with(std::initializer_list<Dim> reduced) const {
    Shape shape = kept_;
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis_), reduced);
    return shape;
  }

  /// Returns the elements start … start + size - 1 of the reduced sequence, with axes of the sizes `blocks` instead of the reduced axes.
  /// `node` is the source of the reduction, or one factor of that source.
  const Node* part(const Node* node, Dim start, Dim size, std::initializer_list<Dim> blocks) {
    if (node->rank() == 0) return node;  // a scalar factor is the same for every part
    const auto view = [&](Op op, Shape shape, const Node* source, Attributes attributes = NoAttributes{}) {
      const bool changes = op == Op::kPermute || source->shape != shape;
      return changes ? graph_.intern(op, source->dtype, std::move(shape), {source}, std::move(attributes)) : source;
    };
    if (!std::is_sorted(order_.begin(), order_.end())) {
      Shape permuted;
      for (const int axis : order_) permuted.push_back(node->shape[static_cast<size_t>(axis)]);
      node = view(Op::kPermute, std::move(permuted), node, PermuteAttributes{order_});
    }
    node = view(Op::kReshape, with({length_}), node);
    SliceAttributes slice{std::vector<Dim>(node->shape.size(), Dim(0)), std::vector<int64_t>(node->shape.size(), 1)};
    slice.start[axis_] = start;
    node = view(Op::kSlice, with({size}), node, std::move(slice));
    return view(Op::kReshape, with(blocks), node);
  }

  /// Returns the results of blocks of `size` elements. Their dtype is the one in which sums accumulate (docs/semantics.md), so that 16-bit
  /// floats are rounded only once, at the end.
  const Node* block_results(Op op, Dim start, Dim size, std::initializer_list<Dim> blocks) {
    const DType dtype = working_dtype(reduce_.sources[0]->dtype);
    const auto element = [&](const Node* node) {
      const Node* x = part(node, start, size, blocks);
      return x->dtype == dtype ? x : graph_.intern(Op::kCast, dtype, x->shape, {x});
    };
    const Node* source = reduce_.sources[0];
    if (!attributes_.product) return reduced(op, element(source), axis_ + 1, false);
    const Node* product = graph_.intern(Op::kMul, dtype, with(blocks), {element(source->sources[0]), element(source->sources[1])});
    return reduced(op, product, axis_ + 1, true);
  }

  const Node* reduced(Op op, const Node* source, size_t axis, bool product) {
    Shape shape = source->shape;
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
    ReduceAttributes attributes = attributes_;
    attributes.axes = {static_cast<int>(axis)};
    attributes.product = product;
    const DType dtype = is_arg_extreme(op) ? DType::kI64 : source->dtype;
    return graph_.intern(op, dtype, std::move(shape), {source}, std::move(attributes));
  }

  Graph& graph_;
  const Node& reduce_;
  const ReduceAttributes& attributes_;
  const FusionLimits& limits_;
  Dim length_ = 0;
  int64_t block_ = 0;
  // The number of elements of the original source for which each element of this reduction's source stands.
  int64_t in_block_ = 1;
  std::vector<int> order_;  // all axes of the source, in the order in which this rewrite arranges them
  Shape kept_;
  size_t axis_ = 0;  // index at which the axes of the blocks are inserted among the kept axes
};

}  // namespace

int64_t long_length(const FusionLimits& limits, ReduceOrder order) {
  if (!limits.many_threads) return limits.long_row;
  return 2 * (order == ReduceOrder::kLanes ? kLaneBlock : kChainBlock);
}

std::shared_ptr<Graph> split_reductions(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  if (std::ranges::none_of(live, [](const Node* node) { return is_reduce(node->op); })) return whole;
  auto result = opt::without_nodes(graph);
  opt::rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    return is_reduce(node->op) ? Splitter(*result, *copy, limits).run() : copy;
  });
  return result;
}

}  // namespace harp
