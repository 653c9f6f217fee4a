// Fuses nodes into kernels. The stored nodes are visited in an order in which sources come first. Each stored node is a *root*. A walk
// through the nodes that are computed inline with the root finds the buffers that it reads. A root joins an existing kernel with the same
// iteration space if
//   - every buffer that the root reads is written before that kernel runs, or is written by that kernel and read at the same index (the
//     epilogue of a reduction or scan, or an output computed from another output), and
//   - the root reads a buffer that the kernel reads or writes, so that one pass over the memory serves both.
// Otherwise the root starts a new kernel, one generation after the latest kernel whose results it reads. The generation of a kernel never
// changes, so it is known at once which kernels run late enough. At the end, values that only their own kernel uses lose their buffers.
#include "schedule/fuse.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <variant>

#include "base/machine.h"
#include "base/pointer_set.h"
#include "base/table_limit.h"
#include "base/visits.h"
#include "graph/body.h"
#include "opt/remove_dead_code.h"
#include "schedule/contraction_blocks.h"
#include "schedule/grid_routine.h"
#include "schedule/integer_products.h"
#include "schedule/joined_kept_axes.h"
#include "schedule/kernel_structure.h"
#include "schedule/materialise.h"
#include "schedule/paired_columns.h"
#include "schedule/product_axes.h"
#include "schedule/routine.h"
#include "schedule/row_blocks.h"
#include "schedule/shifted_rows.h"
#include "schedule/shorten_sorts.h"
#include "schedule/sorted_scatters.h"
#include "schedule/split_groups.h"
#include "schedule/split_reductions.h"
#include "schedule/window_channels.h"

