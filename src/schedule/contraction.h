// Contractions: sums of products with the structure rows times columns, such as (batched) matrix products, convolutions, and most einsums.
// One factor is invariant along the columns, the other along the rows, so a register tile uses each loaded element many times. There may be
// a single row. Tiles then pay only if the columns' factor is contiguous along the terms: they transpose it piece by piece.
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

struct Contraction {
  std::optional<size_t> rows;            // axis of the reduction's source; none: there is one row
  size_t columns;                        // axis of the reduction's source
  std::optional<size_t> row_position;    // index of `rows` among the axes of iteration_space()
  size_t column_position;                // index of `columns` there: the last axis, unless rows are last
  std::optional<size_t> group_position;  // an axis each of whose indices has rows (or columns) of its own, such as the lines of an image:
                                         // the group, whose indices are its members (lower/contraction.cpp)
  bool group_is_rows = false;
  const Node *row_factor = nullptr, *column_factor = nullptr;  // row_factor varies along rows but not along columns; column_factor the
                                                               // reverse

  /// Tests whether results are contiguous along the rows.
  bool is_output_transposed() const { return row_position && *row_position > column_position; }
};
/// Tests whether the node's value depends on the index along this axis. Conservative: returns true if in doubt.
bool varies(const Node* node, size_t axis);
/// Returns the array whose overlapping windows (Unfold ops) `factor` is a view of; null if there are no windows, or if elements of the
/// array's dtype must be converted first.
const Node* array_below_windows(const Node* factor);
/// Returns the number of elements in each sum of a reduction.
Dim term_count(const Node& reduce);
Dim row_count(const Node& reduce, const Contraction& contraction);
/// Returns the contraction, or nothing if the reduction is not one or is not alone in its kernel.
std::optional<Contraction> as_contraction(const Node& reduce);
std::optional<Contraction> as_contraction(const KernelPlan& kernel);

}  // namespace harp
