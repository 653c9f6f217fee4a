// Row values: elements that one pass of a row-wise kernel computes and later passes use again. They are kept in an accumulator with one
// element for each element of the row, or of all rows of a tile whose rows are adjacent columns.
#pragma once

#include <utility>
#include <vector>

#include "lower/accumulate.h"

namespace harp::lower {

class RowValues {
 public:
  /// Rows consist of the axes that the reductions of the kernel reduce.
  explicit RowValues(KernelContext& context);

  /// Set if the rows are columns [start, start + columns) of this kept axis of the source; otherwise there is one row.
  struct Tile {
    size_t axis;
    Sym start;
    int64_t columns;
  };
  /// Double-buffers the values: rows with odd and even position along this kept axis are kept separately, because two rows are in use at a
  /// time.
  void alternate_along(size_t axis) { alternating_ = axis; }
  /// Reserves accumulators for what the passes keep.
  void declare(Accumulators& accumulators, std::optional<Tile> tile, ir::Body& body);
  /// Keeps the values of this pass for the element at this source index.
  void keep(const RowPass& pass, const Index& index, ir::Body& body);
  /// From now on these values are read from the accumulators.
  void bind(const RowPass& pass);

  /// Returns the axes of a row, in memory order.
  const std::vector<size_t>& axes() const { return axes_; }
  /// Returns a source index without the axes of size 1.
  Index squeezed_index(const Index& index) const;

 private:
  std::vector<std::pair<const Node*, int>> kept_by(const RowPass& pass) const;
  Sym position_of(const Index& index, const std::optional<Tile>& tile) const;

  KernelContext& c_;
  const Node& source_;  // source of the reductions
  std::vector<size_t> axes_;
  std::optional<Tile> tile_;
  std::optional<size_t> alternating_;
  int64_t other_row_ = 0;                          // where the second buffer begins in the accumulators, in elements
  std::vector<std::pair<const Node*, int>> kept_;  // kept nodes with their accumulators
};

}  // namespace harp::lower
