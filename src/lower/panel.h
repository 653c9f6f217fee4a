// Makes packed panels, which are copies of tiles of a contraction's factor, in the order in which the micro-kernel reads the elements. The
// rows (or columns) of the tile are contiguous for each term.
#pragma once

#include <functional>

#include "lower/accumulate.h"

namespace harp::lower {

struct Panel {
  DType dtype;
  int array;           // index of the accumulator that contains the panel
  Sym begin;           // position of the panel in the accumulator
  int64_t lanes;       // rows or columns
  bool reads_padding;  // whether the micro-kernel also reads lanes beyond the last row or column, which pack() must then set to zero
  int simd_width;
  bool joins_bytes;  // whether an element of the panel consists of several bytes of the factor, which may be adjacent in memory
  // The index of an accumulator of lanes * kStagedTerms elements, or -1. If there is one, pack() first computes the elements of each lane,
  // term by term, into this accumulator, and then transposes them into the panel. `first` must then be 0.
  int staged = -1;
  Sym first = 0;  // the first term that pack() packs; `begin` is the position of term 0
};

/// The number of terms of each lane that pack() computes at a time in Panel::staged.
inline constexpr int64_t kStagedTerms = 64;

/// Returns statements that pack factor(lane, term) for `count` terms, from panel.first on. Only `left` lanes exist; if panel.reads_padding,
/// the lanes of the panel beyond these become zero. If the factor is contiguous in memory along the terms, it is transposed in square
/// tiles.
ir::Body pack(KernelContext& context, const Panel& panel, Sym left, Sym count,
              const std::function<const ir::UOp*(Sym lane, Sym term)>& factor);

}  // namespace harp::lower
