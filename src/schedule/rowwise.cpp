// Row-wise kernels (08-lowering, "Fusion"): reductions over the same rows and what is computed element by element between them (softmax,
// layer_norm, logsumexp and their gradients) become one kernel that walks each row several times, instead of kernels that hand arrays to
// each other through memory.
//
// A *group* is what becomes one kernel: at first every kernel is one. A kernel joins the groups that make what it reads, as long as
//   - all reductions of the group reduce the same axes of the same shape in the same order, and every other value has the shape of the
//     rows' elements or one value a row,
//   - what is handed over is read at the very element, or row, that is at hand, and
//   - no path leads from the group through another kernel back into it.
// `level` orders the groups as generations order the kernels: a group stands above all it reads from. Passes follow from what uses what.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/error.h"
#include "schedule/fuse.h"
#include "schedule/materialise.h"

namespace harp {
namespace {

using AxisMask = uint32_t;            // axes of the rows' space (size-1 axes aside), one bit each
constexpr AxisMask kElsewhere = ~0u;  // not the element at hand
constexpr size_t kMostReduces = 16, kMostStores = 16, kMostPasses = 8;
constexpr int kMostVisits = 400;           // of the search for another path
constexpr int64_t kMostScratch = 1 << 19;  // bytes of a row's values that are kept for later passes: what stays in the second cache
constexpr double kMostRecomputed = 64;     // cost of an element that every pass computes again because it cannot be kept
constexpr int64_t kLongRow = 1 << 16, kFewRows = 64;  // as few rows as long would leave threads without work

/// The space a group works in.
struct Rows {
  const Node* reduce;  // one of its reductions
  Shape space, kept;   // size-1 axes aside: of the elements, and with the reduced axes left out
  AxisMask reduced = 0;

  explicit Rows(const Node& node) : reduce(&node), space(squeezed(node.sources[0]->shape)) {
    const std::vector<bool> axes = reduced_axes(node);
    for (size_t i = 0; i < space.size(); ++i) {
      if (axes[i])
        reduced |= AxisMask(1) << i;
      else
        kept.push_back(space[i]);
    }
  }
  bool same(const Node& other) const {
    const auto &a = reduce->as<ReduceAttributes>(), &b = other.as<ReduceAttributes>();
    return a.axes == b.axes && a.order == b.order && reduce->sources[0]->shape == other.sources[0]->shape;
  }
  Dim length() const {
    Dim n = 1;
    for (size_t i = 0; i < space.size(); ++i)
      if (reduced >> i & 1) n *= space[i];
    return n;
  }
};

struct Group {
  std::vector<int> kernels;  // ascending; empty: merged into another
  const Node* reduce = nullptr;
  int level = 0;
};

/// What a kernel reads of what kernels make, and with which axes left out.
using MadeReads = std::map<int, std::vector<AxisMask>>;  // by buffer

class RowGrouper {
 public:
  explicit RowGrouper(Program& program) : program_(program), makers_(program.buffers.size()), readers_(program.buffers.size()) {
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelPlan& kernel = program.kernels[k];
      groups_.push_back({{static_cast<int>(k)}, kernel.reduces.empty() ? nullptr : kernel.reduces[0], kernel.generation});
      group_of_.push_back(static_cast<int>(k));
      for (const StorePlan& s : kernel.stores) makers_[static_cast<size_t>(s.buffer)].push_back(static_cast<int>(k));
      for (int b : kernel.reads) readers_[static_cast<size_t>(b)].push_back(static_cast<int>(k));
    }
  }

