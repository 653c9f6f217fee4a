// A chain is a sequence of consecutive kernels that all iterate over the same first axis (such as batches or heads). From the arrays that
// earlier kernels of the chain write, each kernel reads only the elements at the current index of that axis; these elements are a block. A
// chain runs all of its kernels for one block before it starts the next block, instead of each kernel for all blocks. The data that one
// kernel passes to the next is then still in the caches, and each worker needs memory for only one block of an intermediate array.
//
// Algorithm: kernels are sorted by generation; kernels of one generation do not depend on each other. The search extends a run of
// consecutive kernels, each of which is alone in its generation, as long as the next kernel iterates over the first axis and reads the
// results of earlier kernels of the run only at the current index. Within such a run of kernels, the chain extends from the first kernel
// that writes a block buffer (an array of which only one block at a time is stored) to the last kernel that reads one.
#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "schedule/chain.h"
#include "schedule/contraction.h"
#include "schedule/legal.h"
#include "schedule/node_marks.h"
#include "schedule/schedule_program.h"

namespace harp {
namespace {

// The largest number of kernels in a chain. The argument structs of all of them are on the stack at the same time.
constexpr size_t kMaxKernels = 16;

/// Returns the index of the first axis whose size is not the constant 1; the rank if there is no such axis.
size_t first_axis(const Shape& shape) {
  return static_cast<size_t>(std::find_if(shape.begin(), shape.end(), [](const Dim& d) { return !d.is_constant(1); }) - shape.begin());
}

/// Tests whether the first axis whose size is not 1 has the constant size `blocks`.
bool has_blocks(const Shape& shape, int64_t blocks) {
  const size_t axis = first_axis(shape);
  return axis < shape.size() && shape[axis].is_constant(blocks);
}

/// Tests whether the node's elements at index i of its first axis depend only on the operand's elements at index i of the operand's first
/// axis, for every i. Axes of size 1 are ignored.
bool keeps_block(const Node& node, const Node& operand, int64_t blocks) {
  if (!has_blocks(operand.shape, blocks)) return false;
  if (is_elementwise(node.op) || node.op == Op::kReshape || info(node.op).family == Family::kCopy) return true;
  const size_t axis = first_axis(node.shape), from = first_axis(operand.shape);
  if (node.op == Op::kExpand) return from == axis;
  return node.op == Op::kPermute && static_cast<size_t>(node.as<PermuteAttributes>().axes[axis]) == from;
}

/// Tests whether threads divide the kernel's outermost loop, and whether each iteration of that loop processes a single index of the first
/// axis.
bool iterates_by_index(const KernelPlan& kernel, const Schedule& schedule) {
  const size_t axes = iteration_space(kernel).size();
  if (schedule.axes[0] != AxisSchedule{AxisKind::kThread}) return false;
  switch (schedule.recipe) {
    // If there is a single axis, vectors may run along it, so one iteration processes several indices of the first axis. If axes are
    // unrolled, one iteration may do so, too.
    case Template::kElementwise: return axes > 1 && !unrolls_axes(kernel, schedule);
    case Template::kTranspose: return axes > 1;
    case Template::kReduce:
    case Template::kRowwise:
      return axes > 1 || (kernel.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kLanes && !schedule.defer_stores);
    case Template::kContraction: {
      const Contraction contraction = *as_contraction(kernel);
      return contraction.row_position != 0 && contraction.column_position != 0 && contraction.group_position != 0;
    }
    case Template::kScan:  // kernels of these templates have no outer loop over single indices of the first axis
    case Template::kScatter:
    case Template::kRoutine:
    case Template::kCustom:
    case Template::kNative: break;
  }
  return false;
}

/// Returns the size of the first axis if the kernel can be part of a chain: it processes the indices of that axis one by one, and stores
/// and reduces only data of the current index. Otherwise returns 0.
int64_t blocks_of(const KernelPlan& kernel, int64_t min_blocks) {
  if (kernel.alone != nullptr || !kernel.scans.empty()) return 0;
  const Shape space = iteration_space(kernel);
  if (space.empty() || !space[0].is_constant() || space[0].constant() < min_blocks) return 0;
  const int64_t blocks = space[0].constant();
  for (const Node* reduce : kernel.reduces)
    if (reduced_axes(*reduce).front() || !has_blocks(reduce->sources[0]->shape, blocks)) return 0;
  for (const StorePlan& store : kernel.stores)
    if (!store.offset.empty() || !has_blocks(store.shape, blocks) || !has_blocks(store.node->shape, blocks)) return 0;
  for (const Variant& variant : kernel.variants)
    if (!iterates_by_index(kernel, variant.schedule)) return 0;
  return blocks;
}

/// A range of kernels, as indices into Program::kernels: begin … end - 1.
struct Range {
  size_t begin, end;
};

class ChainFinder {
 public:
  ChainFinder(Program& program, int64_t least, const FusionLimits& limits)
      : program_(program), least_(least), limits_(limits), seen_same_(*program.graph), seen_other_(*program.graph) {
    std::vector<int> kernels_of(static_cast<size_t>(program.generations), 0);
    for (const KernelPlan& kernel : program.kernels) ++kernels_of[static_cast<size_t>(kernel.generation)];
    uses_.resize(program.buffers.size());
    joined_.resize(kernels_of.size());
    std::iota(joined_.begin(), joined_.end(), 0);
    for (size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelPlan& kernel = program.kernels[k];
      blocks_.push_back(kernels_of[static_cast<size_t>(kernel.generation)] == 1 ? blocks_of(kernel, limits.min_blocks) : 0);
      other_index_.push_back(blocks_.back() > 0 ? read_at_other_index(kernel, blocks_.back()) : std::unordered_set<int>());
      for (const StorePlan& store : kernel.stores) uses_[static_cast<size_t>(store.buffer)].writers.push_back(k);
      for (const int b : kernel.reads) uses_[static_cast<size_t>(b)].readers.push_back(k);
    }
  }

