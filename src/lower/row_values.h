// Row values: values that one pass of a row-wise kernel (a kernel that makes several passes over each row) computes for each element of the
// row, and that later passes use again. Each is kept in an array with one element for each element of the row. If the rows are adjacent
// columns, the array contains a tile of rows.
#pragma once

#include <utility>
#include <vector>

#include "lower/accumulate.h"

namespace harp::lower {

class RowValues {
 public:
  /// A row extends along the axes that the reductions of the kernel reduce.
  explicit RowValues(KernelContext& context);

  /// A tile of rows: its rows are columns start … start + columns - 1 of the source's kept axis `axis` (an axis that is not reduced).
  /// Without a tile there is one row at a time.
  struct Tile {
    size_t axis;
    Sym start;
    int64_t columns;
  };
  /// Double-buffers the row values: rows with an even index along `axis`, which is not reduced, and rows with an odd index have separate
  /// arrays, because two adjacent rows are in use at the same time.
  void alternate_along(size_t axis) { alternating_ = axis; }
  /// Divides each row among the threads of a group on a GPU. A thread has `elements` adjacent lanes of the 64 that reduce a row
  /// (docs/semantics.md, "Sums"). Row values are kept in the threads' registers if the row is known to be short, else in shared memory; a
  /// thread reads only values that it kept itself. If there are enough registers, arrays that several passes load are kept, too.
  struct Group {
    int64_t threads, elements;
  };
  void share_among(Group group);
  /// Tests whether row values are kept in registers, which requires that loops over a row are unrolled.
  bool are_in_registers() const { return own_elements_ > 0; }
  /// Returns the number of bytes of the row that a thread of a GPU keeps in registers, in arrays of the kernel or because the compiler
  /// keeps what several unrolled passes load; 0: none.
  int64_t register_bytes() const { return register_bytes_; }
  /// Tests whether passes use values again that do not fit in registers. Loops over the row must then not be fully unrolled, because the
  /// compiler would keep these values, too, and spill them to memory.
  bool is_too_long() const { return is_too_long_; }
  /// Declares the arrays for all row values that the passes keep.
  void declare(Accumulators& accumulators, std::optional<Tile> tile, ir::Body& body);
  /// Emits the statements that keep this pass's row values for the element at this index of the reductions' source. The element may be
  /// beyond the end of the row, in the padding of the array, if there is a mask, which is false there: nothing is loaded where it is false.
  void keep(const RowPass& pass, const Index& index, ir::Body& body, const ir::UOp* mask = nullptr);
  /// Makes later expressions read the row values that this pass keeps from their arrays, instead of computing them.
  void bind(const RowPass& pass);
  /// Undoes all calls of bind().
  void release();

  /// Returns the axes of a row, in memory order.
  const std::vector<size_t>& axes() const { return axes_; }
  /// Returns an index of the reductions' source without the axes of size 1.
  Index squeezed_index(const Index& index) const;

 private:
  /// An array that several passes load. Pass `first` loads its elements and keeps them for the other passes.
  struct Loaded {
    const Node* node;
    const RowPass* first;
  };
  /// Returns the arrays that at least two passes load, if every pass loads only the current element of the row.
  std::vector<Loaded> loaded_again() const;
  std::vector<std::pair<const Node*, int>> kept_by(const RowPass& pass) const;
  Sym position_of(const Index& index, const std::optional<Tile>& tile) const;
  ir::Accumulator array_of_group(DType dtype, int64_t count) const;

  KernelContext& c_;
  const Node& source_;  // the source of the reductions
  std::vector<size_t> axes_;
  std::optional<Tile> tile_;
  std::optional<size_t> alternating_;
  int64_t other_row_ = 0;                          // with double buffering: start of the second row in the arrays, in elements
  std::vector<std::pair<const Node*, int>> kept_;  // the nodes whose row values are kept, each with the index of its accumulator
  std::optional<Group> group_;
  std::vector<Loaded> loaded_;
  int64_t register_bytes_ = 0;
  bool is_too_long_ = false;
  int64_t own_elements_ = 0;  // number of elements of each kept node that a thread has in registers; 0: row values are not in registers
};

}  // namespace harp::lower
