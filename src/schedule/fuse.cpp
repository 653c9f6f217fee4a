// Fuses nodes into kernels. The stored nodes are visited in an order in which sources come first. Each stored node is a *root*. A walk
// through the nodes that are computed inline with the root finds the buffers that it reads. A root joins an existing kernel with the same
// iteration space if
//   - every buffer that the root reads is written before that kernel runs, or is written by that kernel and read at the same index (the
//     epilogue of a reduction or scan, or an output computed from another output), and
//   - the root reads a buffer that the kernel reads or writes, so that one pass over the memory serves both.
// Otherwise the root starts a new kernel, one generation after the latest kernel whose results it reads. (Generations run one after the
// other; kernels of the same generation do not depend on each other.) A kernel stays in its generation when further roots join it, so its
// generation tells, while fusion is still going on, whether it runs late enough for a root. At the end, a value that only its own kernel
// uses loses its buffer (KernelDrafts::finish()).
#include "schedule/fuse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/machine.h"
#include "base/pointer_set.h"
#include "base/table_limit.h"
#include "base/visits.h"
#include "graph/body.h"
#include "opt/remove_dead_code.h"
#include "schedule/contraction_blocks.h"
#include "schedule/integer_products.h"
#include "schedule/joined_kept_axes.h"
#include "schedule/kernel_drafts.h"
#include "schedule/kernel_structure.h"
#include "schedule/materialise.h"
#include "schedule/paired_columns.h"
#include "schedule/product_axes.h"
#include "schedule/rearranged.h"
#include "schedule/row_blocks.h"
#include "schedule/shifted_rows.h"
#include "schedule/short_sorts.h"
#include "schedule/shorten_sorts.h"
#include "schedule/sorted_scatters.h"
#include "schedule/split_groups.h"
#include "schedule/split_reductions.h"
#include "schedule/window_channels.h"

namespace harp {

namespace {

// The largest number of rounds of fusion after the first. Each round stores values that several kernels computed in the round before.
constexpr int kMaxRounds = 4;
// A root (a stored node) tries to join at most this many kernels with the same iteration space, the most recent ones.
constexpr size_t kRecentKernels = 8;

/// Tests whether a row of the concat's source is shorter than a cache line. A row consists of the elements at one index of the axes before
/// `axis`.
bool has_short_rows(const Node& source, size_t axis) {
  const Shape row(source.shape.begin() + static_cast<std::ptrdiff_t>(axis), source.shape.end());
  const Dim elements = element_count(row);
  return !elements.is_constant(0) && proven_less(elements * static_cast<int64_t>(size_of(source.dtype)), kLineBytes);
}

/// Tests whether a single kernel computes the whole concat and selects the source of each element. Otherwise each source is stored into its
/// part of the concat separately (place_concat()). A single kernel requires at most `most_sources` sources, none of which is in `stored`,
/// and several rows. In addition, some source must have rows shorter than a cache line (such as the border that a reflection adds to a
/// picture): a kernel that stores only this source would store only parts of cache lines. And the sources must differ in shape: otherwise
/// the separate stores of short rows share a kernel anyway.
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

/// Decides which kernel computes each stored node and each copy that an output needs, and records it in `drafts`.
class Fuser {
 public:
  Fuser(const Program& program, std::span<const Node* const> live, const NodeMarks& stored, const FusionLimits& limits,
        KernelDrafts& drafts)
      : program_(program),
        limits_(limits),
        graph_(*program.graph),
        live_(live),
        extremes_of_rows_(extremes_of_rows(graph_, live)),
        stored_(stored),
        drafts_(drafts) {}

  void run() {
    for (const Node* node : live_)
      if (stored_.contains(node)) place(node);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) place_copy(static_cast<int>(i));
  }

 private:
  void place(const Node* node) {
    // A Fourier transform, or another result of the same custom function, may store this node already.
    if (drafts_.kernel_of(node) >= 0) return;
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
      place_store({node, drafts_.add_buffer(node), node->shape, {}}, drafts_.dependencies_of(values, true), node);
    }
  }

