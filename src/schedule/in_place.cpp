// Finds the buffers that a kernel may overwrite with its results. A walk goes from every stored value down to its loads. It records whether
// each buffer is read at the stored element itself or at another element (through a flip, a pad, an expand, …). A kernel completes all
// reads of an iteration before it stores (ir/linearize.h), so a buffer that is read only at the stored element may be overwritten there. A
// row-wise kernel stores the elements of a row in one of its passes. That store may overwrite what the same or an earlier pass reads, but
// not what a later pass reads.
#include "schedule/in_place.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "schedule/node_marks.h"

namespace harp {
namespace {

/// Tests whether element i of the node depends only on element i of this operand, where i is a row-major index. For a gather this is true
/// for the indices, but not for the gathered array. keeps_index() (kernel_drafts.cpp) is a similar test for another purpose, and says where
/// the two differ.
bool keeps_position(const Node& node, size_t operand, const Node& source) {
  const Family family = info(node.op).family;
  const bool may =
      is_elementwise(node.op) || node.op == Op::kReshape || family == Family::kCopy || (family == Family::kGather && operand == 1);
  return may && squeezed(node.shape) == squeezed(source.shape);
}

/// The buffers that a kernel loads. same_index: the buffers that are loaded at the index of the stored element; for each of them, the last
/// pass that loads it. other_index: the buffers that are loaded at other indices.
struct Reads {
  std::unordered_map<int, size_t> same_index;
  std::unordered_set<int> other_index;
  // Whether the kernel scans, scatters or calls a routine, so that it does not compute its elements one at a time.
  bool has_order = false;
};

class InPlaceFinder {
 public:
  explicit InPlaceFinder(const Program& program)
      : program_(program),
        writers_(program.buffers.size(), 0),
        last_readers_(program.buffers.size()),
        seen_same_(*program.graph),
        seen_other_(*program.graph) {
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelPlan& kernel = program.kernels[k];
      for (const StorePlan& store : kernel.stores) ++writers_[static_cast<size_t>(store.buffer)];
      for (int b : kernel.reads) {
        LastReaders& last = last_readers_[static_cast<size_t>(b)];
        // Kernels are sorted by generation (kernels of one generation do not depend on each other and may run concurrently). So if this
        // kernel is not of last.generation, it is of a later generation.
        if (last.generation != kernel.generation) last = {kernel.generation, 0, static_cast<int>(k)};
        ++last.count;
      }
    }
  }

