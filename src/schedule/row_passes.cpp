// Decides whether kernels can become one row-wise kernel. For each kernel, a walk goes from its stores and reductions down to its loads. It
// tracks the set of row axes along which a value is broadcast on its way to the stores and reductions. The set shows which values the
// merged kernel can pass on internally: a value with the shape of the rows if the set is empty, and a value with one element for each row
// if the set consists of exactly the reduced axes. The pass of a kernel follows from the values that it uses. The result of a reduction is
// available only after the pass that computes it, but an element of a row is available within the same pass.
#include "schedule/row_passes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace harp {

Rows::Rows(const Node& node) : reduce(&node), space(squeezed(node.sources[0]->shape)) {
  const std::vector<bool> axes = reduced_axes(node);
  for (size_t i = 0; i < space.size(); ++i) {
    if (axes[i])
      reduced |= AxisMask(1) << i;
    else
      kept.push_back(space[i]);
  }
}

bool Rows::same(const Node& other) const {
  const auto &a = reduce->as<ReduceAttributes>(), &b = other.as<ReduceAttributes>();
  return a.axes == b.axes && a.order == b.order && reduce->sources[0]->shape == other.sources[0]->shape;
}

Dim Rows::length() const {
  Dim n = 1;
  for (size_t i = 0; i < space.size(); ++i)
    if (reduced >> i & 1) n *= space[i];
  return n;
}

Traffic::Traffic(const Program& program) : makers(program.buffers.size()), readers(program.buffers.size()) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    for (const StorePlan& s : program.kernels[k].stores) makers[static_cast<size_t>(s.buffer)].push_back(static_cast<int>(k));
    for (int b : program.kernels[k].reads) readers[static_cast<size_t>(b)].push_back(static_cast<int>(k));
  }
}

bool Traffic::is_needed_outside(const Program& program, int buffer, const std::vector<int>& kernels) const {
  const Buffer& it = program.buffers[static_cast<size_t>(buffer)];
  if (it.kind != Buffer::Kind::kTemporary || checks_every_element(*it.node)) return true;
  const std::vector<int>& all = readers[static_cast<size_t>(buffer)];
  return !std::all_of(all.begin(), all.end(), [&](int k) { return std::binary_search(kernels.begin(), kernels.end(), k); });
}

namespace {

constexpr AxisMask kOtherElement = ~0u;  // stands for a read at an element other than the current one

/// The buffers that a kernel reads and that some kernel writes. For each buffer, and for each load from it: the set of axes along which the
/// loaded value is broadcast on its way to the stores or reductions that use it.
using ReadsByBuffer = std::map<int, std::vector<AxisMask>>;  // key: index of the buffer

class PassFinder {
 public:
  PassFinder(const Program& program, const Traffic& traffic, const std::vector<int>& kernels, const Rows& rows, const FusionLimits& limits)
      : program_(program), traffic_(traffic), kernels_(kernels), rows_(rows), limits_(limits) {}