  /// If the node is a reshape of a value that the kernel of a reduction can compute, stores it by a kernel over the axes of that value,
  /// because the elements have the same order in memory. There are two cases. A value with one element for each result of the reduction is
  /// stored when the result is complete. A value with one element for each element that is reduced, such as the quotients of a softmax, is
  /// stored by a pass over these elements (RowPass::row_stores). The value may be the reduction itself; its kernel then stores the results
  /// for the reshape, too. Returns whether the node is stored.
  bool place_reshaped(const Node* node) {
    const Node* value = node;
    while (value->op == Op::kReshape && (value == node || !stored_.contains(value))) value = value->sources[0];
    const Shape space = squeezed(value->shape);
    if (value == node || KernelDrafts::has_own_buffer(value) || (space == squeezed(node->shape) && !stored_.contains(value))) return false;
    const Node* values[] = {value};
    Dependencies d = stored_.contains(value) ? read_at_same_index(value) : drafts_.dependencies_of(values, true);
    const bool is_of_reduction = std::ranges::any_of(d.buffers, [&](const Node* buffer) {
      const int k = drafts_.kernel_of(buffer);
      if (k < 0 || drafts_[k].plan.reduces.empty()) return false;
      KernelDraft& kernel = drafts_[k];
      return d.same_index.contains(buffer) ? space_of(kernel) == space : squeezed(kernel.plan.reduces[0]->sources[0]->shape) == space;
    });
    if (is_of_reduction) place_store({value, drafts_.add_buffer(node), value->shape, {}}, std::move(d), node);
    return is_of_reduction;
  }

  void place_reduce(const Node* node) {
    Dependencies d = drafts_.dependencies_of(operands_of(*node), false);
    const auto& mine = node->as<ReduceAttributes>();
    const bool is_alone = may_want_tiles(*node, limits_);
    for (int k : recent_reduces(node->sources[0]->shape.size())) {
      if (is_alone) break;
      KernelDraft& kernel = drafts_[k];
      const auto& theirs = kernel.plan.reduces[0]->as<ReduceAttributes>();
      if (kernel.plan.reduces.size() >= limits_.reduces || theirs.axes != mine.axes || theirs.order != mine.order ||
          kernel.plan.reduces[0]->sources[0]->shape != node->sources[0]->shape || may_want_tiles(*kernel.plan.reduces[0], limits_))
        continue;
      if (!may_share_pass(kernel.plan, node) || !drafts_.can_join(kernel, k, d, false)) continue;
      kernel.plan.reduces.push_back(node);
      drafts_.join(kernel, k, d, node);
      drafts_.add_buffer(node);
      return;
    }
    const int k = drafts_.start_kernel(d);
    drafts_[k].plan.reduces.push_back(node);
    drafts_.join(drafts_[k], k, d, node);
    reduce_spaces_[node->sources[0]->shape.size()].push_back(k);
    drafts_.add_buffer(node);
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
    const Dependencies d = drafts_.dependencies_of(node->sources, false);
    const auto& all = scan_spaces_[space_key(node->shape)];
    for (size_t i = all.size(); i-- > all.size() - std::min(all.size(), kRecentKernels);) {
      KernelDraft& kernel = drafts_[all[i]];
      const Node& other = *kernel.plan.scans[0];
      if (kernel.plan.scans.size() >= limits_.reduces || other.attributes != node->attributes || other.shape != node->shape) continue;
      if (limits_.grouped_scans && !may_scan_together(kernel.plan, node)) continue;
      if (!drafts_.can_join(kernel, all[i], d, false)) continue;
      return put_scan(node, all[i], d);
    }
    const int k = drafts_.start_kernel(d);
    scan_spaces_[space_key(node->shape)].push_back(k);
    put_scan(node, k, d);
  }
  static bool may_scan_together(const KernelPlan& kernel, const Node* scan) {
    std::vector<const Node*> all = kernel.scans;
    all.push_back(scan);
    return may_scan_by_groups(all);
  }
  void put_scan(const Node* node, int k, const Dependencies& d) {
    KernelDraft& kernel = drafts_[k];
    kernel.plan.scans.push_back(node);
    drafts_.join(kernel, k, d, node);
    drafts_.add_buffer(node);
  }