  std::vector<InPlace> run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) visit(static_cast<int>(k));
    std::sort(pairs_.begin(), pairs_.end());
    return std::move(pairs_);
  }

 private:
  struct LastReaders {
    // generation: the last one in which a kernel reads the buffer; count: how many kernels of that generation read it; kernel: the first of
    // them
    int generation = -1, count = 0, kernel = -1;
  };

  const Buffer& buffer(int b) const { return program_.buffers[static_cast<size_t>(b)]; }

  /// Tests whether this kernel is the last one to read the buffer: no other kernel reads it later, or in the same generation and thus
  /// perhaps concurrently.
  bool reads_last(int kernel, int b) const {
    const LastReaders& last = last_readers_[static_cast<size_t>(b)];
    return last.kernel == kernel && last.count == 1;
  }

  void visit(int k) {
    using Kind = Buffer::Kind;
    const KernelPlan& kernel = program_.kernels[static_cast<size_t>(k)];
    std::vector<int> given;  // the buffers that this kernel is the last one to read
    for (int b : kernel.reads)
      if (buffer(b).kind != Kind::kConstant && !buffer(b).bytes.is_constant(0) && reads_last(k, b)) given.push_back(b);
    if (given.empty()) return;
    Reads reads;
    if (kernel.passes.empty()) {
      for (const StorePlan& store : kernel.stores) read(kernel, {store.node}, 0, true, reads);
      if (reads.has_order) return;
      for (const StorePlan& store : kernel.stores) pair_up(store, 0, given, reads);
      return;
    }
    for (size_t p = 0; p < kernel.passes.size(); ++p) {
      const RowPass& pass = kernel.passes[p];
      for (const Node* reduce : pass.reduces) read(kernel, operands_of(*reduce), p, true, reads);
      for (size_t s : pass.row_stores) read(kernel, {kernel.stores[s].node}, p, true, reads);
      for (size_t s : pass.stores) read(kernel, {kernel.stores[s].node}, p, false, reads);
    }
    for (size_t p = 0; p < kernel.passes.size(); ++p)
      for (size_t s : kernel.passes[p].row_stores) pair_up(kernel.stores[s], p, given, reads);
  }

  /// Appends to pairs_ a pair of the store's buffer and b, for each buffer b of `given` that this store of pass number `pass` may
  /// overwrite.
  void pair_up(const StorePlan& store, size_t pass, const std::vector<int>& given, const Reads& reads) {
    using Kind = Buffer::Kind;
    if (!store.offset.empty() || writers_[static_cast<size_t>(store.buffer)] > 1) return;
    const Kind wanted = buffer(store.buffer).kind == Kind::kOutput ? Kind::kInput : Kind::kTemporary;
    // A kernel may store a value in another shape than its own (fuse.cpp, place_reshaped). That is not in place, although the elements have
    // the same order: whether a host may alias an output must follow from its shape, not from how it is computed.
    const Shape stored_shape = squeezed(buffer(store.buffer).node->shape);
    for (int b : given) {
      const Node& node = *buffer(b).node;
      const auto last = reads.same_index.find(b);
      if (buffer(b).kind != wanted || last == reads.same_index.end() || last->second > pass || reads.other_index.contains(b)) continue;
      if (node.dtype == store.node->dtype && squeezed(node.shape) == squeezed(store.node->shape) && squeezed(node.shape) == stored_shape)
        pairs_.push_back({store.buffer, b});
    }
  }

  /// Records which buffers a pass loads to compute these values. The walk stops at reductions, because the operands of each reduction are
  /// recorded for the pass that computes it.
  void read(const KernelPlan& kernel, std::initializer_list<const Node*> roots, size_t pass, bool at_element, Reads& reads) {
    read(kernel, std::span(roots.begin(), roots.size()), pass, at_element, reads);
  }
  void read(const KernelPlan& kernel, std::span<const Node* const> roots, size_t pass, bool at_element, Reads& reads) {
    seen_same_.clear(), seen_other_.clear();
    std::vector<std::pair<const Node*, bool>> stack;
    for (const Node* root : roots) stack.emplace_back(root, at_element);
    while (!stack.empty()) {
      const auto [node, same_index] = stack.back();
      stack.pop_back();
      if (!(same_index ? seen_same_ : seen_other_).insert(node)) continue;
      if (is_loaded(program_, kernel, node)) {
        const int b = program_.buffer_of.at(node);
        if (same_index)
          reads.same_index[b] = pass;
        else
          reads.other_index.insert(b);
        continue;
      }
      if (is_reduce(node->op)) continue;  // the operands of a reduction are recorded for its own pass
      reads.has_order |= is_scan(node->op) || stands_alone(*node);
      const auto operands = operands_of(*node);
      for (size_t i = 0; i < operands.size(); ++i) stack.emplace_back(operands[i], same_index && keeps_position(*node, i, *operands[i]));
    }
  }

  const Program& program_;
  std::vector<int> writers_;  // indexed by buffer: number of kernels that store to it
  std::vector<LastReaders> last_readers_;
  // The nodes that read() has reached in the current call at the index of the stored element (seen_same_), and at other indices
  // (seen_other_).
  NodeMarks seen_same_, seen_other_;
  std::vector<InPlace> pairs_;
};

}  // namespace

std::vector<InPlace> find_in_place(const Program& program) { return InPlaceFinder(program).run(); }

}  // namespace harp