namespace harp {

namespace {

// The largest number of rounds of fusion after the first. Each stores values that several kernels computed in the round before.
constexpr int kMaxRounds = 4;
// A root (a stored node) tries to join at most this many kernels with the same iteration space, the most recent ones.
constexpr size_t kRecentKernels = 8;
// A value that is needed again this many generations (fuse.h) later is assumed to have left the caches.
constexpr int kFarGenerations = 16;

/// The buffers that a root (a stored node) reads, and whether it reads them at the index of the element that it computes or at other
/// indices.
struct Dependencies {
  std::vector<const Node*> buffers;   // the stored nodes, inputs and constant arrays that the root reads, in order of first use
  PointerSet<Node> same_index;        // buffers that are read at the index of the element that is computed (ignoring axes of size 1)
  PointerSet<Node> other_index;       // buffers that are read at other indices
  std::vector<const Node*> computed;  // the nodes that are computed instead of being loaded, including the root
};

/// Tests whether the node is a permute that moves only axes of size 1, so that the order of elements in memory does not change.
bool moves_only_ones(const Node& node) {
  if (node.op != Op::kPermute) return false;
  std::vector<int> moved = node.as<PermuteAttributes>().axes;
  std::erase_if(moved, [&](int axis) { return node.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1); });
  return std::ranges::is_sorted(moved);
}

/// Tests whether each element of the node reads this operand at the element's own index (ignoring axes of size 1).
bool keeps_index(const Node& node, size_t operand) {
  if (is_elementwise(node.op)) return true;
  if (info(node.op).family == Family::kGather) return operand == 1;
  return (node.op == Op::kReshape || moves_only_ones(node)) && squeezed(node.shape) == squeezed(node.sources[0]->shape);
}

/// Tests whether a row of the concat's source is shorter than a cache line. A row consists of the elements at one index of the axes before
/// `axis`.
bool has_short_rows(const Node& source, size_t axis) {
  const Shape row(source.shape.begin() + static_cast<std::ptrdiff_t>(axis), source.shape.end());
  const Dim elements = element_count(row);
  return !elements.is_constant(0) && proven_less(elements * static_cast<int64_t>(size_of(source.dtype)), kLineBytes);
}

/// Tests whether a single kernel computes the concat and selects the source of each element. Otherwise a separate kernel stores each
/// source. If a row of some source is shorter than a cache line, such as the border that a reflection adds to a picture, a separate kernel
/// for that source would store parts of cache lines. Sources of equal shapes share a kernel in any case.
bool is_selected(const Node& concat, const NodeMarks& stored, size_t most_sources) {
  const auto axis = static_cast<size_t>(concat.as<ConcatAttributes>().axis);
  const Shape rows(concat.shape.begin(), concat.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (concat.sources.size() > most_sources || squeezed(rows).empty()) return false;
  // if a source is stored anyway, the kernel that computes it stores it directly into its part of the concat
  if (std::ranges::any_of(concat.sources, [&](const Node* source) { return stored.contains(source); })) return false;
  const auto is_short = [&](const Node* source) { return has_short_rows(*source, axis); };
  const auto has_other_shape = [&](const Node* source) { return source->shape != concat.sources[0]->shape; };
  return std::ranges::any_of(concat.sources, is_short) && std::ranges::any_of(concat.sources, has_other_shape);
}

/// Returns the max and min reductions whose results are broadcast along the reduced rows again (as in softmax, which subtracts the max from
/// each element of the row). The kernel of such a reduction makes another pass over the rows.
PointerSet<Node> extremes_of_rows(const Graph& graph, std::span<const Node* const> live) {
  // indexed by node id: if the node is an elementwise function of the result of a max or min reduction, that reduction; otherwise null
  std::vector<const Node*> below(graph.nodes().size(), nullptr);
  PointerSet<Node> result;
  for (const Node* node : live) {
    if (node->op == Op::kReduceMax || node->op == Op::kReduceMin)
      below[node->id] = node;
    else if (node->op == Op::kReshape || is_elementwise(node->op))
      below[node->id] = below[node->sources[0]->id];
    else if (node->op == Op::kExpand && below[node->sources[0]->id] != nullptr)
      result.insert(below[node->sources[0]->id]);
  }
  return result;
}

/// Determines which kernels run late enough to read a set of buffers: those in a later generation than all kernels that write the buffers.
struct Readiness {
  // The number of the kernel that writes the last of the buffers. A root (a stored node) that is computed by this same kernel need not wait
  // for that buffer.
  int maker = -1;
  // generation: the latest generation in which a kernel writes one of the buffers. of_others: the latest generation in which a kernel other
  // than `maker` writes one of them. Both are -1 if there are no such buffers.
  int generation = -1, of_others = -1;

  void add(int kernel, int made_in) {
    if (kernel == maker) return;
    if (made_in > generation) {
      of_others = generation;
      maker = kernel, generation = made_in;
    } else {
      of_others = std::max(of_others, made_in);
    }
  }
  bool is_ready_for(int kernel, int its_generation) const { return (kernel == maker ? of_others : generation) < its_generation; }
};

struct KernelDraft {
  KernelPlan plan;
  PointerSet<Node> makes, reads, computes;
  Shape space;  // iteration_space(plan) for the first store; the other stores have the same space

  /// Tests whether docs/semantics.md prescribes the order in which the kernel combines elements, that is, whether it reduces or scans.
  bool has_order() const { return !plan.reduces.empty() || !plan.scans.empty(); }
  /// Tests whether the kernel stays within its limits if it also computes `nodes` and reads `buffers`. Nodes that it computes already are
  /// not counted twice.
  bool has_room_for(const std::vector<const Node*>& nodes, const std::vector<const Node*>& buffers, const FusionLimits& limits) const {
    if (reads.size() + buffers.size() > limits.arrays) {
      const auto more = std::count_if(buffers.begin(), buffers.end(),
                                      [this](const Node* node) { return !reads.contains(node) && !makes.contains(node); });
      if (more > 0 && reads.size() + static_cast<size_t>(more) > limits.arrays) return false;
    }
    const auto most = static_cast<size_t>(limits.ops);
    if (computes.size() + nodes.size() <= most) return true;
    const auto more = std::count_if(nodes.begin(), nodes.end(), [this](const Node* node) { return !computes.contains(node); });
    return computes.size() + static_cast<size_t>(more) <= most;
  }
};

class Fuser {
 public:
  Fuser(Program& program, const NodeMarks& stored, const FusionLimits& limits)
      : program_(program),
        limits_(limits),
        graph_(*program.graph),
        live_(graph_.live_nodes()),
        extremes_of_rows_(extremes_of_rows(graph_, live_)),
        stored_(stored),
        seen_same_(graph_),
        seen_other_(graph_),
        listed_(graph_),
        computations_(graph_.nodes().size()),
        output_buffers_(graph_.outputs().size(), -1) {
    for (size_t i = graph_.outputs().size(); i-- > 0;) outputs_of_[graph_.outputs()[i].node].push_back(i);
  }

  void run() {
    for (const Node* node : live_)
      if (stored_.contains(node)) place(node);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) place_copy(static_cast<int>(i));
    finish();
  }

  /// Returns nodes that several kernels compute although storing them would be cheaper. If such nodes depend on each other, returns only
  /// the one nearest to the outputs that is more than a view.
  std::vector<const Node*> recomputed(const std::vector<double>& cost) const {
    // Indexed by node id: the largest number of kernels that compute one of the node's users.
    std::vector<double> users(graph_.nodes().size(), 0);
    // Indexed by node id: the number of nodes and outputs that use the node.
    std::vector<int> uses(graph_.nodes().size(), 0);
    std::vector<const Node*> result;
    for (size_t i = live_.size(); i-- > 0;) {
      const Node* node = live_[i];
      const bool passes_on = is_free(*node) && !is_buffer(node);
      for (const Node* source : operands_of(*node)) {
        users[source->id] = std::max(users[source->id], passes_on ? users[node->id] : computations_[node->id].kernels);
        ++uses[source->id];
      }
    }
    for (const GraphOutput& output : graph_.outputs()) ++uses[output.node->id];
    NodeMarks stored = stored_;  // the nodes stored so far, and those added to the result
    for (const Node* node : live_) {
      const Computations& computed = computations_[node->id];
      if (is_buffer(node) || is_free(*node)) continue;
      const bool is_cheaper =
          computed.kernels >= 2 && computed.kernels > users[node->id] && is_worth_storing(*node, cost[node->id], stored);
      if (!is_cheaper && (computed.count < 2 || !replaces_buffers(*node, uses))) continue;
      stored.insert(node);
      result.push_back(node);
    }
    return result;
  }

 private:
  bool has_own_buffer(const Node* node) const { return node->op == Op::kInput || node->op == Op::kConstantArray; }
  bool is_buffer(const Node* node) const { return stored_.contains(node) || has_own_buffer(node); }

  /// The kernels that compute a node.
  struct Computations {
    double kernels = 0;  // number of kernels, where a kernel that computes only a part of the node counts as a fraction
    int count = 0;       // number of kernels
    int last = -1;       // index of the last kernel that computes the node
    int first_generation = 0, last_generation = 0;
  };
  /// Tests whether storing a node that several kernels compute would be cheaper. `cost` is the node's cost by inlined_costs(), which counts
  /// an operand several times if several nodes use it.
  bool is_worth_storing(const Node& node, double cost, const NodeMarks& stored) const {
    const Computations& computed = computations_[node.id];
    if (!harp::is_worth_storing(cost, computed.kernels, limits_.memory_cost)) return false;
    if (computed.last_generation - computed.first_generation < kFarGenerations) return true;
    return harp::is_worth_storing(exact_cost(node, stored), computed.kernels, limits_.memory_cost * kMainMemory);
  }

  /// Tests whether storing the node replaces at least two buffers, those of its operands, by one buffer, because nothing else uses the
  /// operands. The kernel that writes the latest of these buffers would compute the node as its epilogue, so the other operands must be
  /// written before that kernel runs.
  bool replaces_buffers(const Node& node, const std::vector<int>& uses) const {
    if (!is_elementwise(node.op)) return false;
    Readiness readiness;
    int replaced = 0;
    for (const Node* source : node.sources) {
      if (info(source->op).family == Family::kLeaf && !has_own_buffer(source)) continue;
      const int maker = kernel_of(source);
      if (maker < 0 || uses[source->id] != 1 || source->shape != node.shape) return false;
      readiness.add(maker, kernels_[static_cast<size_t>(maker)].plan.generation);
      ++replaced;
    }
    return replaced >= 2 && readiness.is_ready_for(readiness.maker, readiness.generation);
  }

  /// Walks from the values through all nodes that are computed inline, and collects the buffers that these nodes read. `at_root_index`: the
  /// values are read at the root's own index.
  Dependencies dependencies_of(std::span<const Node* const> values, bool at_root_index) {
    Dependencies d;
    seen_same_.clear(), seen_other_.clear(), listed_.clear();
    std::vector<std::pair<const Node*, bool>> stack;
    for (auto it = values.rbegin(); it != values.rend(); ++it) stack.push_back({*it, at_root_index});
    bool first = true;
    uint64_t visited = 0;
    while (!stack.empty()) {
      const auto [node, same] = stack.back();
      stack.pop_back();
      ++visited;
      if (!(same ? seen_same_ : seen_other_).insert(node)) continue;
      const bool is_root = first && at_root_index && stored_.contains(node);  // the walk goes on through the root, although it is stored
      first = false;
      if (is_buffer(node) && !is_root) {
        if (listed_.insert(node)) d.buffers.push_back(node);
        (same ? d.same_index : d.other_index).insert(node);
        continue;
      }
      if (listed_.insert(node)) d.computed.push_back(node);
      const auto operands = operands_of(*node);
      for (size_t i = operands.size(); i-- > 0;) stack.push_back({operands[i], same && keeps_index(*node, i)});
    }
    count_visits(graph_.dims(), visited);
    return d;
  }

  int kernel_of(const Node* node) const {
    auto found = made_by_.find(node);
    return found == made_by_.end() ? -1 : found->second;
  }

  void place(const Node* node) {
    if (kernel_of(node) >= 0) return;  // a Fourier transform, or another result of the same custom function, already stores this node
    if (is_reduce(node->op)) {
      place_reduce(node);
    } else if (is_scan(node->op)) {
      place_scan(node);
    } else if (stands_alone(*node)) {
      place_alone(node);
    } else if (node->op == Op::kConcat && !is_selected(*node, stored_, limits_.selected)) {
      place_concat(node);
    } else if (!place_reshaped(node) && !place_rearranged(node)) {
      const Node* values[] = {node};
      place_store({node, add_buffer(node), node->shape, {}}, dependencies_of(values, true), node);
    }
  }

  /// If the node is a reshape of a value that the kernel of a reduction can compute, for each result or for each element that it reduces,
  /// stores it by a kernel over the axes of that value, because the elements have the same order in memory. Returns whether it is stored.
  bool place_reshaped(const Node* node) {
    const Node* value = node;
    while (value->op == Op::kReshape && (value == node || !stored_.contains(value))) value = value->sources[0];
    const Shape space = squeezed(value->shape);
    if (value == node || has_own_buffer(value) || space == squeezed(node->shape)) return false;
    const Node* values[] = {value};
    Dependencies d = stored_.contains(value) ? read_at_same_index(value) : dependencies_of(values, true);
    const bool is_of_reduction = std::ranges::any_of(d.buffers, [&](const Node* buffer) {
      const int k = kernel_of(buffer);
      if (k < 0 || kernels_[static_cast<size_t>(k)].plan.reduces.empty()) return false;
      KernelDraft& kernel = kernels_[static_cast<size_t>(k)];
      return d.same_index.contains(buffer) ? space_of(kernel) == space : squeezed(kernel.plan.reduces[0]->sources[0]->shape) == space;
    });
    if (is_of_reduction) place_store({value, add_buffer(node), value->shape, {}}, std::move(d), node);
    return is_of_reduction;
  }

  void place_reduce(const Node* node) {
    Dependencies d = dependencies_of(operands_of(*node), false);
    const auto& mine = node->as<ReduceAttributes>();
    const bool is_alone = may_want_tiles(*node, limits_);
    for (int k : recent_reduces(node->sources[0]->shape.size())) {
      if (is_alone) break;
      KernelDraft& kernel = kernels_[static_cast<size_t>(k)];
      const auto& theirs = kernel.plan.reduces[0]->as<ReduceAttributes>();
      if (kernel.plan.reduces.size() >= limits_.reduces || theirs.axes != mine.axes || theirs.order != mine.order ||
          kernel.plan.reduces[0]->sources[0]->shape != node->sources[0]->shape || may_want_tiles(*kernel.plan.reduces[0], limits_))
        continue;
      if (!may_share_pass(kernel.plan, node) || !can_join(kernel, k, d, false)) continue;
      kernel.plan.reduces.push_back(node);
      join(kernel, k, d, node);
      add_buffer(node);
      return;
    }
    const int k = start_kernel(d);
    kernels_[static_cast<size_t>(k)].plan.reduces.push_back(node);
    join(kernels_[static_cast<size_t>(k)], k, d, node);
    reduce_spaces_[node->sources[0]->shape.size()].push_back(k);
    add_buffer(node);
  }

  /// Tests whether the reduction may be computed in the same pass as the reductions of the kernel. An argmax (or argmin) may share a pass
  /// only with the max (min) of the same source, and only if that max is not broadcast along the rows again.
  bool may_share_pass(const KernelPlan& kernel, const Node* reduce) const {
    if (!has_arg_extreme(kernel) && !is_arg_extreme(reduce->op)) return true;
    const Node* other = kernel.reduces[0];
    const Node* extreme = is_arg_extreme(other->op) ? reduce : other;
    return kernel.reduces.size() == 1 && other->sources[0] == reduce->sources[0] && combine_of(other->op) == combine_of(reduce->op) &&
           (extreme->op == Op::kReduceMax || extreme->op == Op::kReduceMin) && !extremes_of_rows_.contains(extreme);
  }

  void place_scan(const Node* node) {
    const Dependencies d = dependencies_of(node->sources, false);
    const auto& all = scan_spaces_[space_key(node->shape)];
    for (size_t i = all.size(); i-- > all.size() - std::min(all.size(), kRecentKernels);) {
      KernelDraft& kernel = kernels_[static_cast<size_t>(all[i])];
      const Node& other = *kernel.plan.scans[0];
      if (kernel.plan.scans.size() >= limits_.reduces || other.attributes != node->attributes || other.shape != node->shape) continue;
      if (limits_.grouped_scans && !may_scan_together(kernel.plan, node)) continue;
      if (!can_join(kernel, all[i], d, false)) continue;
      return put_scan(node, all[i], d);
    }
    const int k = start_kernel(d);
    scan_spaces_[space_key(node->shape)].push_back(k);
    put_scan(node, k, d);
  }
  static bool may_scan_together(const KernelPlan& kernel, const Node* scan) {
    std::vector<const Node*> all = kernel.scans;
    all.push_back(scan);
    return may_scan_by_groups(all);
  }
  void put_scan(const Node* node, int k, const Dependencies& d) {
    KernelDraft& kernel = kernels_[static_cast<size_t>(k)];
    kernel.plan.scans.push_back(node);
    join(kernel, k, d, node);
    add_buffer(node);
  }

  /// Gives a node its own kernel. A routine may get a buffer of scratch memory. A transform may store a value derived from its result
  /// instead of the result. The kernel of a custom function stores all results of the call, because the body computes them together.
  void place_alone(const Node* node) {
    const auto transform = program_.transforms.find(node);
    const bool transforms = transform != program_.transforms.end();
    const Node* stored = transforms ? transform->second.to : node;
    const Dependencies d = transforms ? dependencies_of(transform->second.from, false) : dependencies_of(node->sources, false);
    const int k = start_kernel(d);
    KernelPlan& plan = kernels_[static_cast<size_t>(k)].plan;
    plan.alone = node;
    plan.stores.push_back({node, add_buffer(stored), node->shape, {}});
    if (is_routine(node->op) && needs_scratch(*node)) {
      plan.scratch = static_cast<int>(program_.buffers.size());
      program_.buffers.push_back({Buffer::Kind::kTemporary, 0, node, 0, 0, plan.generation, plan.generation});
    }
    join(kernels_[static_cast<size_t>(k)], k, d, stored);
    if (!is_custom(node->op)) return;
    for (size_t i = 0; i < node->as<CustomAttributes>().dtypes.size(); ++i) {
      const Node* other = result_of_call(*node, static_cast<int>(i));
      if (other == nullptr || other == node || !stored_.contains(other)) continue;
      plan.stores.push_back({other, add_buffer(other), other->shape, {}});
      join(kernels_[static_cast<size_t>(k)], k, {}, other);
    }
  }

  /// If the node is a reshape that joins the last axes of a rearranged value, such as a permuted one, stores it by a kernel over the axes
  /// of that value: the elements have the same order in memory. Along these axes the positions of loads are linear; along a joined axis
  /// each load would need a division. Returns whether the node is stored. The first axis stays as it is, because threads and chains divide
  /// it.
  bool place_rearranged(const Node* node) {
    const Node* value = node;
    while (value->op == Op::kReshape && (value == node || !stored_.contains(value))) value = value->sources[0];
    // On a GPU each element is computed by a thread of its own, which needs divisions in any case.
    if (value == node || is_buffer(value) || limits_.many_threads) return false;
    const Shape from = squeezed(value->shape), to = squeezed(node->shape);
    if (to.empty() || from.size() <= to.size() || from.front() != to.front() || from.back() == to.back()) return false;
    if (!is_rearranged(value)) return false;
    const Node* values[] = {value};
    place_store({value, add_buffer(node), value->shape, {}}, dependencies_of(values, true), node);
    return true;
  }

  /// Tests whether the value, or an operand from which it is computed element by element, is a view whose elements lie in memory in another
  /// order than those of the value, or not next to each other.
  bool is_rearranged(const Node* value) const {
    std::vector<const Node*> stack = {value};
    std::unordered_set<const Node*> seen = {value};
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      if (node->rank() == 0 || is_buffer(node)) continue;
      if (is_movement(node->op)) {
        const bool repeats_one = node->op == Op::kExpand && element_count(node->sources[0]->shape).is_constant(1);
        if (node->op == Op::kReshape || moves_only_ones(*node) || repeats_one) continue;
        return true;
      }
      if (!is_elementwise(node->op) && info(node->op).family != Family::kConvert) continue;
      for (const Node* source : node->sources)
        if (seen.insert(source).second) stack.push_back(source);
    }
    count_visits(graph_.dims(), seen.size());
    return false;
  }

