// Implements the two orders of a reduction that docs/semantics.md ("Sums") defines, chain and lanes, for arrays with any strides. The
// innermost loops, which depend on the operation and the dtype, are in reduce_loops.cpp. The code here addresses elements in bytes.
//
// The axes of a reduction are kept or reduced, and reduced axes are outer or inner. With order chain, every reduced axis is outer, in the
// order in which the node's attribute `axes` lists them. With order lanes, the last group of adjacent reduced axes is inner: for each outer
// index, lanes combine the elements of the inner axes to one value, and a chain combines those values.
#include "interp/reduce.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "interp/reduce_loops.h"

namespace harp::interp {
namespace {

constexpr int64_t kChainBlock = 256;
constexpr int64_t kLaneBlock = 4096;
/// Number of adjacent results that are computed together, each by a chain of its own. It is large enough to use whole cache lines, and
/// small enough for the L1 cache.
constexpr int64_t kChainWidth = 512;
/// The largest number of short rows that are reduced together by lanes. Few calls of the loops then reduce many rows, and the data fit the
/// L1 cache.
constexpr int64_t kMaxRows = 32;

/// The elements of both operands of a sum of products. Other reductions have one operand; then the second matrix is the same as the first
/// one, and is not used.
using Operands = std::array<Elements, 2>;
using Accumulators = std::vector<std::byte>;

/// Computes up to kChainWidth independent chains together. Elements are combined into the accumulators of level 0, in blocks of 256
/// elements. When a block is full and a further element arrives, the value of the block becomes one element of the next level. Thus 256
/// elements need one level, and 257 need two. An object can compute many chains one after another, and keeps its memory.
class Chains {
 public:
  Chains(const ReduceLoops& loops, int64_t max_width, CancelChecks& checks) : loops_(loops), max_width_(max_width), checks_(checks) {}

  /// Starts `width` new chains.
  void begin(int64_t width) {
    width_ = width;
    level_count_ = 0;
    add_level();
  }

  /// Combines n rows of elements into the chains, by the loop `accumulate`. x[k] is the first row of operand k; it has an element for each
  /// chain.
  void push(AccumulateLoop accumulate, Operands x, int64_t n) {
    while (n > 0) {
      if (levels_[0].count == kChainBlock) carry(0);
      const int64_t taken = std::min(n, kChainBlock - levels_[0].count);
      checks_.count(taken * width_);
      accumulate(levels_[0].values.data(), 0, x.data(), taken, width_);
      for (Elements& elements : x) elements = elements.from_row(taken);
      levels_[0].count += taken;
      n -= taken;
    }
  }

  /// Returns the results as adjacent accumulators. They are valid until the next finish().
  const std::byte* finish() {
    for (size_t level = 0; level + 1 < level_count_; ++level) carry(level);
    // Combine the results with the identity: a sum of products may be -0 after an underflow, and adding +0 gives +0.
    if (results_.empty()) results_ = new_accumulators();
    loops_.fill(results_.data(), width_);
    combine(results_, levels_[level_count_ - 1].values);
    return results_.data();
  }

 private:
  struct Level {
    Accumulators values;
    int64_t count;
  };

  Accumulators new_accumulators() const { return Accumulators(static_cast<size_t>(max_width_ * loops_.accumulator_bytes)); }

  void add_level() {
    if (levels_.size() == level_count_) levels_.push_back({new_accumulators(), 0});
    clear(levels_[level_count_++]);
  }
  void clear(Level& level) {
    loops_.fill(level.values.data(), width_);
    level.count = 0;
  }
  void combine(Accumulators& to, const Accumulators& from) {
    const Elements row{from.data(), 0, loops_.accumulator_bytes};
    loops_.combine(to.data(), 0, &row, 1, width_);
  }

  void carry(size_t level) {
    if (level + 1 == level_count_)
      add_level();
    else if (levels_[level + 1].count == kChainBlock)
      carry(level + 1);
    combine(levels_[level + 1].values, levels_[level].values);
    ++levels_[level + 1].count;
    clear(levels_[level]);
  }

  const ReduceLoops& loops_;
  const int64_t max_width_;
  CancelChecks& checks_;
  int64_t width_ = 0;
  std::vector<Level> levels_;  // the first level_count_ levels are in use
  size_t level_count_ = 0;
  Accumulators results_;
};

/// Computes results by lanes, in blocks of 4,096 elements. Element p of a block is combined into lane p % 64. A tree combines the lanes of
/// a block, and the results of the blocks are combined in the same way. Several results are computed together, each from a row of elements,
/// if the rows are so short that each is part of one block.
class Lanes {
 public:
  Lanes(const ReduceLoops& loops, int64_t max_rows)
      : loops_(loops),
        bytes_(loops.accumulator_bytes),
        lanes_(static_cast<size_t>(max_rows * (kLanes + 1) * bytes_)),
        results_(lanes_.data() + max_rows * kLanes * bytes_) {}

  /// Starts new results.
  void begin(int64_t rows) {
    rows_ = rows;
    block_results_.clear();
    begin_block();
  }

