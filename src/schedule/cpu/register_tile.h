// Chooses the register tile of a contraction by a performance model.
#pragma once

#include "base/machine.h"

namespace harp {

/// Registers hold the sums of a tile, one term's vectors of the columns' factor, and one element of the rows' factor.
struct RegisterTile {
  int64_t rows, vectors;
};
struct TileWork {
  int64_t rows, columns, terms;  // sizes of the product; larger ones are clamped, because they no longer affect the choice
  int64_t max_rows;              // most rows of a tile
  int64_t columns_of_copy;
  bool are_known;            // numbers of rows and columns are constant
  bool has_workers = false;  // two workers divide the rows
};

/// Returns the fastest tile for vectors of `width` lanes.
RegisterTile best_tile(const TileWork& work, int width, const Cpu& cpu);

}  // namespace harp
