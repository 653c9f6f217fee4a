// Decides for each value whether to store it or to recompute it.
//
// The algorithm walks from the outputs to the inputs and collects the *readings* of each node. A reading is a pair: the kernel that will
// read the node, and the path of movement ops from the node to that kernel. It has a count, the number of times that an element is read.
// Two users in one kernel that read the same index share one reading, because lowering computes equal values once. An expand or unfold on
// the path multiplies the count. A node is stored if (sum of counts - 1) times its cost exceeds the cost of one store and the loads. There
// are no kernels yet, so the shape over which a kernel will iterate stands for the kernel: outputs over the same shape share a kernel.
//
// Some values are stored however cheap they are, because each replaces a buffer that would otherwise be stored (FinishedProducts).
#include "schedule/materialise.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/visits.h"
#include "schedule/borders.h"
#include "schedule/bounded_by_arrays.h"
#include "schedule/crossed_operands.h"
#include "schedule/few_columns.h"
#include "schedule/gathered.h"
#include "schedule/program.h"
#include "schedule/rearranged.h"

namespace harp {
namespace {

constexpr double kManyReadings = 1e9;
// A value is assumed to have left the caches if there are this many reductions between two of its uses.
constexpr int kFarLevels = 8;
// FinishedProducts lets the kernel of a product compute at most this many elementwise operations on its sums (such as a bias and an
// activation) before it stores the result.
constexpr size_t kMaxFinishing = 16;
// At most this many distinct readings are recorded for a node. A node that has more counts as read at least kManyReadings times.
constexpr size_t kMaxReadings = 24;

using ReadingKey = uint64_t;
using Readings = std::vector<std::pair<ReadingKey, double>>;  // readings with their counts, sorted by key

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

uint64_t space_key(const Shape& shape) {
  uint64_t h = 17;
  for (const Dim& d : shape)
    if (!d.is_constant(1)) h = mix(h, d.hash());
  return h;
}

void add_reading(Readings& readings, ReadingKey key, double times) {
  auto at = std::lower_bound(readings.begin(), readings.end(), key, [](const auto& r, ReadingKey k) { return r.first < k; });
  if (at != readings.end() && at->first == key)
    at->second = std::max(at->second, times);
  else if (readings.size() < kMaxReadings)
    readings.insert(at, {key, times});
  else
    readings.front().second = kManyReadings;
}

/// Returns how often `user` reads each element of its source if each element of `user` is read once: the factor by which an expand or
/// unfold enlarges its source, or the fraction of its source that a slice takes.
double multiplicity(const Node& user) {
  if (user.op == Op::kSlice) return share_of(user.shape, user.sources[0]->shape);
  if (user.op != Op::kExpand && user.op != Op::kUnfold) return 1;
  double ratio = 1;
  const Shape& from = user.sources[0]->shape;
  for (size_t i = 0; i < user.shape.size(); ++i) {
    if (i < from.size() && user.shape[i] == from[i]) continue;
    const SymRange r = range(user.shape[i]);
    if (user.op == Op::kUnfold && i < from.size()) continue;  // an unfold repeats elements only along its window axis
    ratio *= static_cast<double>(std::min<int64_t>(r.hi, 1 << 20));
  }
  return std::max(ratio, 1.0);
}

bool has_buffer(const Node* node) { return node->op == Op::kInput || node->op == Op::kConstantArray; }
/// Tests whether the node is a concat whose sources are each stored directly into their part of the result. That is so if there are more
/// than `selected` sources, or if all sources must be stored anyway.
bool joins_in_memory(const Node& node, size_t selected) {
  const auto is_stored_whole = [](const Node* source) { return is_reduce(source->op) || is_scan(source->op); };
  return node.op == Op::kConcat && (node.sources.size() > selected || std::ranges::all_of(node.sources, is_stored_whole));
}

/// Calls visit(operand) once for each distinct operand that is computed inline with the node, that is, an operand without a buffer.
void for_each_inlined(const Node& node, const NodeMarks& stored, auto visit) {
  const auto operands = operands_of(node);
  for (auto at = operands.begin(); at != operands.end(); ++at)
    if (std::find(operands.begin(), at, *at) == at && !stored.contains(*at) && !has_buffer(*at)) visit(*at);
}

/// Finds values that a product should store instead of its sums: relu(x @ w + b) in a product relu(x @ w + b) @ v. The kernel of the first
/// product computes such a value in vectors, once for each element. The kernel of the second product would compute it one element at a
/// time, and again for every register tile across the columns, where it takes longer than the products.
class FinishedProducts {
 public:
  FinishedProducts(const Graph& graph, std::span<const Node* const> live) : users_(graph.nodes().size()) {
    for (const Node* node : live)
      for (const Node* source : operands_of(*node)) users_[source->id].push_back(node);
    for (const GraphOutput& output : graph.outputs()) users_[output.node->id].push_back(nullptr);
  }