  /// Gives a node its own kernel. A routine may get a buffer of scratch memory. A Fourier transform may write, instead of its own result,
  /// that of the only node that uses it, if this node rearranges the elements. The kernel of a custom function stores all results of the
  /// call, because the body computes them together.
  void place_alone(const Node* node) {
    const auto transform = program_.transforms.find(node);
    const bool transforms = transform != program_.transforms.end();
    const Node* stored = transforms ? transform->second.to : node;
    const Dependencies d =
        transforms ? drafts_.dependencies_of(transform->second.from, false) : drafts_.dependencies_of(node->sources, false);
    const int k = drafts_.start_kernel(d);
    KernelPlan& plan = drafts_[k].plan;
    plan.alone = node;
    plan.stores.push_back({node, drafts_.add_buffer(stored), node->shape, {}});
    if (is_routine(node->op) && drafts_.needs_scratch(*node)) drafts_.add_scratch_buffer(plan);
    drafts_.join(drafts_[k], k, d, stored);
    if (!is_custom(node->op)) return;
    for (size_t i = 0; i < node->as<CustomAttributes>().dtypes.size(); ++i) {
      const Node* other = result_of_call(*node, static_cast<int>(i));
      if (other == nullptr || other == node || !stored_.contains(other)) continue;
      plan.stores.push_back({other, drafts_.add_buffer(other), other->shape, {}});
      drafts_.join(drafts_[k], k, {}, other);
    }
  }

  /// If the node is a reshape that joins axes of a rearranged value (rearranged.h), stores it by a kernel over the axes of that value.
  /// Returns whether the node is stored.
  bool place_rearranged(const Node* node) {
    const Node* value = rearranged_below(*node, limits_, [this](const Node* other) { return drafts_.is_buffer(other); });
    if (value == nullptr) return false;
    const Node* values[] = {value};
    place_store({value, drafts_.add_buffer(node), value->shape, {}}, drafts_.dependencies_of(values, true), node);
    return true;
  }

  /// Stores each source of a concat into its part of the result, in a kernel that iterates over the shape of that source. Sources of equal
  /// shapes that are stacked element by element or in short rows share a kernel where possible: it writes whole cache lines, while separate
  /// kernels would each write parts of every line, perhaps several threads at the same time.
  void place_concat(const Node* node) {
    const int axis = node->as<ConcatAttributes>().axis;
    const int buffer = drafts_.add_buffer(node);
    Dim offset = 0;
    int last = -1, beside = -1;
    for (const Node* source : node->sources) {
      std::vector<Dim> offsets(node->shape.size(), Dim(0));
      offsets[static_cast<size_t>(axis)] = offset;
      offset += source->shape[static_cast<size_t>(axis)];
      if (element_count(source->shape).is_constant(0)) continue;
      const Node* values[] = {source};
      Dependencies d = stored_.contains(source) ? read_at_same_index(source) : drafts_.dependencies_of(values, true);
      const int k = place_store({source, buffer, node->shape, std::move(offsets)}, std::move(d), nullptr,
                                has_short_rows(*source, static_cast<size_t>(axis)) ? beside : -1);
      beside = k;
      last = std::max(last, k, [this](int a, int b) { return a < 0 || drafts_[a].plan.generation < drafts_[b].plan.generation; });
    }
    if (last >= 0) drafts_.set_kernel_of(node, last);  // the concat is complete when the latest of its sources is stored
  }

  /// If the output is an input, a constant array, or the same node as an earlier output, adds a copy of it.
  void place_copy(int output) {
    if (drafts_.has_output_buffer(output)) return;
    const Node* node = graph_.outputs()[static_cast<size_t>(output)].node;
    const int id = drafts_.add_output_buffer(output);
    place_store({node, id, node->shape, {}}, read_at_same_index(node), nullptr);
  }

