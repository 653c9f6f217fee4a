// Contains code that the lowering of reductions and the lowering of scans share. It creates accumulators, which hold running values,
// chooses their dtypes, and computes how many levels of blocks a reduction or scan needs.
#pragma once

#include <span>
#include <vector>

#include "ir/apply_schedule.h"
#include "ir/insert_prefetches.h"
#include "lower/lower.h"
#include "schedule/kernel_structure.h"
#include "schedule/law.h"

namespace harp::lower {

/// Returns the identity element of `op`, a reduction or scan, for elements of the node's dtype (for example 0 for a sum). The result has
/// the dtype of the accumulators.
Scalar accumulator_identity(Op op, const Node& node);
/// to_accumulator converts an element of the source of a reduction or scan to the dtype of the accumulators. from_accumulator converts the
/// value of an accumulator to the dtype of the result.
const ir::UOp* to_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* element);
const ir::UOp* from_accumulator(ir::Arena& arena, const Node& node, const ir::UOp* value);

/// Returns an upper bound of `count`, the number of elements of each of `others` independent sequences. `holds` may be an expression that
/// is nonnegative at run time. It limits `count` if it has the form limit - count or limit - count * others with a constant limit, or is a
/// min of expressions of which one has this form.
int64_t most_elements(Sym count, Sym others = 1, const std::optional<Sym>& holds = std::nullopt);
/// Returns how many levels of blocks a reduction or scan of `count` elements needs. At level 0 a block combines `block` elements, and at
/// each higher level it combines the results of `block` blocks of the level below; at the highest level one block covers the whole
/// sequence. The other parameters are those of most_elements().
int levels_needed(Sym count, int64_t block, Sym others = 1, const std::optional<Sym>& holds = std::nullopt);

/// Maximum number of bytes of accumulators on the stack of a kernel; further accumulators are in scratch memory.
inline constexpr int64_t kFrameBytes = 8192;

/// Creates the accumulators of a kernel.
class Accumulators {
 public:
  explicit Accumulators(ir::Kernel& kernel) : kernel_(kernel) {}
  /// Adds an accumulator of `count` elements for each of these reductions or scans; returns the indices of the accumulators. Accumulators
  /// of at least kLanes elements are on the stack until they take kFrameBytes there; further ones are in the worker's scratch memory.
  /// Callers should therefore add the most frequently accessed accumulators first.
  std::vector<int> add(std::span<const Node* const> nodes, int64_t count);
  int add(DType dtype, int64_t count, Op combine, Scalar init);
  /// Adds an array of `count` elements, in which a pass over a row keeps values of the node for later passes over the same row. Returns the
  /// index of this accumulator.
  int add_row(const Node& node, int64_t count) { return add_array(node.dtype, count, kFrameBytes / 2); }
  /// Adds an accumulator that is a plain array of `count` elements without an initial value (ir::Accumulator::is_row); returns its index.
  /// The kernel must write the elements before it reads them. The array is on the stack if all accumulators on the stack, including this
  /// one, take at most `most` bytes, or if it has fewer than kLanes elements; otherwise it is in scratch memory.
  int add_array(DType dtype, int64_t count, int64_t most = kFrameBytes);

 private:
  /// Returns the kind of memory (registers, stack or scratch memory) for an accumulator of `count` elements. frame_bytes_ must already
  /// include the bytes of this accumulator.
  Space space_for(int64_t count) const;

  ir::Kernel& kernel_;
  int64_t frame_bytes_ = 0;  // number of bytes that the accumulators added so far take on the stack
};

// The following functions compute a sum of products, for reductions with ReduceAttributes::product, in which no product of floats is
// rounded.
/// Returns sum + a * b. For floats this is fma(a, b, sum), so that the product is not rounded.
const ir::UOp* sum_of_product(ir::Arena& arena, const ir::UOp* a, const ir::UOp* b, const ir::UOp* sum);
/// Returns the final value of a chain of sum_of_product(). For floats it adds +0.0, because in docs/semantics.md the sum over blocks starts
/// with +0.0. Without this addition, products that underflow could have the sum -0.0.
const ir::UOp* end_of_products(ir::Arena& arena, const ir::UOp* sum);

/// Combines the values of lanes 0, 1, … in the order of docs/semantics.md ("Sums"): by halving. Lanes that do not exist hold the identity,
/// which changes no bit. There is at least one lane.
const ir::UOp* halved(ir::Arena& arena, std::vector<const ir::UOp*> lanes, Op combine, DType dtype);

// Statements on accumulators.
/// Returns the declaration of the accumulator. Its initial value is `value`, or, if that is null, Accumulator::init.
ir::Stmt* declare_accumulator(ir::Arena& arena, int accumulator, const ir::UOp* value = nullptr);
ir::Stmt* set_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value);
/// Returns a statement that updates element `element` of the accumulator: acc = combine(acc, value), or, if there is a `factor`,
/// acc = acc + value * factor (see sum_of_product()).
ir::Stmt* update_accumulator(ir::Arena& arena, int accumulator, Sym element, const ir::UOp* value, const ir::UOp* factor = nullptr);

// Each of the following functions sets the tags (ir::LoopTags) of a loop whose iterations access adjacent elements of accumulators. The
// tags say how the loop is vectorised and unrolled later.
/// Sets the tags of a loop over the columns of a row of accumulators, and returns the loop. The loop is vectorised, with `together` vectors
/// in each step. If the row is a whole number of vectors, and at most `most_vectors`, these fit in registers and the loop is fully
/// unrolled.
ir::Body vector_columns(ir::Loop* columns, int simd_width, int together = 1, int64_t most_vectors = ir::kMaxRegisterVectors);
/// Sets the tags of nested loops over adjacent accumulators, and returns the nest. Loops directly inside one another are fused where the
/// indices allow it, and the innermost loop is vectorised.
ir::Body vector_nest(ir::Loop* outermost, int simd_width);
/// Sets the tags of a loop over the lanes of a block, and returns the loop. The loop is vectorised. If it then has only a few vectors, it
/// is fully unrolled, so that the accumulators stay in registers.
ir::Body vector_lanes(ir::Loop* lanes, int simd_width);
/// Sets the tags of any loop over adjacent accumulators, and returns the loop. The loop is vectorised, but not unrolled.
ir::Body vector_loop(ir::Loop* loop, int simd_width);

}  // namespace harp::lower