  /// Tests whether the kernel of a routine gets a buffer of scratch memory in the workspace.
  bool needs_scratch(const Node& node) const {
    if (limits_.grid_routines) return !grid_routine(node, program_.transforms).scratch().is_constant(0);
    return kept_of_sort(node) == 0 && !uses_worker_scratch(node, program_.transforms);
  }
  /// Returns the number of elements of a routine's buffer of scratch memory.
  Dim scratch_of(const Node& node) const {
    if (limits_.grid_routines) return grid_routine(node, program_.transforms).scratch();
    const auto transform = program_.transforms.find(&node);
    const Dim blocks = transform == program_.transforms.end() ? routine_blocks(node) : transform_blocks(transform->second);
    return blocks * routine_scratch(node, program_.transforms);
  }

  /// Stores each source of a concat into its part of the result, in a kernel that iterates over the shape of that source. Sources of equal
  /// shapes that are stacked element by element or in short rows share a kernel where possible: it writes whole cache lines, while separate
  /// kernels would each write parts of every line, perhaps several threads at the same time.
  void place_concat(const Node* node) {
    const int axis = node->as<ConcatAttributes>().axis;
    const int buffer = add_buffer(node);
    Dim offset = 0;
    int last = -1, beside = -1;
    for (const Node* source : node->sources) {
      std::vector<Dim> offsets(node->shape.size(), Dim(0));
      offsets[static_cast<size_t>(axis)] = offset;
      offset += source->shape[static_cast<size_t>(axis)];
      if (element_count(source->shape).is_constant(0)) continue;
      const Node* values[] = {source};
      Dependencies d = stored_.contains(source) ? read_at_same_index(source) : dependencies_of(values, true);
      const int k = place_store({source, buffer, node->shape, std::move(offsets)}, std::move(d), nullptr,
                                has_short_rows(*source, static_cast<size_t>(axis)) ? beside : -1);
      beside = k;
      last = std::max(last, k, [this](int a, int b) {
        return a < 0 || kernels_[static_cast<size_t>(a)].plan.generation < kernels_[static_cast<size_t>(b)].plan.generation;
      });
    }
    if (last >= 0) made_by_[node] = last;  // the concat is complete when the latest of its sources is stored
  }

