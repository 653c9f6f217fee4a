// Copies to scratch memory the elements of an array that the overlapping windows of a block read. Without the copy, a convolution would
// read each element once for every position in its window, and would test for padding at each read.
#pragma once

#include <optional>

#include "lower/accumulate.h"

namespace harp::lower {

class Windows {
 public:
  /// A variable of the positions in a block, such as the number of a row. It takes the values 0 … count - 1; `most` is an upper bound of
  /// count.
  struct Axis {
    Sym variable, count;
    int64_t most;
  };
  /// Copies the elements that are read to compute `factor` at position `index`, for all values of the variables of `axes`, on which `index`
  /// depends; appends the statements to `body`. Values of the first variable from its `count` on, but below its `most`, are also allowed in
  /// value(): the copy has zeros for these. Returns nullopt and leaves `body` unchanged if the elements are not a box of the array, or if a
  /// copy would not be faster.
  static std::optional<Windows> copy(KernelContext& context, Accumulators& accumulators, const Node* factor, const Index& index,
                                     std::span<const Axis> axes, int simd_width, ir::Body& body);

  /// Returns the value of the factor at an index of the block; it reads the copy instead of the array.
  const ir::UOp* value(const Node* factor, const Index& index) const;

 private:
  explicit Windows(KernelContext& context) : c_(&context) {}
  ir::Stmt* copy_element(const Index& there);
  /// Returns statements that copy the box along `axis` and the following axes as whole rows, if the rows are contiguous in memory;
  /// otherwise returns no statements.
  ir::Body copy_rows(size_t axis, Index there, const Index& ends, int simd_width);
  ir::Body copy_box(size_t axis, Index there, const Index& ends, const std::vector<bool>& reads_beyond, int simd_width);
  Sym position(const Index& index) const;

  KernelContext* c_;
  const Node* array_ = nullptr;
  int copy_ = -1;
  Index origin_;                // index of the first element of the box in the array
  std::vector<int64_t> sizes_;  // size of the box along each axis
};

}  // namespace harp::lower
