// Sums of products that are rows times columns: a matrix product, batched or not, a convolution, most of what einsum makes. One factor is
// the same in all columns, the other in all rows, so that a tile of both uses what it loads many times. There may be a single row: then
// tiles are for a columns' factor that lies along the terms, which is transposed piece by piece.
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

inline constexpr int64_t kNearColumns = int64_t{1} << 20;  // bytes of a columns' factor that is used from the second cache, without a copy

struct Contraction {
  std::optional<size_t> rows;            // axis of the reduction's source; nothing: there is one row
  size_t columns;                        // axis of the source
  std::optional<size_t> row_position;    // of rows among the axes of iteration_space()
  size_t column_position;                // of columns there: the last, unless rows are
  std::optional<size_t> group_position;  // of an axis that is more columns, or rows: those of each index of it
  bool group_is_rows = false;
  const Node *row_factor = nullptr, *column_factor = nullptr;  // that vary along rows, and not along columns, and the other way round

  /// Do results lie beside each other along the rows?
  bool is_turned() const { return row_position && *row_position > column_position; }
};
/// The array below the unfolds of `factor`, a view of it; null: there are none, or it is of a dtype whose elements are not used as they
/// are.
const Node* array_below_windows(const Node* factor);
/// Elements that each sum of a reduction is of.
Dim term_count(const Node& reduce);
Dim row_count(const Node& reduce, const Contraction& contraction);
/// Nothing: the reduction is no such sum, or the kernel not one alone.
std::optional<Contraction> as_contraction(const Node& reduce);
std::optional<Contraction> as_contraction(const KernelPlan& kernel);

}  // namespace harp