  /// If the output is an input, a constant array, or the same node as an earlier output, adds a copy of it.
  void place_copy(int output) {
    const Node* node = graph_.outputs()[static_cast<size_t>(output)].node;
    if (output_buffers_[static_cast<size_t>(output)] >= 0) return;
    Buffer buffer{Buffer::Kind::kOutput, output, node, 0, 0};
    program_.buffers.push_back(buffer);
    const int id = static_cast<int>(program_.buffers.size()) - 1;
    output_buffers_[static_cast<size_t>(output)] = id;
    place_store({node, id, node->shape, {}}, read_at_same_index(node), nullptr);
  }

  /// Returns the dependencies of a kernel that copies a buffer: it reads the buffer at the same index.
  static Dependencies read_at_same_index(const Node* buffer) {
    Dependencies d;
    d.buffers.push_back(buffer);
    d.same_index.insert(buffer);
    return d;
  }

  /// Adds a store to a kernel that it may join, or else to a new kernel. Returns the number of the kernel. Usually a store joins only a
  /// kernel that reads or makes an array that the store reads too. It may also join the kernel number `beside`, if that is not negative.
  int place_store(StorePlan store, Dependencies d, const Node* makes, int beside = -1) {
    const Shape space = squeezed(store.node->shape);
    // The kernels that the root may join: first those that write buffers that the root reads at its own index, then `beside`, then other
    // kernels with the same iteration space.
    Readiness readiness;
    for (const Node* buffer : d.buffers)
      if (const int k = kernel_of(buffer); k >= 0) readiness.add(k, kernels_[static_cast<size_t>(k)].plan.generation);
    std::vector<int> candidates;
    for (const Node* buffer : d.buffers)
      if (const int k = kernel_of(buffer); k >= 0 && d.same_index.contains(buffer) && std::ranges::find(candidates, k) == candidates.end())
        candidates.push_back(k);
    if (beside >= 0) candidates.push_back(beside);
    auto& recent = elementwise_spaces_[space_key(space)];
    candidates.insert(candidates.end(), recent.rbegin(), recent.rbegin() + static_cast<long>(std::min(recent.size(), kRecentKernels)));
    for (int k : candidates) {
      KernelDraft& kernel = kernels_[static_cast<size_t>(k)];
      if (!readiness.is_ready_for(k, kernel.plan.generation) || kernel.plan.stores.size() >= limits_.stores) continue;
      if (space_of(kernel) != space) continue;
      if (makes == nullptr && !kernel.makes.contains(store.node) && kernel.has_order()) continue;
      if (!can_join(kernel, k, d, true, k == beside)) continue;
      kernel.plan.stores.push_back(std::move(store));
      join(kernel, k, d, makes);
      return k;
    }
    const int k = start_kernel(d);
    kernels_[static_cast<size_t>(k)].plan.stores.push_back(std::move(store));
    join(kernels_[static_cast<size_t>(k)], k, d, makes);
    recent.push_back(k);
    return k;
  }