  /// Combines n further elements of each row, by the loop `accumulate`. x[k] contains the elements of operand k.
  void push(AccumulateLoop accumulate, Operands x, int64_t n) {
    while (n > 0) {
      if (filled_ == kLaneBlock) {
        end_block();
        begin_block();
      }
      const int64_t first = filled_ % kLanes, room = kLaneBlock - filled_;
      int64_t taken = std::min(n, kLanes - first);
      if (rows_ == 1 && taken == kLanes) {
        // Combine all complete groups of 64 elements in one call; the loop treats each group as a row.
        const int64_t groups = std::min(n, room) / kLanes;
        Operands grouped = x;
        for (Elements& elements : grouped) elements.row_step = kLanes * elements.column_step;
        accumulate(lanes_.data(), 0, grouped.data(), groups, kLanes);
        taken = groups * kLanes;
      } else {
        accumulate(lanes_.data() + first * bytes_, kLanes * bytes_, x.data(), rows_, taken);
      }
      for (Elements& elements : x) elements = elements.from_column(taken);
      filled_ += taken;
      n -= taken;
    }
  }

  /// Returns the results as adjacent accumulators. They are valid until the next finish().
  const std::byte* finish() {
    if (block_results_.empty()) {
      loops_.combine_lanes(lanes_.data(), results_, rows_);
    } else {
      end_block();
      Lanes next(loops_, 1);
      next.begin(1);
      const Elements blocks{block_results_.data(), 0, bytes_};
      next.push(loops_.combine, {blocks, blocks}, static_cast<int64_t>(block_results_.size()) / bytes_);
      std::memcpy(results_, next.finish(), static_cast<size_t>(bytes_));
    }
    return results_;
  }

 private:
  void begin_block() {
    loops_.fill(lanes_.data(), rows_ * kLanes);
    filled_ = 0;
  }
  void end_block() {
    HARP_ASSERT(rows_ == 1, "a row of several blocks must be the only one");
    // combine_lanes() also combines the identity with the result of this block. docs/semantics.md does so only for the final result, but
    // the bits of the final result are the same, because it is combined with the identity anyway.
    loops_.combine_lanes(lanes_.data(), results_, 1);
    block_results_.insert(block_results_.end(), results_, results_ + bytes_);
  }

