// The part of an array that overlapping windows of a block read, copied to scratch memory once: a convolution reads each element for every
// place in its window, and would look at each place for the padding it may be in.
#pragma once

#include <optional>

#include "lower/accumulate.h"

namespace harp::lower {

class Windows {
 public:
  /// A variable that positions depend on, of which a block has values 0 … count - 1, of at most `most`.
  struct Axis {
    Sym variable, count;
    int64_t most;
  };
  /// The part for positions `index` of `factor`, whose variables these are, is copied by statements added to `body`. Along the first axis
  /// all positions up to `most` may be read. Nothing, and the body as it was: that part is no box, or not worth it.
  static std::optional<Windows> copy(KernelContext& context, Accumulators& accumulators, const Node* factor, const Index& index,
                                     std::span<const Axis> axes, int simd_width, ir::Body& body);

  /// The value of the factor at an index of the block, from the copy.
  const ir::UOp* value(const Node* factor, const Index& index) const;

 private:
  explicit Windows(KernelContext& context) : c_(&context) {}
  ir::Stmt* copy_element(const Index& there);
  /// The box along this axis and those behind it as a copy of rows, if it is one in memory; else nothing.
  ir::Body copy_rows(size_t axis, Index there, const Index& ends, int simd_width);
  ir::Body copy_box(size_t axis, Index there, const Index& ends, const std::vector<bool>& goes_on, int simd_width);
  Sym position(const Index& index) const;

  KernelContext* c_;
  const Node* array_ = nullptr;
  int copy_ = -1;
  Index origin_;                // of the box in the array
  std::vector<int64_t> sizes_;  // of the box
};

}  // namespace harp::lower