  /// Returns the iteration space of the kernel, which must have a store, a reduction or a scan. The space never changes afterwards.
  static const Shape& space_of(KernelDraft& kernel) {
    if (kernel.space.empty()) kernel.space = iteration_space(kernel.plan);
    return kernel.space;
  }

  /// Tests whether kernel number k may compute values with the dependencies `d`. Usually it must also read a buffer that the values read,
  /// or make one of them; with `shares` there is another reason to join the kernel. `may_read_own`: whether the values may read buffers
  /// that the kernel itself writes.
  bool can_join(const KernelDraft& kernel, int k, const Dependencies& d, bool may_read_own, bool shares = false) const {
    count_visits(graph_.dims(), d.buffers.size() + d.computed.size());
    if (kernel.plan.alone != nullptr || !kernel.has_room_for(d.computed, d.buffers, limits_)) return false;
    shares |= d.buffers.empty();
    for (const Node* buffer : d.buffers) {
      const int maker = kernel_of(buffer);
      if (maker == k) {
        // a concat is in the `makes` of no kernel, because several kernels write its parts
        if (!may_read_own || d.other_index.contains(buffer) || !kernel.makes.contains(buffer)) return false;
        shares = true;
      } else if (maker >= 0 && kernels_[static_cast<size_t>(maker)].plan.generation >= kernel.plan.generation) {
        return false;
      }
      shares |= kernel.reads.contains(buffer);
    }
    return shares;
  }

