// Shared parts of the reduction and scan templates: accumulators (the running values), their dtypes, and the number of block levels.
#pragma once

#include <span>
#include <vector>

#include "ir/apply_schedule.h"
#include "ir/insert_prefetches.h"
#include "lower/lower.h"
#include "schedule/law.h"

namespace harp::lower {

/// Returns the dtype of the accumulators of a reduction or scan: i32 for bools, which count as 0 and 1, and the computation dtype for
/// 16-bit floats, so that there is one rounding at the end.
DType accumulator_dtype(const Node& node);
/// Returns the identity of `op`, a reduction or scan, over elements of the node's dtype.
Scalar accumulator_identity(Op op, const Node& node);
/// Converts an element of the source of a reduction or scan to the accumulator dtype, and an accumulator value to an element of the result.
const ir::UOp* to_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* element);
const ir::UOp* from_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* value);

/// Returns how many levels of blocks a reduction or scan needs (blocks of elements, blocks of block results, …) until one block holds the
/// whole sequence. There are `others` independent sequences of `count` elements. `holds` is a condition (>= 0) that is known to hold; if it
/// limits the total size, fewer levels may be enough.
int levels_needed(Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt);

/// Bytes of accumulators that a kernel may have on the stack; further accumulators are in scratch memory.
inline constexpr int64_t kFrameBytes = 8192;

/// Creates the accumulators of a kernel.
class Accumulators {
 public:
  explicit Accumulators(ir::Kernel& kernel) : kernel_(kernel) {}
  /// Adds one accumulator of `count` elements for each of the reductions or scans. The first ones added are the most frequently accessed
  /// and stay on the stack; long ones added later go to the worker's scratch memory.
  std::vector<int> add(std::span<const Node* const> nodes, int64_t count);
  int add(DType dtype, int64_t count, Op combine, Scalar init);
  /// Places the accumulator so that stores to it do not alias loads of the parameter (4-KiB aliasing, ir::Accumulator::avoid_alias_with).
  /// That takes one more page; accumulators that no longer fit the stack move to scratch memory.
  void avoid_alias(int accumulator, int parameter);
  /// Adds an accumulator for `count` elements of the node's value, which later passes over the same row read again.
  int add_row(const Node& node, int64_t count) { return add_array(node.dtype, count, kFrameBytes / 2); }
  /// Adds an accumulator for `count` elements of a dtype, which are written before they are read. It is on the stack if all stack
  /// accumulators together then take no more than `most` bytes.
  int add_array(DType dtype, int64_t count, int64_t most = kFrameBytes);

 private:
  /// Returns the space for an accumulator of `count` elements, whose bytes are already counted in frame_bytes_.
  Space space_for(int64_t count) const;

  ir::Kernel& kernel_;
  int64_t frame_bytes_ = 0;  // bytes that the accumulators so far take on the stack
};

// Sums of products (sums_products()).
/// Returns sum + a * b; for floats fma(a, b, sum), so that the product is not rounded.
const ir::UOp* sum_of_product(ir::Arena& arena, const ir::UOp* a, const ir::UOp* b, const ir::UOp* sum);
/// Returns the final value of a chain of sum_of_product(). For floats it adds +0.0, because docs/semantics.md starts the sum over blocks
/// with +0.0: without the addition, products that underflow could sum to -0.0.
const ir::UOp* end_of_products(ir::Arena& arena, const ir::UOp* sum);

// Statements on accumulators.
/// Declares the accumulator. It starts as `value`, or, without one, as its init.
ir::Stmt* declare_accumulator(ir::Arena& arena, int accumulator, const ir::UOp* value = nullptr);
ir::Stmt* set_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value);
/// With `factor`: acc = acc + value * factor, as sum_of_product().
ir::Stmt* update_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value, const ir::UOp* factor = nullptr);

// Tags of loops over adjacent accumulators (ir::LoopTags). Each returns the tagged loop.
/// A loop over the columns of a row of accumulators: vectorised, `together` vectors in each step. If the accumulators fit in registers, the
/// loop is fully unrolled.
ir::Body vector_columns(ir::Loop* columns, int simd_width, int together = 1, int64_t most_vectors = ir::kMaxRegisterVectors);
/// Nested loops that are fused as far as possible; the innermost one is vectorised.
ir::Body vector_nest(ir::Loop* outermost, int simd_width);
/// A loop over lanes: a loop of a few vectors is unrolled, so that the accumulators stay in registers.
ir::Body vector_lanes(ir::Loop* lanes, int simd_width);
/// A loop that is vectorised but not unrolled.
ir::Body vector_loop(ir::Loop* loop, int simd_width);

}  // namespace harp::lower