  std::optional<std::vector<SharedPass>> run() {
    // The buffers that the kernels of the group write, with the pass that computes each.
    std::unordered_map<int, size_t> ready;
    // For each buffer that contains all elements of all rows: the passes that read it.
    std::map<int, std::vector<size_t>> uses;
    std::vector<SharedPass> passes;
    size_t reduces = 0, stores = 0, ops = 0;
    for (int k : kernels_) {
      const KernelPlan& plan = kernel(k);
      const auto reads = reads_in(plan);
      if (!reads) return std::nullopt;
      const bool has_rows = !plan.reduces.empty() || squeezed(plan.stores[0].node->shape) == rows_.space;
      size_t pass = 0;
      bool follows = false;
      for (const auto& [b, masks] : *reads) {
        const auto made = ready.find(b);
        if (made == ready.end()) continue;
        follows = true;
        const bool is_element = squeezed(buffer(b).node->shape) == rows_.space;
        for (AxisMask mask : masks)
          if (mask != (is_element ? 0 : rows_.reduced)) return std::nullopt;
        pass = std::max(pass, made->second + (!is_element && has_rows ? 1 : 0));
      }
      // This kernel computes one value for each row, but uses no result of the other kernels, so it cannot be merged with them.
      if (!has_rows && !follows) return std::nullopt;
      for (const auto& [b, masks] : *reads)
        if (ready.contains(b) && squeezed(buffer(b).node->shape) == rows_.space) uses[b].push_back(pass);
      if (pass >= limits_.passes) return std::nullopt;
      if (passes.size() <= pass) passes.resize(pass + 1);
      SharedPass& here = passes[pass];
      here.reduces.insert(here.reduces.end(), plan.reduces.begin(), plan.reduces.end());
      for (size_t s = 0; s < plan.stores.size(); ++s) {
        const bool is_element = squeezed(plan.stores[s].node->shape) == rows_.space;
        (is_element ? here.row_stores : here.stores).emplace_back(k, s);
        ready[plan.stores[s].buffer] = pass;
      }
      reduces += plan.reduces.size(), stores += plan.stores.size(), ops += computed_nodes(program_, plan).size();
    }
    if (reduces > limits_.row_reduces || stores > limits_.row_stores || ops > static_cast<size_t>(limits_.ops)) return std::nullopt;
    return keep_row_values(uses, ready, passes) ? std::optional(std::move(passes)) : std::nullopt;
  }

 private:
  const KernelPlan& kernel(int k) const { return program_.kernels[static_cast<size_t>(k)]; }
  const Buffer& buffer(int b) const { return program_.buffers[static_cast<size_t>(b)]; }

  /// Returns the set of axes along which this operand of the node is broadcast on its way to the stores that use the node. `mask` is that
  /// set for the node itself.
  AxisMask mask_of(const Node& node, size_t operand, AxisMask mask) const {
    const Node& source = *operands_of(node)[operand];
    if (mask == kOtherElement || source.rank() == 0) return source.rank() == 0 ? all_axes() : kOtherElement;
    const Family family = info(node.op).family;
    if (is_reduce(node.op)) return mask == rows_.reduced && rows_.same(node) ? 0 : kOtherElement;
    if (is_elementwise(node.op) || family == Family::kCopy || (family == Family::kGather && operand == 1)) return mask;
    if (node.op == Op::kReshape) return squeezed(node.shape) == squeezed(source.shape) ? mask : kOtherElement;
    if (node.op != Op::kExpand) return kOtherElement;
    size_t axis = 0;  // an axis of rows_.space
    for (size_t i = 0; i < node.shape.size(); ++i) {
      if (node.shape[i].is_constant(1)) continue;
      while (axis < rows_.space.size() && (mask >> axis & 1)) ++axis;
      if (axis == rows_.space.size()) return kOtherElement;
      if (source.shape[i].is_constant(1)) mask |= AxisMask(1) << axis;
      ++axis;
    }
    return mask;
  }
  AxisMask all_axes() const { return (AxisMask(1) << rows_.space.size()) - 1; }

  /// Returns the buffers that the kernel reads. Returns nothing if a value that the kernel stores has neither the shape of the rows nor one
  /// element for each row.
  std::optional<ReadsByBuffer> reads_in(const KernelPlan& plan) const {
    std::vector<std::pair<const Node*, AxisMask>> stack;
    for (const StorePlan& s : plan.stores) {
      const Shape space = squeezed(s.node->shape);
      if (space != rows_.space && space != rows_.kept) return std::nullopt;
      stack.emplace_back(s.node, space == rows_.space ? 0 : rows_.reduced);
    }
    for (const Node* reduce : plan.reduces) {
      if (!rows_.same(*reduce)) return std::nullopt;
      stack.emplace_back(reduce, rows_.reduced);
    }
    std::map<const Node*, std::vector<AxisMask>> seen;
    ReadsByBuffer reads;
    while (!stack.empty()) {
      const auto [node, mask] = stack.back();
      stack.pop_back();
      std::vector<AxisMask>& masks = seen[node];
      if (std::find(masks.begin(), masks.end(), mask) != masks.end()) continue;
      masks.push_back(mask);
      if (is_loaded(program_, plan, node)) {
        const int b = program_.buffer_of.at(node);
        if (!traffic_.makers[static_cast<size_t>(b)].empty()) reads[b].push_back(mask);
        continue;
      }
      const auto operands = operands_of(*node);
      for (size_t i = 0; i < operands.size(); ++i) stack.emplace_back(operands[i], mask_of(*node, i, mask));
    }
    return reads;
  }