  int start_kernel(const Dependencies& d) {
    KernelDraft draft;
    for (const Node* buffer : d.buffers)
      if (const int maker = kernel_of(buffer); maker >= 0)
        draft.plan.generation = std::max(draft.plan.generation, kernels_[static_cast<size_t>(maker)].plan.generation + 1);
    kernels_.push_back(std::move(draft));
    return static_cast<int>(kernels_.size()) - 1;
  }

  void join(KernelDraft& kernel, int k, const Dependencies& d, const Node* makes) {
    for (const Node* node : d.computed) kernel.computes.insert(node);
    const KernelPlan& plan = kernel.plan;
    const Shape& space = !plan.reduces.empty() ? plan.reduces[0]->sources[0]->shape
                         : !plan.scans.empty() ? plan.scans[0]->shape
                                               : plan.stores[0].node->shape;
    for (const Node* node : d.computed) {
      Computations& computed = computations_[node->id];
      if (computed.last == k) continue;
      computed.last_generation = std::max(computed.last_generation, plan.generation);
      computed.first_generation = computed.count == 0 ? plan.generation : std::min(computed.first_generation, plan.generation);
      computed.kernels += share_of(space, node->shape);
      ++computed.count;
      computed.last = k;
    }
    for (const Node* buffer : d.buffers) {
      if (kernel_of(buffer) == k) continue;
      kernel.reads.insert(buffer);
      readers_[buffer].push_back(k);
    }
    if (makes) {
      kernel.makes.insert(makes);
      made_by_[makes] = k;
    }
  }

