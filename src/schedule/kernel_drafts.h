// Records the kernels that fusion is forming: what each of them computes, reads and writes so far, and the generation in which it runs.
// fuse.cpp decides which kernel computes each stored node. When a kernel has been found for every stored node, finish() removes the buffers
// that are not needed and writes the kernels into the program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/pointer_set.h"
#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"
#include "schedule/program.h"

namespace harp {

/// The buffers that a root (a stored node) reads, and whether it reads them at the index of the element that it computes or at other
/// indices.
struct Dependencies {
  std::vector<const Node*> buffers;   // the stored nodes, inputs and constant arrays that the root reads, in order of first use
  PointerSet<Node> same_index;        // buffers that are read at the index of the element that is computed (ignoring axes of size 1)
  PointerSet<Node> other_index;       // buffers that are read at other indices
  std::vector<const Node*> computed;  // the nodes that are computed instead of being loaded, including the root
};

/// Determines which kernels run late enough to read a set of buffers: those in a later generation than all kernels that write the buffers.
struct Readiness {
  // The index of the kernel that writes the last of the buffers. If this kernel also computes the root (the stored node that reads them),
  // the root need not wait for that buffer.
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

/// A kernel that other stored nodes may still join. It stores the nodes `makes`, loads `reads`, and computes `computes`.
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

/// The kernels of a program while fusion assigns its stored nodes to them, one after the other. They are numbered in the order in which
/// they start.
class KernelDrafts {
 public:
  /// `live`: the live nodes of the program's graph, sorted with sources first. `stored`: those that get a buffer. Keeps references to all
  /// arguments.
  KernelDrafts(Program& program, std::span<const Node* const> live, const NodeMarks& stored, const FusionLimits& limits);

  KernelDraft& operator[](int k) { return kernels_[static_cast<size_t>(k)]; }

  /// Tests whether the node has a buffer without being stored by a kernel.
  static bool has_own_buffer(const Node* node) { return node->op == Op::kInput || node->op == Op::kConstantArray; }
  bool is_buffer(const Node* node) const { return stored_.contains(node) || has_own_buffer(node); }
  /// Returns the index of the kernel that stores the node, or -1 if none does (yet).
  int kernel_of(const Node* node) const {
    auto found = made_by_.find(node);
    return found == made_by_.end() ? -1 : found->second;
  }
  /// Records that kernel number k stores the node. If several kernels store parts of it, as of a concat, k is the latest of them.
  void set_kernel_of(const Node* node, int k) { made_by_[node] = k; }

  /// Walks from the values down through all nodes that are computed inline, and collects the buffers that these nodes read.
  /// `at_root_index`: whether the values are needed at the index of the element that the kernel stores (the root's own index), and not at
  /// other indices.
  Dependencies dependencies_of(std::span<const Node* const> values, bool at_root_index);
  /// Tests whether kernel number k may compute values with the dependencies `d`. If the values read buffers, the kernel must already read
  /// or write at least one of these buffers, so that joining saves loads; `shares` waives this condition. `may_read_own`: whether the
  /// values may read buffers that the kernel itself writes.
  bool can_join(const KernelDraft& kernel, int k, const Dependencies& d, bool may_read_own, bool shares = false) const;
  /// Starts a kernel in the first generation in which it may read the buffers of `d`, and returns its index. It computes nothing yet.
  int start_kernel(const Dependencies& d);
  /// Records that the kernel, number k, computes the nodes and reads the buffers of `d`, and that it stores `makes` unless this is null.
  void join(KernelDraft& kernel, int k, const Dependencies& d, const Node* makes);

  /// Adds the buffer from which other kernels read the node: an output buffer if the node is an output, else a workspace buffer.
  int add_buffer(const Node* node);
  bool has_output_buffer(int output) const { return output_buffers_[static_cast<size_t>(output)] >= 0; }
  /// Adds the buffer of an output that needs a copy of its node, because the node has another buffer.
  int add_output_buffer(int output);
  /// Tests whether the kernel of a routine (an op of the family Routine, such as a sort) needs scratch memory in the workspace.
  bool needs_scratch(const Node& node) const;
  /// Adds the buffer of scratch memory to the kernel of a routine.
  void add_scratch_buffer(KernelPlan& plan);

