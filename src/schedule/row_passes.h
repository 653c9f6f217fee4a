// Decides whether several kernels that process the same rows can become one row-wise kernel, and which passes that kernel makes.
// rowwise.cpp merges such kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/fusion_limits.h"
#include "schedule/program.h"

namespace harp {

using AxisMask = uint32_t;  // a set of axes of Rows::space (the shape of the elements of all rows, see below), with one bit for each axis

/// The rows that several kernels process: the shape of all their elements, and which of its axes are reduced. A row consists of the
/// elements along the reduced axes.
struct Rows {
  const Node* reduce;  // one of the reductions that combine the elements of a row
  // The shape of the elements of all rows (space), and this shape without the reduced axes (kept). Both are without axes of size 1.
  Shape space, kept;
  AxisMask reduced = 0;

  explicit Rows(const Node& reduce);
  /// Tests whether `other` reduces rows of the same shape along the same axes in the same order.
  bool same(const Node& other) const;
  Dim length() const;
};

/// For each buffer, the kernels that write it (makers) and those that read it (readers).
struct Traffic {
  std::vector<std::vector<int>> makers, readers;

  explicit Traffic(const Program& program);
  /// Tests whether the buffer must still be stored if these kernels (in ascending order) become one kernel, because another kernel or the
  /// caller uses it.
  bool is_needed_outside(const Program& program, int buffer, const std::vector<int>& kernels) const;
};

/// A pass over the rows, like RowPass (program.h), but for several kernels that will be merged: each store is a pair of a kernel's number
/// and the index of the store in that kernel.
struct SharedPass {
  std::vector<const Node*> reduces, row_values, short_row_values;
  std::vector<std::pair<int, size_t>> row_stores, stores;
};

/// Returns the passes of the kernel that results from merging these kernels (in ascending order). Returns nothing if they cannot be merged:
/// a value has neither the shape of the rows nor one element for each row, a value is read at another element or row than the current one,
/// the merged kernel would be too large, or too much would be computed again.
std::optional<std::vector<SharedPass>> shared_passes(const Program& program, const Traffic& traffic, const std::vector<int>& kernels,
                                                     const Rows& rows, const FusionLimits& limits);

}  // namespace harp