  /// Returns the dependencies of a kernel that copies a buffer: it reads the buffer at the same index.
  static Dependencies read_at_same_index(const Node* buffer) {
    Dependencies d;
    d.buffers.push_back(buffer);
    d.same_index.insert(buffer);
    return d;
  }

  /// Adds a store to a kernel that it may join, or else to a new kernel. Returns the index of the kernel. Usually a store joins only a
  /// kernel that reads or writes an array that the store also reads. It may join kernel number `beside` (unless that is negative) without
  /// such an array.
  int place_store(StorePlan store, Dependencies d, const Node* makes, int beside = -1) {
    const Shape space = squeezed(store.node->shape);
    // The kernels that the root (the stored node) may join: first those that write buffers that the root reads at its own index, then
    // `beside`, then other kernels with the same iteration space.
    Readiness readiness;
    for (const Node* buffer : d.buffers)
      if (const int k = drafts_.kernel_of(buffer); k >= 0) readiness.add(k, drafts_[k].plan.generation);
    std::vector<int> candidates;
    for (const Node* buffer : d.buffers)
      if (const int k = drafts_.kernel_of(buffer);
          k >= 0 && d.same_index.contains(buffer) && std::ranges::find(candidates, k) == candidates.end())
        candidates.push_back(k);
    if (beside >= 0) candidates.push_back(beside);
    auto& recent = elementwise_spaces_[space_key(space)];
    candidates.insert(candidates.end(), recent.rbegin(), recent.rbegin() + static_cast<long>(std::min(recent.size(), kRecentKernels)));
    for (int k : candidates) {
      KernelDraft& kernel = drafts_[k];
      if (!readiness.is_ready_for(k, kernel.plan.generation) || kernel.plan.stores.size() >= limits_.stores) continue;
      if (space_of(kernel) != space) continue;
      if (makes == nullptr && !kernel.makes.contains(store.node) && kernel.has_order()) continue;
      if (!drafts_.can_join(kernel, k, d, true, k == beside)) continue;
      kernel.plan.stores.push_back(std::move(store));
      drafts_.join(kernel, k, d, makes);
      return k;
    }
    const int k = drafts_.start_kernel(d);
    drafts_[k].plan.stores.push_back(std::move(store));
    drafts_.join(drafts_[k], k, d, makes);
    recent.push_back(k);
    return k;
  }

  /// Returns the iteration space of the kernel, which must have a store, a reduction or a scan. The space never changes afterwards.
  static const Shape& space_of(KernelDraft& kernel) {
    if (kernel.space.empty()) kernel.space = iteration_space(kernel.plan);
    return kernel.space;
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

  const Program& program_;
  const FusionLimits& limits_;
  const Graph& graph_;
  std::span<const Node* const> live_;
  PointerSet<Node> extremes_of_rows_;
  const NodeMarks& stored_;
  KernelDrafts& drafts_;
  std::unordered_map<uint64_t, std::vector<int>> elementwise_spaces_;
  std::map<size_t, std::vector<int>> reduce_spaces_;
  std::unordered_map<uint64_t, std::vector<int>> scan_spaces_;
};

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
  graph = exchange_short_rows(std::move(graph), limits);
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
    KernelDrafts drafts(program, live, stored, limits);
    Fuser(program, live, stored, limits, drafts).run();
    drafts.finish();
    // choose_materialised() could not know which stored nodes would be in different kernels. If several kernels compute the same value
    // although storing it is cheaper, a further round of fusion stores it.
    const auto again = round < kMaxRounds ? drafts.recomputed(inlined_costs(*graph, live, stored)) : std::vector<const Node*>();
    if (again.empty()) {
      group_rows(program, limits);
      return program;
    }
    for (const Node* node : again) stored.insert(node);
  }
}

}  // namespace harp
