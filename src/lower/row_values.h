// Row values: elements that one pass of a row-wise kernel computes and later passes use again. They are kept in an accumulator with one
// element for each element of the row, or, if rows are adjacent columns, for each element of a tile of rows.
#pragma once

#include <utility>
#include <vector>

#include "lower/accumulate.h"

namespace harp::lower {

class RowValues {
 public:
  /// A row consists of the axes that the reductions of the kernel reduce.
  explicit RowValues(KernelContext& context);

  /// Describes a tile: its rows are the columns [start, start + columns) of this kept axis of the source. Without a tile there is one row.
  struct Tile {
    size_t axis;
    Sym start;
    int64_t columns;
  };
  /// Double-buffers the values: rows with odd and with even position along this kept axis are kept separately, because two adjacent rows
  /// are in use at the same time.
  void alternate_along(size_t axis) { alternating_ = axis; }
  /// Divides each row among the threads of a group. Each thread has `elements` adjacent lanes of the 64 that reduce a row
  /// (docs/semantics.md, "Sums"). Values are kept in the threads' registers if the row is known to be short, else in shared memory; a
  /// thread reads only values that it kept itself. If there are enough registers, arrays that several passes load are kept too.
  struct Group {
    int64_t threads, elements;
  };
  void share_among(Group group);
  /// Tests whether values are kept in registers, so that loops over a row must be unrolled.
  bool are_in_registers() const { return own_elements_ > 0; }
  /// Reserves accumulators for what the passes keep.
  void declare(Accumulators& accumulators, std::optional<Tile> tile, ir::Body& body);
  /// Emits the statements that keep this pass's values of the element at this source index.
  void keep(const RowPass& pass, const Index& index, ir::Body& body);
  /// Makes later expressions read the values that this pass keeps from their accumulators, instead of computing them.
  void bind(const RowPass& pass);
  /// Undoes all calls of bind().
  void release();

  /// Returns the axes of a row, in memory order.
  const std::vector<size_t>& axes() const { return axes_; }
  /// Returns a source index without the axes of size 1.
  Index squeezed_index(const Index& index) const;

 private:
  /// An array that several passes load. The first of them keeps its elements for the others.
  struct Loaded {
    const Node* node;
    const RowPass* first;
  };
  /// Returns the arrays that at least two passes load at the current element, and that no pass loads at another element.
  std::vector<Loaded> loaded_again() const;
  std::vector<std::pair<const Node*, int>> kept_by(const RowPass& pass) const;
  Sym position_of(const Index& index, const std::optional<Tile>& tile) const;
  ir::Accumulator array_of_group(DType dtype, int64_t count) const;

  KernelContext& c_;
  const Node& source_;  // source of the reductions
  std::vector<size_t> axes_;
  std::optional<Tile> tile_;
  std::optional<size_t> alternating_;
  int64_t other_row_ = 0;                          // start of the second buffer in the accumulators, in elements
  std::vector<std::pair<const Node*, int>> kept_;  // kept nodes, each with its accumulator
  std::optional<Group> group_;
  std::vector<Loaded> loaded_;
  int64_t own_elements_ = 0;  // elements of each kept node that a thread holds in registers; 0: they are not in registers
};

}  // namespace harp::lower