  const ReduceLoops& loops_;
  const int64_t bytes_;
  Accumulators lanes_;  // 64 for each row; the results follow
  std::byte* const results_;
  int64_t rows_ = 0;
  int64_t filled_ = 0;          // number of elements of each row in the current block
  Accumulators block_results_;  // of the blocks before the current one
};

/// The axes of a reduction: their sizes, and the distances between the elements of both operands, in bytes.
struct Axes {
  IndexSpace<2> kept, outer, inner;
  bool has_outer;
};

/// Divides the axes into kept, outer and inner ones. Both operands have the source's shape.
Axes axes_of(const ReduceAttributes& attributes, const Array& first, const Array& second) {
  const int rank = first.rank();
  std::vector<bool> is_reduced(rank, false);
  for (const int axis : attributes.axes) is_reduced[axis] = true;

  std::vector<int> axes;  // first the kept axes, then the outer ones, then the inner ones
  axes.reserve(rank);
  for (int axis = 0; axis < rank; ++axis)
    if (!is_reduced[axis]) axes.push_back(axis);
  const size_t kept_end = axes.size();
  size_t outer_end = rank;
  if (attributes.order == ReduceOrder::kChain) {
    axes.insert(axes.end(), attributes.axes.begin(), attributes.axes.end());
  } else {
    for (int axis = 0; axis < rank; ++axis)
      if (is_reduced[axis]) axes.push_back(axis);
    // The inner axes are the last reduced axis and the reduced axes directly before it; a kept axis ends the sequence.
    do --outer_end;
    while (outer_end > kept_end && axes[outer_end - 1] == axes[outer_end] - 1);
  }

  const auto pick = [&](const std::vector<int64_t>& numbers, size_t factor = 1) {
    std::vector<int64_t> picked;
    picked.reserve(axes.size());
    for (const int axis : axes) picked.push_back(numbers[axis] * static_cast<int64_t>(factor));
    return picked;
  };
  const size_t bytes = size_of(first.dtype);
  const std::vector<int64_t> shape = pick(first.shape), a = pick(first.strides, bytes), b = pick(second.strides, bytes);
  const auto space = [&](size_t begin, size_t end) {
    const auto part = [&](const std::vector<int64_t>& numbers) { return std::span(numbers).subspan(begin, end - begin); };
    return IndexSpace<2>(part(shape), {part(a), part(b)});
  };
  return {space(0, kept_end), space(kept_end, outer_end), space(outer_end, axes.size()), outer_end > kept_end};
}

/// Returns how many adjacent elements are processed together: the length of the last axis of the index space, but at most `most`.
int64_t adjacent_in(const IndexSpace<2>& space, int64_t most) { return space.shape.empty() ? 1 : std::min(space.shape.back(), most); }

/// Returns how many rows of inner elements are computed together by lanes.
int64_t rows_of(const Axes& axes) {
  int64_t length = 1;
  for (const int64_t size : axes.inner.shape) length *= std::max<int64_t>(size, 1);
  return adjacent_in(axes.has_outer ? axes.outer : axes.kept, std::clamp(kLaneBlock / length, int64_t{1}, kMaxRows));
}

/// What is reduced, and where the results are stored, in row-major order of the kept axes.
struct Reduction {
  ReduceLoops loops;
  Axes axes;
  std::array<const std::byte*, 2> data;  // of the operands
  std::byte* result;
  int64_t result_bytes;  // the size of one result
};

void reduce_by_chain(const Reduction& reduction, CancelChecks& checks) {
  const ReduceLoops& loops = reduction.loops;
  const Axes& axes = reduction.axes;
  const int64_t max_width = adjacent_in(axes.kept, kChainWidth);
  Chains chains(loops, max_width, checks);
  std::byte* target = reduction.result;
  for_each_run(axes.kept, [&](const auto& kept_offsets, const auto& kept_steps, int64_t kept_count) {
    for (int64_t begin = 0; begin < kept_count; begin += max_width) {
      const int64_t width = std::min(max_width, kept_count - begin);
      checks.count(width);
      chains.begin(width);
      for_each_run(axes.outer, [&](const auto& offsets, const auto& steps, int64_t n) {
        Operands x;
        for (size_t k = 0; k < x.size(); ++k)
          x[k] = {reduction.data[k] + kept_offsets[k] + begin * kept_steps[k] + offsets[k], steps[k], kept_steps[k]};
        chains.push(loops.accumulate, x, n);
      });
      loops.write(chains.finish(), target, width);
      target += width * reduction.result_bytes;
    }
  });
}

void reduce_by_lanes(const Reduction& reduction, CancelChecks& checks) {
  const ReduceLoops& loops = reduction.loops;
  const Axes& axes = reduction.axes;
  const int64_t max_rows = rows_of(axes);
  Lanes lanes(loops, max_rows);
  Chains chain(loops, 1, checks);

  // Computes the values of n rows, which start at the rows of x, in batches. Calls use(values, count) for each batch.
  const auto for_each_batch = [&](const Operands& x, int64_t n, const auto& use) {
    for (int64_t begin = 0; begin < n; begin += max_rows) {
      const int64_t count = std::min(max_rows, n - begin);
      checks.count(count * kLanes);  // for cancellation, combining the lanes counts as work, because it takes time even for a short row
      lanes.begin(count);
      for_each_run(axes.inner, [&](const auto& offsets, const auto& steps, int64_t run) {
        checks.in_parts(run, [&](int64_t part, int64_t length) {
          checks.count((count - 1) * length);  // the other rows; in_parts() has counted the first one
          Operands rows;
          for (size_t k = 0; k < x.size(); ++k)
            rows[k] = {x[k].from_row(begin).data + offsets[k] + part * steps[k], x[k].row_step, steps[k]};
          lanes.push(loops.accumulate, rows, length);
        });
      });
      use(lanes.finish(), count);
    }
  };
  std::byte* target = reduction.result;
  const auto write = [&](const std::byte* values, int64_t count) {
    loops.write(values, target, count);
    target += count * reduction.result_bytes;
  };
  for_each_run(axes.kept, [&](const auto& offsets, const auto& steps, int64_t n) {
    Operands x;
    for (size_t k = 0; k < x.size(); ++k) x[k] = {reduction.data[k] + offsets[k], steps[k], 0};
    // If there are no outer axes, the lanes compute the whole result, and there is no chain.
    if (!axes.has_outer) {
      for_each_batch(x, n, write);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      chain.begin(1);
      for_each_run(axes.outer, [&](const auto& outer_offsets, const auto& outer_steps, int64_t outer_n) {
        Operands rows;
        for (size_t k = 0; k < x.size(); ++k) rows[k] = {x[k].from_row(i).data + outer_offsets[k], outer_steps[k], 0};
        for_each_batch(rows, outer_n, [&](const std::byte* values, int64_t count) {
          const Elements column{values, loops.accumulator_bytes, 0};
          chain.push(loops.combine, {column, column}, count);
        });
      });
      write(chain.finish(), 1);
    }
  });
}

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
  Axes axes = axes_of(attributes, expanded.front(), expanded.back());
  const bool by_lanes = attributes.order == ReduceOrder::kLanes;
  if (by_lanes && axes.inner.shape.size() > 1 && rows_of(axes) * axes.inner.shape.back() < kLanes) {
    // The elements of a row lie in many short runs. The loops would be called once for each run, so copying the elements to contiguous
    // memory is faster.
    for (Array& operand : expanded) operand = as_contiguous(operand, sizes);
    axes = axes_of(attributes, expanded.front(), expanded.back());
  }
  const Reduction reduction{reduce_loops(node.op, node.dtype, attributes.product),
                            std::move(axes),
                            {expanded.front().data, expanded.back().data},
                            result.data,
                            static_cast<int64_t>(size_of(node.dtype))};
  CancelChecks checks(sizes);
  if (by_lanes)
    reduce_by_lanes(reduction, checks);
  else
    reduce_by_chain(reduction, checks);
  return result;
}

}  // namespace harp::interp