  /// Tests whether the node is computed element by element from the sums of one product and otherwise only from inputs and constants, and
  /// whether nothing else uses these sums, so that a buffer for the node replaces the buffer for the sums.
  bool replaces_sums(const Node& node, const NodeMarks& stored) const {
    if (!is_elementwise(node.op)) return false;
    const Node* sums = nullptr;
    std::vector<const Node*> computed = {&node};  // the node, and the elementwise operations between the sums and the node
    for (size_t i = 0; i < computed.size(); ++i)
      for (const Node* source : computed[i]->sources) {
        if (std::ranges::find(computed, source) != computed.end() || source == sums || is_view_of_leaf(source)) continue;
        if (source->shape != node.shape) return false;
        if (sums == nullptr && is_product(*source)) {
          sums = source;
        } else if (is_elementwise(source->op) && !stored.contains(source) && computed.size() < kMaxFinishing) {
          computed.push_back(source);
        } else {
          return false;
        }
      }
    if (sums == nullptr) return false;
    const auto is_computed = [&](const Node* user) { return std::ranges::find(computed, user) != computed.end(); };
    const auto has_no_other_users = [&](const Node* each) { return std::ranges::all_of(users_[each->id], is_computed); };
    return has_no_other_users(sums) && std::all_of(computed.begin() + 1, computed.end(), has_no_other_users);
  }

  /// Tests whether the node is a matrix product, whose terms are added one after the other, and not a sum of products along rows.
  static bool is_product(const Node& node) { return sums_products(node) && node.as<ReduceAttributes>().order == ReduceOrder::kChain; }

 private:
  static bool is_view_of_leaf(const Node* node) {
    while (is_movement(node->op) && node->op != Op::kPad) node = node->sources[0];
    return info(node->op).family == Family::kLeaf;
  }

  // Indexed by node id: the nodes that compute with the node; null stands for an output. A sum of products computes with its factors.
  std::vector<std::vector<const Node*>> users_;
};

/// Tests whether the node only converts its source to a dtype of more bytes, so that storing the source takes less memory than storing the
/// node.
bool widens(const Node& node) { return node.op == Op::kCast && size_of(node.sources[0]->dtype) < size_of(node.dtype); }

/// Adds to `stored` the values that FinishedProducts finds and that are factors of products.
void store_finished(const Graph& graph, std::span<const Node* const> live, NodeMarks& stored) {
  const FinishedProducts finished(graph, live);
  for (const Node* sum : live) {
    if (!FinishedProducts::is_product(*sum)) continue;
    for (const Node* factor : operands_of(*sum)) {
      while (factor->op == Op::kExpand || factor->op == Op::kReshape || factor->op == Op::kPermute || widens(*factor))
        factor = factor->sources[0];
      if (!stored.contains(factor) && finished.replaces_sums(*factor, stored)) stored.insert(factor);
    }
  }
}

}  // namespace

bool is_free(const Node& node) { return info(node.op).family == Family::kLeaf || (is_movement(node.op) && node.op != Op::kPad); }

std::vector<double> inlined_costs(const Graph& graph, std::span<const Node* const> live, const NodeMarks& stored) {
  std::vector<double> costs(graph.nodes().size());
  for (const Node* node : live) {
    double& cost = costs[node->id] = info(node->op).cost;
    for_each_inlined(*node, stored, [&](const Node* source) { cost = std::min(cost + costs[source->id], 1e6); });
  }
  return costs;
}

double exact_cost(const Node& root, const NodeMarks& stored) {
  double cost = 0;
  std::vector<const Node*> stack = {&root};
  std::unordered_set<const Node*> seen = {&root};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    cost += info(node->op).cost;
    for (const Node* source : operands_of(*node))
      if (!stored.contains(source) && !has_buffer(source) && seen.insert(source).second) stack.push_back(source);
  }
  count_visits(root.graph->dims(), seen.size());
  return cost;
}

