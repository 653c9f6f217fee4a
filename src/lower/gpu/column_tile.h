// Makes the code for tiles of neighbouring columns on a GPU, for scans (scan_columns.h) and reductions (group_columns.h) that combine the
// elements of each column one after the other. A group of threads copies some rows of up to 32 columns to shared memory; all threads load
// neighbouring elements, however few columns there are. Then thread t combines the elements of column t of the tile, which are `columns`
// elements apart in shared memory. With fewer columns the tile has more rows, and the group has fewer threads, so that a multiprocessor has
// room for more groups: while few threads of a group combine elements, the others wait.
#pragma once

#include <functional>

#include "ir/ir.h"

namespace harp::lower {

class ColumnTile {
 public:
  /// Chooses the size of a tile, for an array with `width` columns. The tile has at most `most_rows` rows, unless the group would then have
  /// too few threads. Each element takes `bytes` bytes of shared memory. rows, columns and threads are powers of two; rows is a multiple of
  /// kBatch.
  ColumnTile(ir::Arena& arena, Sym width, int64_t most_rows, int64_t bytes);

  /// Number of rows that a thread may read from shared memory before it combines the first of them: the combinations of a column wait for
  /// each other, the reads do not.
  static constexpr int64_t kBatch = 8;

  int64_t rows = 0, columns = 0;  // size of the tile
  int64_t threads = 0;            // number of threads of the group

  int64_t elements() const { return rows * columns; }
  /// Returns a new loop over the threads of the group.
  ir::Loop* new_group() const;
  /// Returns an expression that is >= 0 for the threads that have a column. `columns_left` is the number of columns from the first one of
  /// the tile to the end of the array.
  Sym has_column(Sym thread, Sym columns_left) const;

  /// An element of the tile: its number, row and column; whether it is within the array.
  struct Element {
    Sym place, row, column;
    bool exists;
  };
  /// Emits make(element) for each element of the tile; each thread processes its share of the elements. `rows_left` and `columns_left` are
  /// the numbers of rows and columns from the start of the tile to the end of the array; Element::exists is false for elements of the tile
  /// that are beyond that end.
  void for_each_element(Sym rows_left, Sym columns_left, ir::Body& body, const std::function<ir::Body(const Element&)>& make) const;

 private:
  ir::Loop* share_of_thread(Sym rows_left, Sym columns_left, bool is_whole, const std::function<ir::Body(const Element&)>& make) const;

  ir::Arena& arena_;
};

}  // namespace harp::lower
