// Packed panels: copies of a contraction's factor in the order in which a tile uses it; for each term its rows (or columns) are contiguous.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

struct Panel {
  DType dtype;
  int array;           // the accumulator that holds it
  Sym begin;           // start position in that accumulator
  int64_t lanes;       // rows or columns
  bool reads_padding;  // the tile also reads lanes beyond the last row or column, so pack() sets them to zero
  int simd_width;
};

/// Packs factor(lane, term) for terms 0 … count - 1 and the lanes that exist (`left`), with zeros beyond them. Sources that are contiguous
/// along the terms are transposed in square tiles.
ir::Body pack(KernelContext& context, const Panel& panel, Sym left, Sym count,
              const std::function<const ir::UOp*(Sym lane, Sym term)>& factor);

}  // namespace harp::lower
