// Helps threads of a GPU to use the memory bandwidth: they should have several accesses in flight, and wide ones.
#pragma once

#include <functional>

#include "ir/ir.h"

namespace harp::lower {

/// Emits loops over [begin, end): batches of `together` iterations, which the compiler unrolls so that it issues their loads before it uses
/// the first one, and a loop over the rest. `make` returns the statements of an iteration; it is called once for each of these loops.
ir::Body in_batches(ir::Arena& arena, Sym begin, Sym end, int64_t together, const std::function<ir::Body(Sym)>& make);

inline constexpr int64_t kMaxIterationsInFlight = 16;
/// Returns how many iterations have 128 bytes in flight if each loads `bytes`, at most kMaxIterationsInFlight; 4 if an iteration computes
/// so much (`cost`, in units of ops.def) that the text of many would be long.
int64_t iterations_in_flight(int64_t bytes, int64_t cost);

/// Emits `together` for arrays that begin at multiples of `elements`, and `single` for other arrays. `distances` tells their alignment
/// (ir::Together).
ir::Body if_aligned(ir::Arena& arena, const ir::UOp* distances, int64_t elements, ir::Body together, ir::Body single);

}  // namespace harp::lower