  void run() {
    for (size_t k = 0; k < program_.kernels.size();) {
      const std::optional<Range> chain = blocks_[k] > 0 ? chain_in({k, end_of_run(k)}) : std::nullopt;
      if (chain) join(*chain);
      k = chain ? chain->end : k + 1;
    }
    renumber();
  }

 private:
  struct Uses {
    std::vector<size_t> writers, readers;  // the kernels that write and read a buffer, as indices in Program::kernels, ascending
  };

  /// Returns the buffers that the kernel reads at an index of the first axis other than the current one.
  std::unordered_set<int> read_at_other_index(const KernelPlan& kernel, int64_t blocks) {
    std::unordered_set<int> buffers;
    std::vector<std::pair<const Node*, bool>> stack;
    seen_same_.clear(), seen_other_.clear();
    for (const StorePlan& store : kernel.stores) stack.emplace_back(store.node, true);
    for (const Node* reduce : kernel.reduces)
      for (const Node* operand : operands_of(*reduce)) stack.emplace_back(operand, has_blocks(operand->shape, blocks));
    while (!stack.empty()) {
      const auto [node, same_index] = stack.back();
      stack.pop_back();
      if (!(same_index ? seen_same_ : seen_other_).insert(node)) continue;
      if (is_loaded(program_, kernel, node)) {
        if (!same_index) buffers.insert(program_.buffer_of.at(node));
        continue;
      }
      if (is_reduce(node->op)) continue;  // the walk starts at the operands of each reduction, too, so it need not pass through reductions
      for (const Node* operand : operands_of(*node)) stack.emplace_back(operand, same_index && keeps_block(*node, *operand, blocks));
    }
    return buffers;
  }

  /// Returns the end (exclusive) of the longest sequence of kernels that starts at `begin` and could be one chain.
  size_t end_of_run(size_t begin) const {
    std::unordered_set<int> written;
    size_t end = begin;
    for (; end < blocks_.size() && end - begin < kMaxKernels && blocks_[end] == blocks_[begin]; ++end) {
      const auto is_written = [&](int b) { return written.contains(b); };
      if (std::any_of(other_index_[end].begin(), other_index_[end].end(), is_written)) break;
      for (const StorePlan& store : program_.kernels[end].stores) written.insert(store.buffer);
    }
    return end;
  }

  /// Returns the size in bytes of one block of the array in buffer `b`, if the array is a temporary that only kernels of the range write
  /// and read. Otherwise returns 0.
  Dim block_bytes(size_t b, const Range& range) const {
    const Buffer& buffer = program_.buffers[b];
    const Uses& uses = uses_[b];
    if (buffer.kind != Buffer::Kind::kTemporary || uses.writers.size() != 1 || uses.readers.empty()) return 0;
    if (uses.writers[0] < range.begin || uses.readers.back() >= range.end || !has_blocks(buffer.node->shape, blocks_[range.begin]))
      return 0;
    return harp::block_bytes(buffer);
  }

  /// Tests whether a chain pays for an array of `blocks` blocks of `block` bytes each. For an array of symbolic size the result is true if
  /// the array may be large. If such an array turns out to be small at run time, the chain costs only one call of each kernel for each
  /// block.
  bool pays(int64_t blocks, Dim block) const {
    return block.is_constant() ? are_blocks(blocks, block.constant(), least_, limits_)
                               : range(block).lo <= limits_.max_block_bytes && range(block * blocks).hi >= least_;
  }

