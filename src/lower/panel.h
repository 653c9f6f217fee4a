// Packed panels: copies of tiles of a contraction's factor in the order in which the micro-kernel reads them. For each term, the panel's
// rows (or columns) are contiguous.
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
  bool joins_bytes;  // an element of the panel is made of several bytes, which may be adjacent in memory
};

/// Packs factor(lane, term) for terms 0 … count - 1 and for the lanes that exist (`left` of them), with zeros beyond. If the factor is
/// contiguous along the terms in memory, it is transposed in square tiles.
ir::Body pack(KernelContext& context, const Panel& panel, Sym left, Sym count,
              const std::function<const ir::UOp*(Sym lane, Sym term)>& factor);

}  // namespace harp::lower
