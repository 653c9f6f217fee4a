// What the templates of reductions and scans share: accumulators, the dtype they have, and how many levels of blocks there are.
#pragma once

#include <span>
#include <vector>

#include "lower/lower.h"
#include "schedule/law.h"

namespace harp::lower {

/// Reductions and scans combine bools as 0 and 1 in i32, halves in what they compute in: those are rounded once, at the end.
DType accumulator_dtype(const Node& node);
/// What combining with it changes nothing for `op`, a reduction or scan, over elements of the node's dtype.
Scalar accumulator_identity(Op op, const Node& node);
/// An element of the source of a reduction or scan as a value of that dtype, and such a value as an element of the result.
const ir::UOp* to_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* element);
const ir::UOp* from_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* value);

/// Levels of blocks of this size until one block holds everything. Of what is counted there are `others` beside each other; a variant that
/// runs only where `holds` is >= 0, a limit of all of them, may need fewer.
int levels_needed(Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt);

/// Rows of accumulators on the stack take this much: the others are in scratch memory.
inline constexpr int64_t kFrameBytes = 8192;

/// Makes the accumulators of a kernel.
class Accumulators {
 public:
  explicit Accumulators(ir::Kernel& kernel) : kernel_(kernel) {}
  /// One of `count` elements for each of the reductions or scans. Those that come first are busiest and lie on the stack; long ones that
  /// come later are in the worker's scratch memory.
  std::vector<int> add(std::span<const Node* const> nodes, int64_t count);
  int add(DType dtype, int64_t count, Op combine, Scalar init);
  /// The accumulator lies so that stores to it do not meet loads of the parameter (ir::Accumulator::beside), which takes a page more; what
  /// no longer fits the stack then is in scratch memory.
  void keep_beside(int accumulator, int parameter);
  /// One for `count` elements of the node's value, which later passes over the same row read again.
  int add_row(const Node& node, int64_t count) { return add_array(node.dtype, count, kFrameBytes / 2); }
  /// One for `count` elements of a dtype, which are set before they are read; on the stack as long as all there take no more than `most`.
  int add_array(DType dtype, int64_t count, int64_t most = kFrameBytes);

 private:
  ir::Kernel& kernel_;
  int64_t frame_bytes_ = 0;  // that the accumulators so far would take on the stack
};

// Statements on accumulators.
/// With `value` it begins as that instead of its init.
ir::Stmt* declare_accumulator(ir::Arena& arena, int accumulator, const ir::UOp* value = nullptr);
ir::Stmt* set_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value);
/// With `factor`: acc = fma(value, factor, acc).
ir::Stmt* update_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value, const ir::UOp* factor = nullptr);

/// Element `index` of a parameter is asked for.
ir::Prefetch* prefetch(ir::Arena& arena, int buffer, Sym index);
/// The loops in `loops` that take `step` elements at a time ask for what they load where the variable `along` is there `next`, into the
/// second cache, or nearer.
void ask_ahead(ir::Arena& arena, const ir::Body& loops, int64_t step, Sym along, Sym next, bool is_near = false);
/// The loop over contiguous elements, with a line of each array that it loads asked for from each page. Nothing is asked for where rows
/// are shorter than half a page.
ir::Body asking_for_pages(ir::Arena& arena, ir::Loop* loop, bool is_only_row);

// Loops over accumulators that lie side by side.
/// Loops over vectors with so many of their steps written out, and the rest of the steps.
ir::Body side_by_side(ir::Arena& arena, const ir::Body& loops, int together);
inline constexpr int64_t kMaxRegisterVectors = 8;
/// Few enough whole vectors to stay in registers.
bool in_registers(Sym width, int simd_width, int64_t most_vectors = kMaxRegisterVectors);
/// A loop over the columns of a row of accumulators, vectorised, `together` vectors at a time; written out where they are in registers.
ir::Body vector_columns(ir::Arena& arena, ir::Loop* columns, int simd_width, int together = 1, int64_t most_vectors = kMaxRegisterVectors);
/// Nested loops as few as they can be (ir::collapse), the innermost vectorised.
ir::Body vector_nest(ir::Arena& arena, ir::Loop* outermost, int simd_width);
/// A loop over lanes, vectorised; a few vectors are written out, so that the accumulators stay in registers.
ir::Body vector_lanes(ir::Arena& arena, ir::Loop* lanes, int simd_width);

}  // namespace harp::lower