  std::optional<Range> chain_in(const Range& run) const {
    Range chain{run.end, run.begin};
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      if (!pays(blocks_[run.begin], block_bytes(b, run))) continue;
      chain.begin = std::min(chain.begin, uses_[b].writers[0]);
      chain.end = std::max(chain.end, uses_[b].readers.back() + 1);
    }
    if (chain.begin >= chain.end || prevents_aliasing(chain)) return std::nullopt;
    return chain;
  }

  /// Tests whether a chain would forbid the caller to pass the same memory for an input and an output. Without the chain, the kernel that
  /// stores the output is the last to read that input. In the chain, other kernels still read the input for later blocks when that kernel
  /// has stored the first block. Which arrays a caller may alias must not depend on schedules.
  bool prevents_aliasing(const Range& chain) const {
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const std::vector<size_t>& readers = uses_[b].readers;
      if (program_.buffers[b].kind != Buffer::Kind::kInput || readers.size() < 2 || readers.back() >= chain.end) continue;
      if (readers[readers.size() - 2] < chain.begin) continue;
      for (const StorePlan& store : program_.kernels[readers.back()].stores)
        if (program_.buffers[static_cast<size_t>(store.buffer)].kind == Buffer::Kind::kOutput) return true;
    }
    return false;
  }

  void join(const Range& chain) {
    for (size_t b = 0; b < program_.buffers.size(); ++b)
      if (const Dim block = block_bytes(b, chain); range(block).hi > 0 && range(block).lo <= limits_.max_block_bytes)
        program_.buffers[b].space = Space::kScratch;
    for (size_t k = chain.begin; k < chain.end; ++k) {
      KernelPlan& kernel = program_.kernels[k];
      kernel.blocks = blocks_[k];
      joined_[static_cast<size_t>(kernel.generation)] = program_.kernels[chain.begin].generation;
      const auto is_by_block = [&](const StorePlan& store) {
        return program_.buffers[static_cast<size_t>(store.buffer)].space == Space::kScratch;
      };
      if (std::none_of(kernel.stores.begin(), kernel.stores.end(), is_by_block)) continue;
      std::erase_if(kernel.variants,
                    // Non-temporal stores bypass the caches, but the next kernel of the chain reads the stored data from the caches.
                    // Therefore variants that exist only for non-temporal stores are removed, and the others store in the ordinary way.
                    [](const Variant& variant) { return variant.only_without_aliasing; });
      for (Variant& variant : kernel.variants) variant.schedule.nontemporal = variant.schedule.defer_stores = false;
    }
  }

  /// Merges the generations of a chain's kernels into one generation, for each chain, and renumbers all generations. (Except in a chain,
  /// the kernels of one generation do not depend on each other.)
  void renumber() {
    std::vector<int> number;
    for (size_t g = 0; g < joined_.size(); ++g) {
      const auto with = static_cast<size_t>(joined_[g]);
      number.push_back(with < g ? number[with] : g == 0 ? 0 : number.back() + 1);
    }
    if (number.empty() || number.back() + 1 == program_.generations) return;
    program_.generations = number.back() + 1;
    const auto renumber = [&](int& generation) {
      HARP_ASSERT(generation >= 0 && generation < std::ssize(number), "there are ", number.size(),
                  " generations, but a kernel or buffer names number ", generation);
      generation = number[static_cast<size_t>(generation)];
    };
    for (KernelPlan& kernel : program_.kernels) renumber(kernel.generation);
    for (Buffer& buffer : program_.buffers)
      for (int* generation : {&buffer.first_generation, &buffer.last_generation}) renumber(*generation);
  }

  Program& program_;
  int64_t least_;  // smallest array, in bytes, that is worth a chain
  const FusionLimits& limits_;
  std::vector<int64_t> blocks_;  // indexed by kernel: the size of the first axis; 0: the kernel cannot be in a chain
  /// Indexed by kernel: the buffers that the kernel reads at an index of the first axis other than the current one; empty if the kernel
  /// cannot be in a chain.
  std::vector<std::unordered_set<int>> other_index_;
  std::vector<Uses> uses_;  // indexed by buffer: the kernels that write and read it, ascending
  // For each generation: the first generation of the chain to which the kernel of this generation belongs, or, if it belongs to no chain,
  // the generation itself.
  std::vector<int> joined_;
  // The nodes of a kernel that read_at_other_index() has reached at the current index of the first axis (seen_same_), and at other indices
  // (seen_other_).
  NodeMarks seen_same_, seen_other_;
};

}  // namespace

void chain_kernels(Program& program, int64_t least, const FusionLimits& limits) { ChainFinder(program, least, limits).run(); }

}  // namespace harp