  /// Removes the buffers that no other kernel reads, adds the buffers of inputs and constants, and writes the kernels into the program,
  /// sorted by generation. Call it once, when all stored nodes and outputs are placed.
  void finish();

  /// Returns nodes that several kernels compute although storing them would be cheaper. If such nodes depend on each other, returns only
  /// the one nearest to the outputs, leaving out views.
  std::vector<const Node*> recomputed(const std::vector<double>& cost) const;

 private:
  /// The kernels that compute a node.
  struct Computations {
    double kernels = 0;  // number of kernels, where a kernel that computes only a part of the node counts as a fraction
    int count = 0;       // number of kernels
    int last = -1;       // index of the last kernel that computes the node
    int first_generation = 0, last_generation = 0;
  };
  /// Tests whether storing a node that several kernels compute would be cheaper. `cost` is the node's cost by inlined_costs(), which counts
  /// an operand several times if several nodes use it.
  bool is_worth_storing(const Node& node, double cost, const NodeMarks& stored) const;
  /// Tests whether storing the node replaces at least two buffers, those of its operands, by one buffer, because nothing else uses the
  /// operands. The kernel that writes the latest of these buffers would compute the node as its epilogue, so the other operands must be
  /// written before that kernel runs.
  bool replaces_buffers(const Node& node, const std::vector<int>& uses) const;
  /// Returns the size, in elements, of a routine's buffer of scratch memory.
  Dim scratch_of(const Node& node) const;

  // --- The steps of finish(), in this order. From number_buffers() on, Program::buffers has new numbers; `new_id` maps the numbers in the
  // drafts to them (-1: the buffer was removed).

  /// Removes from Program::buffer_of the nodes whose workspace buffer no other kernel reads, except those that must be computed because
  /// they check indices. Returns for each buffer whether it is kept.
  std::vector<bool> drop_unread_results();
  /// Lets the kernels store the results of their reductions and scans that have buffers, and removes stores to buffers that are not kept.
  void choose_stores(const std::vector<bool>& keep);
  /// Makes the program's list of buffers: the inputs and constants that a kernel reads, and the buffers that are kept. Returns `new_id`.
  std::vector<int> number_buffers(const std::vector<bool>& keep);
  void set_sizes(const std::vector<int>& new_id);
  /// Returns the indices of the kernels that store something, sorted by generation.
  std::vector<int> kernels_by_generation() const;
  /// Gives the buffers that kernels write their new numbers, and sets the generations in which these buffers are written.
  void finish_stores(const std::vector<int>& order, const std::vector<int>& new_id);
  /// Lists the buffers that each kernel reads, and extends the lifetime of each buffer to the last generation that reads it.
  void finish_reads();

  Program& program_;
  const FusionLimits& limits_;
  const Graph& graph_;
  std::span<const Node* const> live_;
  const NodeMarks& stored_;
  // Nodes that the current call of dependencies_of() has visited at the root's own index (seen_same_) and at other indices (seen_other_),
  // and nodes that are already in a list of its result (listed_).
  NodeMarks seen_same_, seen_other_, listed_;
  std::vector<Computations> computations_;  // indexed by node id: the kernels that compute it
  std::vector<KernelDraft> kernels_;
  std::unordered_map<const Node*, int> made_by_;
  // Indexed by node: the kernels that read the node, except the kernel that computes it.
  std::unordered_map<const Node*, std::vector<int>> readers_;
  std::vector<int> output_buffers_;  // indexed by output: its buffer, or -1
  // Indexed by node: the indices of the outputs of this node that have no buffer yet, in descending order.
  std::unordered_map<const Node*, std::vector<size_t>> outputs_of_;
};

}  // namespace harp
