// Lowers chain-order reductions (docs/semantics.md, "Sums") of few columns for a GPU, such as the sum of [n, 3] along axis 0. If one thread
// reduced each column from memory (columns.h), there would be few threads; if few columns are neighbours, the threads of a warp would also
// read pieces of memory that are far from each other. Instead a group of threads copies a tile of rows (column_tile.h) to shared memory,
// and thread t combines the elements of column t from there:
//
//   thread block in 0 .. indices of the other kept axes:
//     declare acc0, acc1                                      # shared: 256 rows x 4 columns; the value of each thread's column
//     group t: set acc0[64 * step + t] to x[…]                # each thread loads 16 elements: row 16 * step + t / 4, column t % 4
//     barrier
//     group t: if t < 3:
//       for each row of the tile: set acc1[t] += acc0[4 * row + t]
//     barrier
//     group t: if t < 3: store y[…] = acc1[t]
//
// If there are more rows than in a tile, the group processes several tiles. Levels, blocks and their order are those of ReduceLowering; the
// values of each level are registers of the threads. For sums of products both factors are copied.
#pragma once

#include "lower/gpu/column_tile.h"
#include "lower/reduce_lowering.h"

namespace harp::lower {

class GroupColumns final : public ReduceLowering {
 public:
  explicit GroupColumns(KernelContext& context);
  void run();

 private:
  /// An operand of the reductions, whose elements are copied to shared memory after their conversion to `dtype`.
  struct Copied {
    const Node* operand;
    DType dtype;
    int array = -1;  // index of the shared accumulator
  };

  BlockLevel new_level(int64_t count) override;
  void carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, ir::Body& body) override;

  /// Returns the sizes of the kept axes (those that are not reduced) that come after the last reduced axis, or, if `is_after` is false, of
  /// those that come before it.
  Shape kept_sizes(bool is_after) const;
  /// Returns the operands of all reductions. An operand that several reductions read is listed once for each dtype in which it is
  /// accumulated.
  std::vector<Copied> operands_to_copy() const;
  int64_t bytes_of_element() const;
  void declare_copies(ir::Body& body);
  int copy_of(const Node* operand, DType dtype) const;
  /// Returns the index along the kept axes that belongs to this column of the tile.
  Index kept_index(Sym column) const;

  /// Emits statements that combine rows begin … end - 1, tile by tile, into the accumulators of a level of blocks.
  void combine_rows(const BlockLevel& level, Sym begin, Sym end, ir::Body& body);
  /// Combines the rows of a tile into the accumulators of a level of blocks. `first` is the index of the first row of the tile, and `left`
  /// is the number of rows that are left to combine from that row on.
  void combine_tile(const BlockLevel& level, Sym first, Sym left, ir::Body& body);
  /// Copies one element of each operand to shared memory, for an element of the tile that belongs to row number `row` of the operands.
  ir::Body copy(const ColumnTile::Element& element, Sym row);
  /// Combines the copied elements in row number `row` of the tile, and in the column of the thread, into the accumulators of a level of
  /// blocks.
  ir::Body combine(const BlockLevel& level, Sym row, Sym thread) const;
  ir::Loop* store_results();

  const RowPass& only_pass_;
  // before_: sizes of the kept axes before the last reduced axis. columns_: sizes of those after it, whose indices are the columns.
  const Shape before_, columns_;
  const Sym width_;  // number of columns
  std::vector<Copied> copied_;
  const ColumnTile tile_;
  Index outer_index_;                // index along the kept axes before the last reduced axis (before_)
  Sym first_column_, columns_left_;  // the first column of the tile, and the number of columns from it to the last one
};

}  // namespace harp::lower
