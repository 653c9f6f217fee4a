// Decides whether several kernels over the same rows can become one row-wise kernel, and with which passes. rowwise.cpp uses this before it
// merges them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/fusion_limits.h"
#include "schedule/program.h"

namespace harp {

using AxisMask = uint32_t;  // axes of the rows' space, one bit each

/// The rows that several kernels share: the space of their elements, and which of its axes are reduced.
struct Rows {
  const Node* reduce;  // one of the reductions over these rows
  Shape space, kept;   // sizes without axes of size 1. space: the elements; kept: without the reduced axes
  AxisMask reduced = 0;

  explicit Rows(const Node& reduce);
  /// Tests whether `other` reduces the same rows in the same order.
  bool same(const Node& other) const;
  Dim length() const;
};

/// For each buffer, the kernels that write it and those that read it.
struct Traffic {
  std::vector<std::vector<int>> makers, readers;

  explicit Traffic(const Program& program);
  /// Tests whether the buffer still has to exist if these kernels (in ascending order) become one, because another kernel or the caller
  /// uses it.
  bool is_needed_outside(const Program& program, int buffer, const std::vector<int>& kernels) const;
};

/// A pass over the rows, like RowPass; stores are given as (kernel, index of the store).
struct SharedPass {
  std::vector<const Node*> reduces, row_values;
  std::vector<std::pair<int, size_t>> row_stores, stores;
};

/// Returns the passes of the merged kernel, or nothing if these kernels (in ascending order) cannot be merged: a value is neither an
/// element of the rows nor has one element for each row, a value is not read at the current element or row, the kernel would be too large,
/// or too much would be recomputed.
std::optional<std::vector<SharedPass>> shared_passes(const Program& program, const Traffic& traffic, const std::vector<int>& kernels,
                                                     const Rows& rows, const FusionLimits& limits);

}  // namespace harp
