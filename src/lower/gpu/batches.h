// Declares functions for making good use of the memory bandwidth of a GPU: each thread should have several accesses in flight, and these
// should be wide.
#pragma once

#include <functional>

#include "ir/ir.h"
#include "ir/rewrite.h"
#include "lower/value.h"

namespace harp::lower {

/// Returns loops over [begin, end). One loop runs over batches of `together` iterations. The compiler unrolls a batch, so that it issues
/// the loads of all its iterations before it uses the first loaded value. Another loop runs over the remaining iterations. If `may_unroll`
/// is set, a loop of few iterations is one batch. `make` returns the statements of an iteration; it is called once for each of the loops.
ir::Body in_batches(ir::Arena& arena, Sym begin, Sym end, int64_t together, const std::function<ir::Body(Sym)>& make,
                    bool may_unroll = true);

inline constexpr int64_t kMaxIterationsInFlight = 16;
/// Returns the number of iterations to execute at the same time so that 128 bytes are in flight, if each iteration loads `bytes` bytes; at
/// most kMaxIterationsInFlight. If an iteration is expensive, returns at most 4, because the unrolled code would become long. `cost` is the
/// estimated cost of an iteration in the units of ops.def.
int64_t iterations_in_flight(int64_t bytes, int64_t cost);

/// Emits code that tests at run time whether all arrays begin at multiples of `elements`, that is, whether `distances` is a multiple of
/// `elements` (ir::Together). If so, the code executes `together`, otherwise `single`.
ir::Body if_aligned(ir::Arena& arena, const ir::UOp* distances, int64_t elements, ir::Body together, ir::Body single);

/// Returns a thread loop over rows. `kept` has the sizes of the axes that are not reduced, and row(position) returns the statements for the
/// row at this position along them. They combine a thread's accesses to adjacent elements if `is_wide` is set. If they then require aligned
/// arrays, row() sets `distances`; the loop also has the statements for other arrays.
template <class RowAt>
ir::Loop* loop_over_rows(ir::Arena& arena, const Shape& kept, int64_t elements, const ir::UOp* const& distances, bool& is_wide, RowAt row) {
  ir::Loop* rows = ir::new_loop(arena, "row", 0, element_count(kept), ir::LoopKind::kThread);
  const Index position = unflatten(rows->variable, kept);
  is_wide = elements > 1;
  rows->body = row(position);
  if (distances != nullptr) {
    is_wide = false;
    rows->body = if_aligned(arena, distances, elements, rows->body, row(position));
  }
  return rows;
}

}  // namespace harp::lower
