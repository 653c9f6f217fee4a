// The passes of several kernels over the same rows, if they can be one row-wise kernel: what rowwise.cpp asks before it merges them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/program.h"

namespace harp {

using AxisMask = uint32_t;  // axes of the rows' space, one bit each

/// The space that kernels over the same rows work in.
struct Rows {
  const Node* reduce;  // one of its reductions
  Shape space, kept;   // size-1 axes aside: of the elements, and with the reduced axes left out
  AxisMask reduced = 0;

  explicit Rows(const Node& reduce);
  /// Does another reduction go over these rows, in the same order?
  bool same(const Node& other) const;
  Dim length() const;
};

/// Which kernels write and read each buffer.
struct Traffic {
  std::vector<std::vector<int>> makers, readers;

  explicit Traffic(const Program& program);
  /// Does the buffer stay if these kernels (ascending) become one?
  bool is_needed_outside(const Program& program, int buffer, const std::vector<int>& kernels) const;
};

/// A pass over the rows, as RowPass; stores are named by kernel and place.
struct SharedPass {
  std::vector<const Node*> reduces, row_values;
  std::vector<std::pair<int, size_t>> row_stores, stores;
};

/// Nothing if these kernels (ascending) cannot be one: a value has neither the shape of the rows' elements nor one value a row, something
/// is handed over that is not read at the very element or row at hand, it would be too much for one kernel, or too much would be computed
/// again.
std::optional<std::vector<SharedPass>> shared_passes(const Program& program, const Traffic& traffic, const std::vector<int>& kernels,
                                                     const Rows& rows);

}  // namespace harp