  std::vector<int> recent_reduces(size_t rank) {
    const auto& all = reduce_spaces_[rank];
    return {all.rbegin(), all.rbegin() + static_cast<long>(std::min(all.size(), kRecentKernels))};
  }

  static uint64_t space_key(const Shape& space) {
    uint64_t h = space.size();
    for (const Dim& d : space) h = h * 0x9e3779b97f4a7c15u + d.hash();
    return h;
  }

  /// Adds the buffer from which other kernels read the node: an output buffer if the node is an output, else a workspace buffer.
  int add_buffer(const Node* node) {
    Buffer buffer{Buffer::Kind::kTemporary, 0, node, 0, 0};
    if (const auto found = outputs_of_.find(node); found != outputs_of_.end() && !found->second.empty()) {
      const size_t i = found->second.back();
      found->second.pop_back();
      buffer.kind = Buffer::Kind::kOutput, buffer.index = static_cast<int>(i);
      output_buffers_[i] = static_cast<int>(program_.buffers.size());
    }
    program_.buffers.push_back(buffer);
    program_.buffer_of[node] = static_cast<int>(program_.buffers.size()) - 1;
    return program_.buffer_of[node];
  }

  void finish();

  Program& program_;
  const FusionLimits& limits_;
  const Graph& graph_;
  std::vector<const Node*> live_;
  PointerSet<Node> extremes_of_rows_;
  const NodeMarks& stored_;
  // Sets of nodes that the current walk has visited. seen_same_: at the root's own index. seen_other_: at other indices. listed_: nodes
  // that are already in a list of the result.
  NodeMarks seen_same_, seen_other_, listed_;
  std::vector<Computations> computations_;  // indexed by node id: the kernels that compute it
  std::vector<KernelDraft> kernels_;
  std::unordered_map<const Node*, int> made_by_;
  // Indexed by node: the kernels that read the node, except the kernel that computes it.
  std::unordered_map<const Node*, std::vector<int>> readers_;
  std::unordered_map<uint64_t, std::vector<int>> elementwise_spaces_;
  std::map<size_t, std::vector<int>> reduce_spaces_;
  std::unordered_map<uint64_t, std::vector<int>> scan_spaces_;
  std::vector<int> output_buffers_;
  // Indexed by node: the numbers of the outputs of this node that have no buffer yet, in descending order.
  std::unordered_map<const Node*, std::vector<size_t>> outputs_of_;
};

