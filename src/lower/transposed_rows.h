// Copies of a tile of short rows, for reductions and scans whose vectors run across the rows (reduce_lane_columns.cpp, scan_short.cpp). In
// memory the elements of a row are adjacent; in the copies the elements at the same position of neighbouring rows are, so that vectors are
// loaded and stored whole:
//
//   copy the tile of each array that the passes load, transposed
//   execute the passes on the copies, with vectors across the rows; keep the elements that they store in further arrays
//   copy these arrays into the outputs, transposed
//
// If the last tile of an array lacks rows, those that would fill its last vector are zeros in the copies, and their results are not stored.
// Arrays in which the elements of neighbouring rows are adjacent are not copied; of these, rows that do not exist are not read.
#pragma once

#include <span>
#include <vector>

#include "lower/accumulate.h"

namespace harp::lower {

class TransposedRows {
 public:
  /// A tile has space for `columns` rows of at most `most` elements; `columns` is a multiple of `simd`, the lanes of a vector. (As in
  /// reduce_columns.cpp, the rows are the columns of the tile.)
  TransposedRows(KernelContext& context, Accumulators& accumulators, int64_t columns, int64_t most, int simd);

  /// Rows first … first + width - 1 along the last kept axis (an axis that is not reduced), at the indices `outer` of the other kept axes.
  struct Tile {
    Index outer;
    Sym first, width;
  };
  /// Copies the tile of every array that the passes load element by element. Until the next call, values of these arrays are read from the
  /// copies, and the other functions refer to this tile.
  void load(Tile tile, ir::Body& body);
  /// Emits the statements that keep the elements that these stores (indices in KernelPlan::stores) of elements of the rows write for this
  /// index of the source of the reductions or scans.
  void keep(std::span<const size_t> stores, const Index& index, ir::Body& body);
  /// Copies the elements that were kept into the outputs.
  void store(ir::Body& body);
  /// Tests whether the statements load nothing that differs from column to column, as copies do not count as loads. They may then also run
  /// for columns of the tile that do not exist. `column` is the variable of the loop over the columns.
  static bool load_no_columns(ir::Arena& arena, const ir::Body& statements, Sym column);

 private:
  struct Array {
    const Node* node;
    int accumulator;
  };
  Index source_index(Sym column, Sym element) const;
  /// Makes values of the node be read from its array, if the array has them.
  void bind(const Array& array);
  bool is_in_tile(const Index& at) const;
  int declare(const Node& node, ir::Body& body);
  std::vector<const Node*> loaded_nodes() const;
  bool is_row_value(const Node* node) const;

  KernelContext& c_;
  ir::Arena& arena_;
  Accumulators& accumulators_;
  const Shape& shape_;          // of the source of the reductions or scans
  std::vector<size_t> kept_;    // its kept axes whose size is not 1
  size_t along_ = 0;            // its only other axis whose size is not 1
  std::vector<size_t> stores_;  // the stores of elements of the rows: indices in KernelPlan::stores
  int64_t columns_, most_;
  int simd_;
  Tile tile_;
  std::vector<Array> stored_;  // one entry for each node of stores_
};

}  // namespace harp::lower
