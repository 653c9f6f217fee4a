// Copies to scratch memory the elements of an array that overlapping windows read for a block of results. Without the copy, a convolution
// would read each element once for every position in its window, and would test for padding at each read.
#pragma once

#include <optional>

#include "lower/accumulate.h"

namespace harp::lower {

class Windows {
 public:
  /// The usual value of min_reads in copy().
  static constexpr double kMinReads = 2;
  /// One of the variables by which the positions in a block are numbered, such as the index of a row in the block. The copied elements are
  /// those for the values 0 … count - 1. value() may later be called for the values 0 … read - 1; only along the first axis may `read` be
  /// greater than `count`, because a tile of rows may extend beyond the last row of the block. Both are at most `most`.
  struct Axis {
    Sym variable, count, read;
    int64_t most;
  };
  /// Adds statements to `body` that copy the elements of an array that `factor` reads at `index`, an expression of the variables of `axes`,
  /// for all values of these variables. For positions from Axis::count on, the copy contains zeros. Returns nullopt and leaves `body`
  /// unchanged if these elements do not form a box of an array, or if copying does not pay: if each copied element is read less than
  /// `min_reads` times, on average.
  static std::optional<Windows> copy(KernelContext& context, Accumulators& accumulators, const Node* factor, const Index& index,
                                     std::span<const Axis> axes, double min_reads, int simd_width, ir::Body& body);

  /// Returns the value of the factor at `index`, an expression of the variables of the copied axes. It is computed from the copy instead of
  /// the array.
  const ir::UOp* value(const Node* factor, const Index& index) const;

 private:
  /// The ends of a box along each axis, relative to the origin of the box. copied: end of the elements that are copied from the array.
  /// read: end of the elements that value() may read, which are zero from `copied` on.
  struct Ends {
    Index copied, read;
    bool reads_beyond(size_t axis) const { return !proven_at_most(read[axis], copied[axis]); }
  };
  explicit Windows(KernelContext& context) : c_(&context) {}
  ir::Stmt* copy_element(const Index& there);
  /// Returns statements that copy the box along `axis` and the following axes as whole rows, if the rows are contiguous in memory;
  /// otherwise returns no statements.
  ir::Body copy_rows(size_t axis, Index there, const Index& ends, int simd_width);
  ir::Body copy_box(size_t axis, Index there, const Ends& ends, int simd_width);
  Sym position(const Index& index) const;

  KernelContext* c_;
  const Node* array_ = nullptr;
  int copy_ = -1;
  Index origin_;                // index of the first element of the box in the array
  std::vector<int64_t> sizes_;  // size of the box along each axis
};

}  // namespace harp::lower
