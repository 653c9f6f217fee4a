// Copies of a factor of a contraction in the order a tile uses it: for each term its rows, or columns, one beside the other.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

struct Panel {
  DType dtype;
  int array;      // accumulator it is in
  Sym begin;      // where there
  int64_t lanes;  // rows or columns
  bool is_used;   // beyond the lanes that are there, too: then there are zeros
  int simd_width;
};

/// Copies factor(lane, term) for terms 0 … count - 1, of those lanes that are `left`, with zeros beyond them. What lies in memory along the
/// terms is transposed by squares.
ir::Body pack(KernelContext& context, const Panel& panel, Sym left, Sym count,
              const std::function<const ir::UOp*(Sym lane, Sym term)>& factor);

}  // namespace harp::lower
