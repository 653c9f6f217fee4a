// Chooses the register tile of a contraction (the block of sums that stays in registers) by a performance model.
#pragma once

#include "base/machine.h"

namespace harp {

/// A register tile: the sums that stay in registers, `rows` rows of `vectors` vectors each. Further registers are needed for the vectors of
/// the columns' factor B of one term, and for one element of the rows' factor A.
struct RegisterTile {
  int64_t rows, vectors;
};
struct TileWork {
  // Sizes of the matrix product. The caller clamps large sizes, because above some size they no longer affect the choice.
  int64_t rows, columns, terms;
  int64_t max_rows;  // maximum number of rows of a tile
  int64_t columns_of_copy;
  bool are_known;            // whether rows and columns are constants, not symbolic sizes
  bool has_workers = false;  // whether two worker threads divide the rows between them
};

/// Returns the fastest tile for vectors of `width` lanes.
RegisterTile best_tile(const TileWork& work, int width, const Cpu& cpu);

}  // namespace harp