/// Removes the buffers that no other kernel reads, adds the buffers of inputs and constants, and sorts the kernels by generation.
void Fuser::finish() {
  std::vector<bool> keep(program_.buffers.size(), true);
  for (auto& [node, id] : std::unordered_map(program_.buffer_of)) {
    if (checks_every_element(*node)) continue;
    if (program_.buffers[static_cast<size_t>(id)].kind == Buffer::Kind::kTemporary && readers_.find(node) == readers_.end()) {
      keep[static_cast<size_t>(id)] = false;
      program_.buffer_of.erase(node);
    }
  }
  for (KernelDraft& kernel : kernels_) {
    for (const auto& made : {kernel.plan.reduces, kernel.plan.scans})
      for (const Node* node : made) {
        auto found = program_.buffer_of.find(node);
        if (found != program_.buffer_of.end()) kernel.plan.stores.push_back({node, found->second, node->shape, {}});
      }
    std::erase_if(kernel.plan.stores, [&](const StorePlan& s) { return !keep[static_cast<size_t>(s.buffer)]; });
  }

  std::vector<Buffer> buffers;
  std::vector<int> new_id(program_.buffers.size(), -1);
  auto add_leaf = [&](const Node* node, Buffer::Kind kind, int index) {
    if (!readers_.count(node)) return;
    program_.buffer_of[node] = static_cast<int>(buffers.size());
    buffers.push_back({kind, index, node, 0, 0});
  };
  for (size_t i = 0; i < graph_.inputs().size(); ++i) add_leaf(graph_.inputs()[i], Buffer::Kind::kInput, static_cast<int>(i));
  int constants = 0;
  for (const Node* node : live_)
    if (node->op == Op::kConstantArray && readers_.count(node)) add_leaf(node, Buffer::Kind::kConstant, constants++);
  int temporaries = 0;
  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    if (!keep[i]) continue;
    new_id[i] = static_cast<int>(buffers.size());
    buffers.push_back(program_.buffers[i]);
    if (buffers.back().kind == Buffer::Kind::kTemporary) buffers.back().index = temporaries++;
  }
  for (auto& [node, id] : program_.buffer_of)
    if (!has_own_buffer(node)) id = new_id[static_cast<size_t>(id)];
  program_.buffers = std::move(buffers);
  for (Buffer& b : program_.buffers) b.bytes = element_count(b.node->shape) * static_cast<int64_t>(size_of(b.node->dtype));
  for (const KernelDraft& draft : kernels_)
    if (const Node* node = draft.plan.alone; node != nullptr && draft.plan.scratch >= 0)
      program_.buffers[static_cast<size_t>(new_id[static_cast<size_t>(draft.plan.scratch)])].bytes =
          scratch_of(*node) * static_cast<int64_t>(size_of(node->dtype));

  std::vector<int> order;
  for (size_t k = 0; k < kernels_.size(); ++k)
    if (!kernels_[k].plan.stores.empty()) order.push_back(static_cast<int>(k));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return kernels_[static_cast<size_t>(a)].plan.generation < kernels_[static_cast<size_t>(b)].plan.generation;
  });
  std::vector<bool> written(program_.buffers.size());
  for (int k : order) {
    KernelDraft& draft = kernels_[static_cast<size_t>(k)];
    if (draft.plan.scratch >= 0) draft.plan.scratch = new_id[static_cast<size_t>(draft.plan.scratch)];
    for (StorePlan& s : draft.plan.stores) {
      s.buffer = new_id[static_cast<size_t>(s.buffer)];
      Buffer& b = program_.buffers[static_cast<size_t>(s.buffer)];
      const int generation = draft.plan.generation;
      b.first_generation = written[static_cast<size_t>(s.buffer)] ? std::min(b.first_generation, generation) : generation;
      b.last_generation = std::max(b.last_generation, generation);
      written[static_cast<size_t>(s.buffer)] = true;
    }
    program_.generations = std::max(program_.generations, draft.plan.generation + 1);
  }
  std::vector<std::vector<int>> reads(kernels_.size());
  for (const Node* node : live_) {
    auto found = readers_.find(node);
    if (found == readers_.end()) continue;
    const int id = program_.buffer_of.at(node);
    for (int k : found->second) {
      auto& list = reads[static_cast<size_t>(k)];
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
      Buffer& b = program_.buffers[static_cast<size_t>(id)];
      b.last_generation = std::max(b.last_generation, kernels_[static_cast<size_t>(k)].plan.generation);
    }
  }
  for (int k : order) {
    kernels_[static_cast<size_t>(k)].plan.reads = std::move(reads[static_cast<size_t>(k)]);
    program_.kernels.push_back(std::move(kernels_[static_cast<size_t>(k)].plan));
  }
}

}  // namespace

FusionLimits fusion_limits(const Machine& machine) {
  return std::visit([](const auto& hardware) { return fusion_limits(hardware); }, machine.hardware);
}

Program fuse(std::shared_ptr<Graph> whole, const ChainOptions& chains, const FusionLimits& limits) {
  std::shared_ptr<Graph> graph = mark_integer_products(std::move(whole), limits);
  graph = cut_into_row_blocks(std::move(graph), chains, limits);
  graph = split_groups(std::move(graph), limits);
  graph = pair_columns(std::move(graph), limits);
  graph = choose_product_axes(std::move(graph), limits);
  graph = store_window_channels(std::move(graph), limits);
  graph = add_shifted_rows(std::move(graph), limits);
  graph = join_kept_axes(std::move(graph), limits);
  graph = split_reductions(std::move(graph), limits);
  graph = sort_updates(std::move(graph), limits);
  graph = shorten_sorts(std::move(graph), limits);
  const bool are_calls = !limits.grid_routines;  // each routine is a call of a function, not a sequence of kernels
  const TransformAbilities abilities{
      .any_length_takes_reals = are_calls, .any_length_takes_pairs = are_calls, .takes_long_columns = are_calls};
  graph = opt::in_order(place_transforms(std::move(graph), abilities));
  const Transforms transforms = find_transforms(*graph, abilities);
  const auto live = graph->live_nodes();
  NodeMarks stored = choose_materialised(*graph, live, transforms, limits);
  for (int round = 0;; ++round) {
    enter_step(graph->dims(), "scheduling kernels");
    Program program;
    program.graph = graph;
    program.sites = check_sites(*graph);
    program.transforms = transforms;
    Fuser fuser(program, stored, limits);
    fuser.run();
    // choose_materialised() could not know which stored nodes would be in different kernels. If several kernels compute the same value
    // although storing it is cheaper, a further round of fusion stores it.
    const auto again = round < kMaxRounds ? fuser.recomputed(inlined_costs(*graph, live, stored)) : std::vector<const Node*>();
    if (again.empty()) {
      group_rows(program, limits);
      return program;
    }
    for (const Node* node : again) stored.insert(node);
  }
}

}  // namespace harp
