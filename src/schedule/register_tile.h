// How large a tile of a contraction is that has its sums in registers: the model that it is chosen by.
#pragma once

#include "base/target.h"

namespace harp {

/// The sums of a tile, a term's vectors of the columns' factor and one element of the rows' factor are in registers.
struct RegisterTile {
  int64_t rows, vectors;
};
struct TileWork {
  int64_t rows, columns, terms;  // of a product, as far as they make a difference
  int64_t most_rows;             // of a tile
  int64_t columns_of_copy;
  bool are_known;            // are there always as many rows and columns?
  bool has_workers = false;  // two of which share the rows
};

/// The fastest for vectors of so many lanes.
RegisterTile best_tile(const TileWork& work, int width, const Target& target);

}  // namespace harp