  /// Decides what happens to values that several passes use: they are kept in scratch memory, or, if the row may be too long for that, each
  /// pass computes them again, unless the row turns out to be short (RowPass::short_row_values). Returns false if computing them again
  /// would cost too much.
  bool keep_row_values(const std::map<int, std::vector<size_t>>& uses, const std::unordered_map<int, size_t>& ready,
                       std::vector<SharedPass>& passes) const {
    const bool by_lanes = rows_.reduce->as<ReduceAttributes>().order == ReduceOrder::kLanes;
    const __int128 elements = static_cast<__int128>(range(rows_.length()).hi) * (by_lanes || rows_.kept.empty() ? 1 : kKeptColumns);
    const bool may_be_short =
        limits_.keeps_short_rows && by_lanes && !rows_.length().is_constant() && !proven_less(kLaneBlock, rows_.length());
    __int128 room = limits_.kept_bytes, short_room = limits_.kept_bytes;
    for (const auto& [b, at] : uses) {
      size_t first = *std::min_element(at.begin(), at.end());
      const size_t last = *std::max_element(at.begin(), at.end());
      if (traffic_.is_needed_outside(program_, b, kernels_)) first = ready.at(b);
      if (first == last) continue;
      const Node* node = buffer(b).node;
      const int64_t size = static_cast<int64_t>(size_of(node->dtype));
      const bool may_keep = !is_bool(node->dtype) && !is_half(node->dtype);
      if (may_keep && elements * size <= room) {
        passes[first].row_values.push_back(node);
        room -= elements * size, short_room -= kLaneBlock * size;
        continue;
      }
      if (cost_of(node) > limits_.recomputed_cost) return false;
      if (may_keep && may_be_short && kLaneBlock * size <= short_room) {
        passes[first].short_row_values.push_back(node);
        short_room -= kLaneBlock * size;
      }
    }
    return true;
  }

  /// Returns the cost of computing one element of a row from loads and from values with one element for each row.
  double cost_of(const Node* root) const {
    std::vector<const Node*> stack{root};
    std::unordered_set<const Node*> seen;
    double cost = 0;
    while (!stack.empty() && cost <= limits_.recomputed_cost) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!seen.insert(node).second || is_reduce(node->op) || node->op == Op::kInput || node->op == Op::kConstantArray) continue;
      if (const auto found = program_.buffer_of.find(node); found != program_.buffer_of.end()) {
        const std::vector<int>& makers = traffic_.makers[static_cast<size_t>(found->second)];
        if (makers.empty() || !std::binary_search(kernels_.begin(), kernels_.end(), makers[0])) continue;
      }
      cost += info(node->op).cost;
      stack.insert(stack.end(), node->sources.begin(), node->sources.end());
    }
    return cost;
  }

  const Program& program_;
  const Traffic& traffic_;
  const std::vector<int>& kernels_;
  const Rows& rows_;
  const FusionLimits& limits_;
};

}  // namespace

std::optional<std::vector<SharedPass>> shared_passes(const Program& program, const Traffic& traffic, const std::vector<int>& kernels,
                                                     const Rows& rows, const FusionLimits& limits) {
  return PassFinder(program, traffic, kernels, rows, limits).run();
}

}  // namespace harp
