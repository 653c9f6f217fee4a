// Finds contractions: sums of products that have the structure of a matrix product C = A·B, such as (batched) matrix products,
// convolutions, and most einsums. The columns' factor B does not vary along the rows of C, and the rows' factor A does not vary along its
// columns, so a register tile uses each loaded element many times. There may be a single row (a vector times a matrix). Register tiles then
// pay only if B is contiguous in memory along the terms (the summed axis): with tiles B is transposed piece by piece, without them it would
// be read one element at a time.
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

struct Contraction {
  std::optional<size_t> rows;          // the axis of the rows in the reduction's source; none: there is a single row
  size_t columns;                      // the axis of the columns in the reduction's source
  std::optional<size_t> row_position;  // index of `rows` among the axes of iteration_space()
  // Index of `columns` among the axes of iteration_space(): the last one, unless the rows are last.
  size_t column_position;
  // The group: an axis along which only one of the factors varies, the rows' factor A if group_is_rows, else the columns' factor B. An
  // example is the axis of the lines of an image whose pixels are the rows. The indices of the group are its members
  // (lower/contraction.cpp).
  std::optional<size_t> group_position;
  bool group_is_rows = false;
  // row_factor varies along the rows but not along the columns; column_factor varies along the columns but not along the rows.
  const Node *row_factor = nullptr, *column_factor = nullptr;

  /// Tests whether the results are contiguous in memory along the rows instead of the columns.
  bool is_output_transposed() const { return row_position && *row_position > column_position; }
};
/// Tests whether the node's value depends on the index along this axis. Returns true if that cannot be excluded.
bool varies(const Node* node, size_t axis);
/// If `factor` is a view of overlapping windows (Unfold ops) of an array, returns that array. Returns null if there are no windows, or if
/// the array's elements must be converted first (16-bit floats, bools).
const Node* array_below_windows(const Node* factor);
/// Returns the number of elements in each sum of a reduction.
Dim term_count(const Node& reduce);
Dim row_count(const Node& reduce, const Contraction& contraction);
/// Returns the reduction, or the only reduction of the kernel, as a contraction. Returns nothing if it is not a contraction, if the kernel
/// has other reductions or several passes, or if the kernel stores a value for every term.
std::optional<Contraction> as_contraction(const Node& reduce);
std::optional<Contraction> as_contraction(const KernelPlan& kernel);
/// Returns the contraction with rows and columns exchanged: instead of C = A B it computes the transposed product, B transposed times A
/// transposed. Vectors then run along the rows of C, and results are stored transposed. That pays for products of many rows and few
/// columns, and for convolutions whose columns are short lines of pixels. Returns nothing if there is no axis of rows, if the rows are
/// windows of a convolution, or if only one of the factors varies along a further axis and the columns are no windows.
std::optional<Contraction> exchanged(const Node& reduce, const Contraction& usual);
/// Returns the contraction that this schedule of the kernel computes: with rows and columns exchanged (exchanged()) if the schedule has
/// vectors along the rows only, otherwise as it is. The recipe of the schedule must be the contraction template.
std::optional<Contraction> as_contraction(const KernelPlan& kernel, const Schedule& schedule);

}  // namespace harp
