// Defines how the loops of reductions and scans address elements whose type is known only to the innermost loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harp::interp {

/// A matrix in memory. The distances between adjacent rows and between adjacent columns are counted in bytes.
template <class Byte>
struct Matrix {
  Byte* data;
  int64_t row_step, column_step;

  Matrix from_row(int64_t row) const { return {data + row * row_step, row_step, column_step}; }
  Matrix from_column(int64_t column) const { return {data + column * column_step, row_step, column_step}; }
};

using Elements = Matrix<const std::byte>;
using Results = Matrix<std::byte>;

}  // namespace harp::interp
