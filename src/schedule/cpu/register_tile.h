// Chooses the register tile of a contraction by a performance model.
#pragma once

#include "base/machine.h"

namespace harp {

/// The sums that a tile holds in registers: `rows` rows of `vectors` vectors. Further registers hold the vectors of the columns' factor for
/// one term, and one element of the rows' factor.
struct RegisterTile {
  int64_t rows, vectors;
};
struct TileWork {
  int64_t rows, columns, terms;  // sizes of the product; larger ones are clamped, because they no longer affect the choice
  int64_t max_rows;              // most rows of a tile
  int64_t columns_of_copy;
  bool are_known;            // rows and columns are constants, not symbolic sizes
  bool has_workers = false;  // two workers divide the rows
};

/// Returns the fastest tile for vectors of `width` lanes.
RegisterTile best_tile(const TileWork& work, int width, const Cpu& cpu);

}  // namespace harp