  void run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      if (!is_candidate(static_cast<int>(k))) continue;
      for (int b : program_.kernels[k].reads) {
        const std::vector<int>& makers = makers_[static_cast<size_t>(b)];
        if (makers.size() == 1) try_merge(group_of_[static_cast<size_t>(makers[0])], group_of_[k]);
      }
    }
    rebuild();
  }

 private:
  KernelPlan& kernel(int k) { return program_.kernels[static_cast<size_t>(k)]; }
  Group& group(int g) { return groups_[static_cast<size_t>(g)]; }
  const Buffer& buffer(int b) const { return program_.buffers[static_cast<size_t>(b)]; }
  bool is_made(int b) const { return !makers_[static_cast<size_t>(b)].empty(); }

  bool is_candidate(int k) {
    const KernelPlan& plan = kernel(k);
    return plan.scans.empty() && plan.alone == nullptr && std::all_of(plan.stores.begin(), plan.stores.end(), [&](const StorePlan& s) {
             return s.offset.empty() && makers_[static_cast<size_t>(s.buffer)].size() == 1;
           });
  }

  // --- where a kernel reads ------------------------------------------------------------------------------------------------

  /// The axes left out at this operand, where `mask` are at the node.
  static AxisMask mask_of(const Node& node, size_t operand, AxisMask mask, const Rows& rows) {
    const Node& source = *operands_of(node)[operand];
    if (mask == kElsewhere || source.rank() == 0) return source.rank() == 0 ? all_axes(rows) : kElsewhere;
    const Family family = info(node.op).family;
    if (is_reduce(node.op)) return mask == rows.reduced && rows.same(node) ? 0 : kElsewhere;
    if (is_elementwise(node.op) || family == Family::kCopy || (family == Family::kGather && operand == 1)) return mask;
    if (node.op == Op::kReshape) return squeezed(node.shape) == squeezed(source.shape) ? mask : kElsewhere;
    if (node.op != Op::kExpand) return kElsewhere;
    size_t axis = 0;  // of the rows' space
    for (size_t i = 0; i < node.shape.size(); ++i) {
      if (node.shape[i].is_constant(1)) continue;
      while (axis < rows.space.size() && (mask >> axis & 1)) ++axis;
      if (axis == rows.space.size()) return kElsewhere;
      if (source.shape[i].is_constant(1)) mask |= AxisMask(1) << axis;
      ++axis;
    }
    return mask;
  }
  static AxisMask all_axes(const Rows& rows) { return (AxisMask(1) << rows.space.size()) - 1; }

  /// Nothing where the kernel does not fit the rows.
  std::optional<MadeReads> reads_in(int k, const Rows& rows) {
    const KernelPlan& plan = kernel(k);
    std::vector<std::pair<const Node*, AxisMask>> stack;
    for (const StorePlan& s : plan.stores) {
      const Shape space = squeezed(s.node->shape);
      if (space != rows.space && space != rows.kept) return std::nullopt;
      stack.emplace_back(s.node, space == rows.space ? 0 : rows.reduced);
    }
    for (const Node* reduce : plan.reduces) {
      if (!rows.same(*reduce)) return std::nullopt;
      stack.emplace_back(reduce, rows.reduced);
    }
    std::map<const Node*, std::vector<AxisMask>> seen;
    MadeReads reads;
    while (!stack.empty()) {
      const auto [node, mask] = stack.back();
      stack.pop_back();
      std::vector<AxisMask>& masks = seen[node];
      if (std::find(masks.begin(), masks.end(), mask) != masks.end()) continue;
      masks.push_back(mask);
      if (is_loaded(program_, plan, node)) {
        const int b = program_.buffer_of.at(node);
        if (is_made(b)) reads[b].push_back(mask);
        continue;
      }
      const auto operands = operands_of(*node);
      for (size_t i = 0; i < operands.size(); ++i) stack.emplace_back(operands[i], mask_of(*node, i, mask, rows));
    }
    return reads;
  }

  // --- merging -------------------------------------------------------------------------------------------------------------

  void try_merge(int from, int to) {
    if (from == to) return;
    Group &a = group(from), &b = group(to);
    if (a.reduce == nullptr && b.reduce == nullptr) return;
    const Rows rows(a.reduce != nullptr ? *a.reduce : *b.reduce);
    if (rows.reduced == 0 || rows.space.size() > 31) return;
    // whole rows are one thread's
    if (range(rows.length()).hi > kLongRow && range(element_count(rows.kept)).hi < kFewRows) return;
    std::vector<int> kernels;
    std::merge(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(), std::back_inserter(kernels));
    if (!std::all_of(kernels.begin(), kernels.end(), [&](int k) { return is_candidate(k); })) return;
    if (!passes_of(kernels, rows) || has_other_path(from, to)) return;
    a.kernels = std::move(kernels);
    a.reduce = rows.reduce;
    a.level = std::max(a.level, b.level);
    for (int k : b.kernels) group_of_[static_cast<size_t>(k)] = from;
    b.kernels.clear();
    raise_readers(from);
  }

  /// Is there a path from one group to the other through a third?
  bool has_other_path(int from, int to) {
    std::vector<int> stack;
    std::unordered_set<int> seen;
    const auto visit_sources = [&](int g) {
      for (int k : group(g).kernels)
        for (int b : kernel(k).reads)
          for (int maker : makers_[static_cast<size_t>(b)]) stack.push_back(group_of_[static_cast<size_t>(maker)]);
    };
    visit_sources(to);
    std::erase(stack, from);
    while (!stack.empty()) {
      const int g = stack.back();
      stack.pop_back();
      if (g == from) return true;
      if (g == to || group(g).level <= group(from).level || !seen.insert(g).second) continue;
      if (seen.size() > kMostVisits) return true;  // perhaps
      visit_sources(g);
    }
    return false;
  }

  /// Who reads from a group stands above it.
  void raise_readers(int changed) {
    std::vector<int> stack{changed};
    while (!stack.empty()) {
      const int g = stack.back();
      stack.pop_back();
      for (int k : group(g).kernels)
        for (const StorePlan& s : kernel(k).stores)
          for (int reader : readers_[static_cast<size_t>(s.buffer)]) {
            const int above = group_of_[static_cast<size_t>(reader)];
            if (above == g || group(above).level > group(g).level) continue;
            group(above).level = group(g).level + 1;
            stack.push_back(above);
          }
    }
  }

  // --- passes --------------------------------------------------------------------------------------------------------------

  /// The passes over a group's rows, before its buffers are dropped; `stores` name (kernel, place). Nothing if it cannot be one kernel.
  struct Pass {
    std::vector<const Node*> reduces, row_values;
    std::vector<std::pair<int, size_t>> row_stores, stores;
  };
  std::optional<std::vector<Pass>> passes_of(const std::vector<int>& kernels, const Rows& rows) {
    std::unordered_map<int, size_t> ready;    // buffers made here: the pass that makes them
    std::map<int, std::vector<size_t>> uses;  // of buffers of elements: passes that read them
    std::vector<Pass> passes;
    size_t reduces = 0, stores = 0, ops = 0;
    for (int k : kernels) {
      const KernelPlan& plan = kernel(k);
      const auto reads = reads_in(k, rows);
      if (!reads) return std::nullopt;
      const bool has_rows = !plan.reduces.empty() || squeezed(plan.stores[0].node->shape) == rows.space;
      size_t pass = 0;
      bool follows = false;
      for (const auto& [b, masks] : *reads) {
        const auto made = ready.find(b);
        if (made == ready.end()) continue;
        follows = true;
        const bool is_element = squeezed(buffer(b).node->shape) == rows.space;
        for (AxisMask mask : masks)
          if (mask != (is_element ? 0 : rows.reduced)) return std::nullopt;
        pass = std::max(pass, made->second + (!is_element && has_rows ? 1 : 0));
      }
      if (!has_rows && !follows) return std::nullopt;  // it works on rows' results before there are any: nothing to do with them
      for (const auto& [b, masks] : *reads)
        if (ready.contains(b) && squeezed(buffer(b).node->shape) == rows.space) uses[b].push_back(pass);
      if (pass >= kMostPasses) return std::nullopt;
      if (passes.size() <= pass) passes.resize(pass + 1);
      Pass& here = passes[pass];
      here.reduces.insert(here.reduces.end(), plan.reduces.begin(), plan.reduces.end());
      for (size_t s = 0; s < plan.stores.size(); ++s) {
        const bool is_element = squeezed(plan.stores[s].node->shape) == rows.space;
        (is_element ? here.row_stores : here.stores).emplace_back(k, s);
        ready[plan.stores[s].buffer] = pass;
      }
      reduces += plan.reduces.size(), stores += plan.stores.size(), ops += computed_nodes(program_, plan).size();
    }
    if (reduces > kMostReduces || stores > 2 * kMostStores || ops > kMaxKernelOps) return std::nullopt;
    return keep_row_values(kernels, rows, uses, ready, passes) ? std::optional(std::move(passes)) : std::nullopt;
  }

  /// What several passes use is kept in scratch memory, or computed again in each if the row may be long.
  bool keep_row_values(const std::vector<int>& kernels, const Rows& rows, const std::map<int, std::vector<size_t>>& uses,
                       const std::unordered_map<int, size_t>& ready, std::vector<Pass>& passes) {
    const bool by_lanes = rows.reduce->as<ReduceAttributes>().order == ReduceOrder::kLanes;
    const __int128 elements = static_cast<__int128>(range(rows.length()).hi) * (by_lanes || rows.kept.empty() ? 1 : kKeptColumns);
    __int128 room = kMostScratch;
    for (const auto& [b, at] : uses) {
      size_t first = *std::min_element(at.begin(), at.end());
      const size_t last = *std::max_element(at.begin(), at.end());
      if (is_needed_outside(b, kernels)) first = ready.at(b);
      if (first == last) continue;
      const Node* node = buffer(b).node;
      const __int128 bytes = elements * static_cast<int64_t>(size_of(node->dtype));
      if (bytes <= room && !is_bool(node->dtype) && !is_half(node->dtype)) {
        passes[first].row_values.push_back(node);
        room -= bytes;
      } else if (cost_of(node, kernels) > kMostRecomputed) {
        return false;
      }
    }
    return true;
  }

  bool is_needed_outside(int b, const std::vector<int>& kernels) {
    if (buffer(b).kind != Buffer::Kind::kWorkspace) return true;
    const std::vector<int>& readers = readers_[static_cast<size_t>(b)];
    return !std::all_of(readers.begin(), readers.end(), [&](int k) { return std::binary_search(kernels.begin(), kernels.end(), k); });
  }

  /// Of one element, from what the kernels load or have one value a row of.
  double cost_of(const Node* root, const std::vector<int>& kernels) {
    std::vector<const Node*> stack{root};
    std::unordered_set<const Node*> seen;
    double cost = 0;
    while (!stack.empty() && cost <= kMostRecomputed) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!seen.insert(node).second || is_reduce(node->op) || node->op == Op::kInput || node->op == Op::kConstantArray) continue;
      if (const auto found = program_.buffer_of.find(node); found != program_.buffer_of.end()) {
        const std::vector<int>& makers = makers_[static_cast<size_t>(found->second)];
        if (!std::binary_search(kernels.begin(), kernels.end(), makers[0])) continue;
      }
      cost += info(node->op).cost;
      stack.insert(stack.end(), node->sources.begin(), node->sources.end());
    }
    return cost;
  }

  // --- the program again ---------------------------------------------------------------------------------------------------

  void rebuild() {
    std::vector<int> order;
    for (size_t g = 0; g < groups_.size(); ++g)
      if (!groups_[g].kernels.empty()) order.push_back(static_cast<int>(g));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return group(a).level < group(b).level; });
    std::vector<bool> dropped(program_.buffers.size());
    std::vector<KernelPlan> kernels;
    for (int g : order) {
      kernels.push_back(merged(group(g), dropped));
      KernelPlan& plan = kernels.back();
      plan.generation = 0;
      for (int b : plan.reads)
        for (int maker : makers_[static_cast<size_t>(b)])
          plan.generation = std::max(plan.generation, generation_of_.at(group_of_[static_cast<size_t>(maker)]) + 1);
      generation_of_[g] = plan.generation;
    }
    std::stable_sort(kernels.begin(), kernels.end(), [](const KernelPlan& a, const KernelPlan& b) { return a.generation < b.generation; });
    program_.kernels = std::move(kernels);
    drop(dropped);
    set_lifetimes();
  }

  KernelPlan merged(const Group& g, std::vector<bool>& dropped) {
    if (g.kernels.size() == 1) {
      KernelPlan plan = std::move(kernel(g.kernels[0]));
      if (plan.reduces.empty()) return plan;
      RowPass& pass = plan.passes.emplace_back();
      pass.reduces = plan.reduces;
      for (size_t s = 0; s < plan.stores.size(); ++s) pass.stores.push_back(s);
      return plan;
    }
    const Rows rows(*g.reduce);
    const auto passes = passes_of(g.kernels, rows);
    KernelPlan result;
    std::unordered_set<int> made;
    for (int k : g.kernels)
      for (const StorePlan& s : kernel(k).stores) made.insert(s.buffer);
    for (int k : g.kernels)
      for (int b : kernel(k).reads)
        if (!made.contains(b) && std::find(result.reads.begin(), result.reads.end(), b) == result.reads.end()) result.reads.push_back(b);
    for (const Pass& pass : *passes) {
      RowPass& here = result.passes.emplace_back();
      here.reduces = pass.reduces, here.row_values = pass.row_values;
      result.reduces.insert(result.reduces.end(), pass.reduces.begin(), pass.reduces.end());
      const auto add = [&](const std::vector<std::pair<int, size_t>>& stores, std::vector<size_t>& into) {
        for (const auto& [k, s] : stores) {
          const StorePlan& store = kernel(k).stores[s];
          if (!is_needed_outside(store.buffer, g.kernels)) {
            dropped[static_cast<size_t>(store.buffer)] = true;
            continue;
          }
          into.push_back(result.stores.size());
          result.stores.push_back(store);
        }
      };
      add(pass.row_stores, here.row_stores);
      add(pass.stores, here.stores);
    }
    return result;
  }

  /// Buffers that only one kernel made and read.
  void drop(const std::vector<bool>& dropped) {
    std::vector<int> number(program_.buffers.size(), -1);
    std::vector<Buffer> buffers;
    int temporaries = 0;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      if (dropped[b]) continue;
      number[b] = static_cast<int>(buffers.size());
      buffers.push_back(program_.buffers[b]);
      if (buffers.back().kind == Buffer::Kind::kWorkspace) buffers.back().index = temporaries++;
    }
    program_.buffers = std::move(buffers);
    std::erase_if(program_.buffer_of, [&](const auto& entry) { return dropped[static_cast<size_t>(entry.second)]; });
    for (auto& [node, b] : program_.buffer_of) b = number[static_cast<size_t>(b)];
    for (KernelPlan& plan : program_.kernels) {
      for (StorePlan& s : plan.stores) s.buffer = number[static_cast<size_t>(s.buffer)];
      for (int& b : plan.reads) b = number[static_cast<size_t>(b)];
      if (plan.spare >= 0) plan.spare = number[static_cast<size_t>(plan.spare)];
    }
  }

  void set_lifetimes() {
    program_.generations = 0;
    std::vector<bool> written(program_.buffers.size());
    const auto used = [&](int b, int generation, bool writes) {
      Buffer& it = program_.buffers[static_cast<size_t>(b)];
      if (writes && !written[static_cast<size_t>(b)]) it.first_generation = it.last_generation = generation;
      written[static_cast<size_t>(b)] = written[static_cast<size_t>(b)] || writes;
      it.last_generation = std::max(it.last_generation, generation);
    };
    for (const KernelPlan& plan : program_.kernels) {  // by generation: what writes comes before what reads
      for (const StorePlan& s : plan.stores) used(s.buffer, plan.generation, true);
      if (plan.spare >= 0) used(plan.spare, plan.generation, true);
      for (int b : plan.reads) used(b, plan.generation, false);
      program_.generations = std::max(program_.generations, plan.generation + 1);
    }
  }

  Program& program_;
  std::vector<std::vector<int>> makers_, readers_;  // kernels, by buffer
  std::vector<Group> groups_;
  std::vector<int> group_of_;                   // by kernel
  std::unordered_map<int, int> generation_of_;  // by group
};

}  // namespace

void group_rows(Program& program) { RowGrouper(program).run(); }

}  // namespace harp
