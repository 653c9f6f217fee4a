// Values of a row that a pass of a row-wise kernel computes and later ones use again: they are kept in an accumulator, one element for each
// of the row, or of the rows that lie side by side as the columns of a tile.
#pragma once

#include <utility>
#include <vector>

#include "lower/accumulate.h"

namespace harp::lower {

class RowValues {
 public:
  /// Rows are made of the axes that the reductions of the kernel reduce.
  explicit RowValues(KernelContext& context);

  /// The rows are columns [start, start + columns) of this kept axis of the source; else there is one row.
  struct Tile {
    size_t axis;
    Sym start;
    int64_t columns;
  };
  /// What is kept of rows whose position along this kept axis is odd, and even, lies apart: there are two of them at a time.
  void alternate_along(size_t axis) { alternating_ = axis; }
  /// Makes room for what any pass keeps.
  void declare(Accumulators& accumulators, std::optional<Tile> tile, ir::Body& body);
  /// Keeps what this pass keeps of the element at this index of the source.
  void keep(const RowPass& pass, const Index& index, ir::Body& body);
  /// From now on that is read where it is kept.
  void bind(const RowPass& pass);

  /// The axes that the elements of a row differ in, in the order they lie in memory.
  const std::vector<size_t>& axes() const { return axes_; }
  /// The index of an element of the source without the axes whose size is 1.
  Index squeezed_index(const Index& index) const;

 private:
  std::vector<std::pair<const Node*, int>> kept_by(const RowPass& pass) const;
  Sym position_of(const Index& index, const std::optional<Tile>& tile) const;

  KernelContext& c_;
  const Node& source_;  // of the reductions
  std::vector<size_t> axes_;
  std::optional<Tile> tile_;
  std::optional<size_t> alternating_;
  int64_t other_row_ = 0;                          // where it begins
  std::vector<std::pair<const Node*, int>> kept_;  // with their accumulators
};

}  // namespace harp::lower
