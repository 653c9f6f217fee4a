// Records the kernels that fusion is forming, and answers the questions of fuse.cpp about them: which buffers a root (a stored node) reads,
// whether a kernel may compute it, and, when all kernels are complete, which of the values that several kernels compute should be stored
// instead.
#include "schedule/kernel_drafts.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/visits.h"
#include "schedule/grid_routine.h"
#include "schedule/materialise.h"
#include "schedule/rearranged.h"
#include "schedule/routine.h"

namespace harp {

namespace {

// A value that is needed again this many generations (fuse.h) later is assumed to have left the caches.
constexpr int kFarGenerations = 16;

/// Tests whether each element of the node reads this operand at the element's own index (ignoring axes of size 1). keeps_position()
/// (in_place.cpp) asks whether a buffer may be overwritten, and differs in three cases. A scalar that is broadcast counts here, but not
/// there, because it has no element of its own for each element of the node. A permute that moves only axes of size 1 counts only here. A
/// copy counts only there.
bool keeps_index(const Node& node, size_t operand) {
  if (is_elementwise(node.op)) return true;
  if (info(node.op).family == Family::kGather) return operand == 1;
  return (node.op == Op::kReshape || moves_only_ones(node)) && squeezed(node.shape) == squeezed(node.sources[0]->shape);
}

}  // namespace

KernelDrafts::KernelDrafts(Program& program, std::span<const Node* const> live, const NodeMarks& stored, const FusionLimits& limits)
    : program_(program),
      limits_(limits),
      graph_(*program.graph),
      live_(live),
      stored_(stored),
      seen_same_(graph_),
      seen_other_(graph_),
      listed_(graph_),
      computations_(graph_.nodes().size()),
      output_buffers_(graph_.outputs().size(), -1) {
  for (size_t i = graph_.outputs().size(); i-- > 0;) outputs_of_[graph_.outputs()[i].node].push_back(i);
}

Dependencies KernelDrafts::dependencies_of(std::span<const Node* const> values, bool at_root_index) {
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
    const bool is_root = first && at_root_index && stored_.contains(node);  // the walk passes through the root, although the root is stored
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

bool KernelDrafts::can_join(const KernelDraft& kernel, int k, const Dependencies& d, bool may_read_own, bool shares) const {
  count_visits(graph_.dims(), d.buffers.size() + d.computed.size());
  if (kernel.plan.alone != nullptr || !kernel.has_room_for(d.computed, d.buffers, limits_)) return false;
  shares |= d.buffers.empty();
  for (const Node* buffer : d.buffers) {
    const int maker = kernel_of(buffer);
    if (maker == k) {
      // a concat is in KernelDraft::makes of no kernel, because several kernels write its parts
      if (!may_read_own || d.other_index.contains(buffer) || !kernel.makes.contains(buffer)) return false;
      shares = true;
    } else if (maker >= 0 && kernels_[static_cast<size_t>(maker)].plan.generation >= kernel.plan.generation) {
      return false;
    }
    shares |= kernel.reads.contains(buffer);
  }
  return shares;
}

int KernelDrafts::start_kernel(const Dependencies& d) {
  KernelDraft draft;
  for (const Node* buffer : d.buffers)
    if (const int maker = kernel_of(buffer); maker >= 0)
      draft.plan.generation = std::max(draft.plan.generation, kernels_[static_cast<size_t>(maker)].plan.generation + 1);
  kernels_.push_back(std::move(draft));
  return static_cast<int>(kernels_.size()) - 1;
}

void KernelDrafts::join(KernelDraft& kernel, int k, const Dependencies& d, const Node* makes) {
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

int KernelDrafts::add_buffer(const Node* node) {
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

int KernelDrafts::add_output_buffer(int output) {
  const Node* node = graph_.outputs()[static_cast<size_t>(output)].node;
  Buffer buffer{Buffer::Kind::kOutput, output, node, 0, 0};
  program_.buffers.push_back(buffer);
  const int id = static_cast<int>(program_.buffers.size()) - 1;
  output_buffers_[static_cast<size_t>(output)] = id;
  return id;
}

bool KernelDrafts::needs_scratch(const Node& node) const {
  if (limits_.grid_routines) return !grid_routine(node, program_.transforms).scratch().is_constant(0);
  return kept_of_sort(node) == 0 && !uses_worker_scratch(node, program_.transforms);
}

void KernelDrafts::add_scratch_buffer(KernelPlan& plan) {
  plan.scratch = static_cast<int>(program_.buffers.size());
  program_.buffers.push_back({Buffer::Kind::kTemporary, 0, plan.alone, 0, 0, plan.generation, plan.generation});
}

Dim KernelDrafts::scratch_of(const Node& node) const {
  if (limits_.grid_routines) return grid_routine(node, program_.transforms).scratch();
  const auto transform = program_.transforms.find(&node);
  const Dim blocks = transform == program_.transforms.end() ? routine_blocks(node) : transform_blocks(transform->second);
  return blocks * routine_scratch(node, program_.transforms);
}

void KernelDrafts::finish() {
  const std::vector<bool> keep = drop_unread_results();
  choose_stores(keep);
  const std::vector<int> new_id = number_buffers(keep);
  set_sizes(new_id);
  const std::vector<int> order = kernels_by_generation();
  finish_stores(order, new_id);
  finish_reads();
  for (int k : order) program_.kernels.push_back(std::move(kernels_[static_cast<size_t>(k)].plan));
}

std::vector<bool> KernelDrafts::drop_unread_results() {
  std::vector<bool> keep(program_.buffers.size(), true);
  for (auto& [node, id] : std::unordered_map(program_.buffer_of)) {
    if (checks_every_element(*node)) continue;
    if (program_.buffers[static_cast<size_t>(id)].kind == Buffer::Kind::kTemporary && readers_.find(node) == readers_.end()) {
      keep[static_cast<size_t>(id)] = false;
      program_.buffer_of.erase(node);
    }
  }
  return keep;
}

void KernelDrafts::choose_stores(const std::vector<bool>& keep) {
  for (KernelDraft& kernel : kernels_) {
    for (const auto& made : {kernel.plan.reduces, kernel.plan.scans})
      for (const Node* node : made) {
        auto found = program_.buffer_of.find(node);
        if (found != program_.buffer_of.end()) kernel.plan.stores.push_back({node, found->second, node->shape, {}});
      }
    std::erase_if(kernel.plan.stores, [&](const StorePlan& s) { return !keep[static_cast<size_t>(s.buffer)]; });
  }
}

std::vector<int> KernelDrafts::number_buffers(const std::vector<bool>& keep) {
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
  return new_id;
}

void KernelDrafts::set_sizes(const std::vector<int>& new_id) {
  for (Buffer& b : program_.buffers) b.bytes = element_count(b.node->shape) * static_cast<int64_t>(size_of(b.node->dtype));
  for (const KernelDraft& draft : kernels_)
    if (const Node* node = draft.plan.alone; node != nullptr && draft.plan.scratch >= 0)
      program_.buffers[static_cast<size_t>(new_id[static_cast<size_t>(draft.plan.scratch)])].bytes =
          scratch_of(*node) * static_cast<int64_t>(size_of(node->dtype));
}

std::vector<int> KernelDrafts::kernels_by_generation() const {
  std::vector<int> order;
  for (size_t k = 0; k < kernels_.size(); ++k)
    if (!kernels_[k].plan.stores.empty()) order.push_back(static_cast<int>(k));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return kernels_[static_cast<size_t>(a)].plan.generation < kernels_[static_cast<size_t>(b)].plan.generation;
  });
  return order;
}

void KernelDrafts::finish_stores(const std::vector<int>& order, const std::vector<int>& new_id) {
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
}

void KernelDrafts::finish_reads() {
  for (const Node* node : live_) {
    auto found = readers_.find(node);
    if (found == readers_.end()) continue;
    const int id = program_.buffer_of.at(node);
    for (int k : found->second) {
      KernelPlan& plan = kernels_[static_cast<size_t>(k)].plan;
      if (std::find(plan.reads.begin(), plan.reads.end(), id) == plan.reads.end()) plan.reads.push_back(id);
      Buffer& b = program_.buffers[static_cast<size_t>(id)];
      b.last_generation = std::max(b.last_generation, plan.generation);
    }
  }
}

std::vector<const Node*> KernelDrafts::recomputed(const std::vector<double>& cost) const {
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
    const bool is_cheaper = computed.kernels >= 2 && computed.kernels > users[node->id] && is_worth_storing(*node, cost[node->id], stored);
    if (!is_cheaper && (computed.count < 2 || !replaces_buffers(*node, uses))) continue;
    stored.insert(node);
    result.push_back(node);
  }
  return result;
}

bool KernelDrafts::is_worth_storing(const Node& node, double cost, const NodeMarks& stored) const {
  const Computations& computed = computations_[node.id];
  if (!harp::is_worth_storing(cost, computed.kernels, limits_.memory_cost)) return false;
  if (computed.last_generation - computed.first_generation < kFarGenerations) return true;
  return harp::is_worth_storing(exact_cost(node, stored), computed.kernels, limits_.memory_cost * kMainMemory);
}

bool KernelDrafts::replaces_buffers(const Node& node, const std::vector<int>& uses) const {
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

}  // namespace harp