double share_of(const Shape& part, const Shape& whole) {
  // ratios are multiples of 1 / kSteps, so that sums of them are exact and independent of the order of summation
  constexpr double kSteps = 1024;
  // Axes whose size is the same in both shapes do not affect the ratio, so these sizes may be symbolic.
  Dim count = 1, all = 1;
  const bool have_same_rank = part.size() == whole.size();
  for (size_t axis = 0; axis < part.size(); ++axis)
    if (!have_same_rank || !(part[axis] == whole[axis])) count *= part[axis];
  for (size_t axis = 0; axis < whole.size(); ++axis)
    if (!have_same_rank || !(part[axis] == whole[axis])) all *= whole[axis];
  if (!count.is_constant() || !all.is_constant() || count.constant() >= all.constant()) return 1;
  return std::floor(static_cast<double>(count.constant()) / static_cast<double>(all.constant()) * kSteps) / kSteps;
}

bool is_worth_storing(double cost, double times, double memory_cost) { return (times - 1) * cost > (times + 1) * memory_cost; }

namespace {

/// Tests whether the kernel of this stored node follows the rows of a rearranged value instead of dividing each index
/// (lower/reduce_lanes.cpp).
bool follows_rows(const Node& node) {
  return is_reduce(node.op) && !is_arg_extreme(node.op) && node.as<ReduceAttributes>().order == ReduceOrder::kLanes;
}

/// Tests whether the kernel that stores this node computes each element of it by itself.
bool is_elementwise_kernel(const Node& stored) { return !is_reduce(stored.op) && !is_scan(stored.op) && !stands_alone(stored); }

/// Stores reshapes that join axes of a rearranged value (rearranged.h) and would be computed by a kernel over the joined axes, with a
/// division for each element. Such a reshape is not stored if that would need much more memory: if neither the arrays from which it is
/// computed nor the result of the kernel has as many elements.
void store_rearranged(std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  // Fewest elements whose divisions take longer than the additional kernel (Zen 2: 4032 elements 22 us, stored 3 us).
  constexpr int64_t kFewestElements = 64;
  if (limits.many_threads) return;
  const auto is_array = [&](const Node* node) { return stored.contains(node) || has_buffer(node); };
  std::unordered_map<const Node*, const Node*> computed_by;  // for each node that is computed: a stored node whose kernel computes it
  for (auto it = live.rbegin(); it != live.rend(); ++it) {
    const Node* node = *it;
    const Node* kernel = node;
    if (stored.contains(node)) {
      if (follows_rows(*node)) continue;
    } else {
      const auto found = computed_by.find(node);
      if (found == computed_by.end()) continue;
      kernel = found->second;
      const Node* value = node->op == Op::kReshape ? rearranged_below(*node, limits, is_array) : nullptr;
      if (value != nullptr && !(is_elementwise_kernel(*kernel) && joins_by_unrolling(value->shape, node->shape, limits))) {
        const Dim count = element_count(node->shape);
        const Shape& space = is_reduce(kernel->op) ? kernel->sources[0]->shape : kernel->shape;
        if (range(count).hi >= kFewestElements && proven_at_most(count, element_count(space)) &&
            (proven_at_most(count, element_count(kernel->shape)) || is_bounded_by_arrays(*node, stored, kAsArrays))) {
          stored.insert(node);
          kernel = node;
        }
      }
    }
    for (const Node* source : operands_of(*node)) {
      // Reshapes of reshapes are one view. A stored reshape is computed over the axes of its source (fuse.cpp).
      while (node->op == Op::kReshape && source->op == Op::kReshape && !is_array(source)) source = source->sources[0];
      if (is_array(source)) continue;
      const auto [entry, is_new] = computed_by.try_emplace(source, kernel);
      if (!is_new && is_reduce(entry->second->op)) entry->second = kernel;
    }
  }
}

/// Returns the node of which this operand is a view (by reshapes, permutes and slices); null if a slice takes less than half of its source.
/// A reduction that is split at its blocks (split_reductions.h) reads such views.
const Node* below_views(const Node* operand) {
  for (; operand->op == Op::kReshape || operand->op == Op::kPermute || operand->op == Op::kSlice; operand = operand->sources[0])
    if (share_of(operand->shape, operand->sources[0]->shape) < 0.5) return nullptr;
  return operand;
}

/// Stores expensive operands of reductions down a few columns (few_columns.h). The kernel of such a reduction has vectors along the
/// columns, which are less than half full; a separate kernel that stores the operand has full vectors along the rows.
void store_operands_of_columns(const Graph& graph, std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  if (std::ranges::none_of(live, [&](const Node* node) { return has_few_columns(*node, limits); })) return;
  const std::vector<double> costs = inlined_costs(graph, live, stored);
  for (const Node* node : live) {
    if (!has_few_columns(*node, limits)) continue;
    for (const Node* factor : operands_of(*node)) {
      const Node* operand = below_views(factor);
      if (operand == nullptr || stored.contains(operand)) continue;
      const Family family = info(operand->op).family;
      if (family != Family::kElementwise && family != Family::kConvert) continue;
      // Less than half of each vector along the columns is in use, so storing pays if computing costs more than storing and loading.
      if (costs[operand->id] > 2 * limits.memory_cost && is_bounded_by_arrays(*operand, stored, kAsArrays)) stored.insert(operand);
    }
  }
}

/// Stores what no kernel may compute inline: outputs, reductions, scans, values that need a kernel of their own, and what such a kernel
/// must find in memory.
void store_required(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms, const FusionLimits& limits,
                    NodeMarks& stored) {
  for (const GraphOutput& output : graph.outputs())
    if (!has_buffer(output.node)) stored.insert(output.node);
  for (const Node* node : live)
    if (is_reduce(node->op) || is_scan(node->op) || stands_alone(*node) || info(node->op).family == Family::kCopy ||
        joins_in_memory(*node, limits.selected))
      stored.insert(node);
  for (const Node* node : live) {
    if (const auto transform = transforms.find(node); transform != transforms.end()) {
      stored.insert(transform->second.to);
      for (const Node* source : transform->second.from)
        if (!has_buffer(source)) stored.insert(source);
      // the operands must be in memory, because a routine reads each element several times, and a native function needs addresses
    } else if (stands_alone(*node) && !is_scatter(node->op)) {
      for (const Node* source : node->sources)
        if (!has_buffer(source)) stored.insert(source);
    }
    if (info(node->op).family == Family::kGather && !are_positions(*node->sources[1]))
      if (const auto from = gathered(*node, has_buffer); from && !has_buffer(from->array)) stored.insert(from->array);
    // The sorted indices of a scatter are stored, because each of them is read at least twice for each column (lower/gpu/scatter.h).
    if (is_scatter(node->op) && node->as<GatherAttributes>().is_sorted) {
      const Node* indices = node->sources[1];
      while (is_movement(indices->op)) indices = indices->sources[0];
      stored.insert(indices);
    }
  }
}

/// Stores the nodes at which a kernel that computes everything inline would exceed its limits.
void store_at_limits(const Graph& graph, std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  // What one element of a node costs if every node on which it depends is computed inline. ops: number of operations; depth: length of the
  // longest chain of operations; joins: largest nesting depth of concats.
  struct Inline {
    int ops = 0, depth = 0, joins = 0;
    size_t arrays = 0;  // number of arrays that the node reads
  };
  std::vector<Inline> inlined(graph.nodes().size());
  std::vector<const Node*> stack;
  NodeMarks seen(graph);
  const auto is_array = [&](const Node* node) { return stored.contains(node) || has_buffer(node); };
  auto count_exactly = [&](const Node* root, Inline& here) {
    seen.clear();
    stack.assign(1, root);
    here.ops = 0, here.arrays = 0;
    while (!stack.empty() && here.ops <= limits.ops) {
      const Node* node = stack.back();
      stack.pop_back();
      if (!seen.insert(node)) continue;
      if (node != root && is_array(node)) {
        ++here.arrays;
        continue;
      }
      ++here.ops;
      for (const Node* source : operands_of(*node)) stack.push_back(source);
    }
    count_visits(graph.dims(), static_cast<uint64_t>(here.ops) + here.arrays);
  };
  for (const Node* node : live) {
    Inline& here = inlined[node->id];
    here.ops = 1, here.depth = 1;
    for_each_inlined(*node, stored, [&](const Node* source) {
      const Inline& below = inlined[source->id];
      here.ops = std::min(here.ops + below.ops, 1 << 20);
      here.depth = std::max(here.depth, below.depth + 1);
      here.joins = std::max(here.joins, below.joins);
      here.arrays = std::min(here.arrays + below.arrays, size_t{1} << 20);
    });
    for (const Node* source : operands_of(*node)) here.arrays += is_array(source);
    here.joins += node->op == Op::kConcat;
    // Both counts (ops and arrays) contain an operand once for each node that uses it. Before they are compared with the limits, each
    // operand is counted only once.
    if (here.ops > limits.ops / 2 || here.arrays > limits.arrays) count_exactly(node, here);
    const bool is_too_large = here.ops > limits.ops || here.arrays > limits.arrays;
    if ((is_too_large || here.depth > limits.depth || here.joins > limits.joins) && info(node->op).family != Family::kLeaf) {
      stored.insert(node);  // nodes that use this node are then in other kernels
    }
  }
}

/// Stores the values whose readings together cost more than one store and the loads (see the top of this file).
void store_read_often(const Graph& graph, std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  const std::vector<double> costs = inlined_costs(graph, live, stored);
  // Indexed by node id. level: the largest number of reductions and scans on a path from an input to the node. last_level: the largest
  // level of a stored node whose kernel reads the node.
  std::vector<int> level(graph.nodes().size()), last_level(graph.nodes().size());
  for (const Node* node : live) {
    for (const Node* source : node->sources) level[node->id] = std::max(level[node->id], level[source->id]);
    level[node->id] += is_reduce(node->op) || is_scan(node->op);
  }
  std::vector<Readings> readings(graph.nodes().size());
  for (auto it = live.rbegin(); it != live.rend(); ++it) {
    const Node* node = *it;
    Readings mine = std::move(readings[node->id]);
    double total = 0;
    for (const auto& [key, times] : mine) total += times;
    if (!stored.contains(node) && !is_free(*node) && total > 1) {
      const bool is_far = last_level[node->id] - level[node->id] >= kFarLevels;
      if (is_worth_storing(costs[node->id], total, limits.memory_cost) &&
          (!is_far || is_worth_storing(exact_cost(*node, stored), total, limits.memory_cost * kMainMemory)))
        stored.insert(node);
    }
    if (stored.contains(node)) {
      // The kernel that stores the node reads its operands once for each element of its iteration space. The iteration space of a reduction
      // or scan is the shape of its source.
      const uint64_t space = is_reduce(node->op)                            ? mix(space_key(node->sources[0]->shape), 3)
                             : stands_alone(*node) && !is_routine(node->op) ? mix(node->id, 7)  // its kernel computes no other node
                             : is_scan(node->op) ? mix(space_key(node->shape), 16 + static_cast<uint64_t>(node->as<ScanAttributes>().axis))
                                                 : mix(space_key(node->shape), 5);
      mine.assign(1, {space, 1.0});
    }
    const double growth = multiplicity(*node);
    for (const Node* source : operands_of(*node)) {
      if (has_buffer(source)) continue;
      last_level[source->id] = std::max(last_level[source->id], stored.contains(node) ? level[node->id] : last_level[node->id]);
      Readings& theirs = readings[source->id];
      // Each source of a stored concat is stored by a kernel over the shape of that source, which reads the source once.
      if (node->op == Op::kConcat && stored.contains(node)) {
        add_reading(theirs, mix(space_key(source->shape), 5), 1);
        continue;
      }
      for (const auto& [key, times] : mine) {
        const uint64_t path = is_movement(node->op) || info(node->op).family == Family::kJoin ? mix(key, node->id + 7) : key;
        add_reading(theirs, path, std::min(times * growth, kManyReadings));
      }
    }
  }
}

}  // namespace

NodeMarks choose_materialised(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms,
                              const FusionLimits& limits) {
  // Each rule sees what the rules before it have stored.
  NodeMarks stored(graph);
  store_required(graph, live, transforms, limits, stored);
  store_bordered(live, limits, stored);
  store_joined_factors(graph, live, limits, stored);
  store_at_limits(graph, live, limits, stored);
  store_crossed(live, limits, stored);
  store_operands_of_columns(graph, live, limits, stored);
  if (limits.finishes_products) store_finished(graph, live, stored);
  store_read_often(graph, live, limits, stored);
  store_rearranged(live, limits, stored);
  return stored;
}

}  // namespace harp
