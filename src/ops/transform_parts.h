// Divides the length of a Fourier transform into factors (docs/semantics.md). This code is shared by the interpreter, the scheduler and the
// renderer.
#pragma once

#include <algorithm>
#include <cstdint>

namespace harp {

/// Returns the factor by which the first pass of a transform of n elements divides n; 0 if n is 1 or its smallest prime factor is above 13.
/// The factors 8 and 4 are preferred: 2 is returned only if n is twice an odd number.
constexpr int64_t transform_factor(int64_t n) {
  if (n % 32 == 0 || n % 16 == 8) return 8;
  for (const int64_t p : {4, 2, 3, 5, 7, 11, 13})
    if (n % p == 0) return p;
  return 0;
}

constexpr bool has_small_factors(int64_t n) {
  while (n > 1) {
    const int64_t p = transform_factor(n);
    if (p == 0) return false;
    n /= p;
  }
  return true;
}

/// For a length with only small factors, returns the number of rows of the matrix into which a transform is split. It is close to the
/// number of columns, and at least 16. 1 means that the transform is not split.
constexpr int64_t transform_rows(int64_t n) {
  if (n < 256) return 1;
  const auto least_prime = [](int64_t k) { return k % 2 == 0 ? 2 : transform_factor(k); };
  int64_t rows = 1;
  for (int64_t p = least_prime(n); rows < 16 || rows * p * rows * p <= n; p = least_prime(n / rows)) rows *= p;
  return n / rows < 16 ? 1 : rows;
}

/// For a length n with a prime factor above 13, returns the length of the transforms by which a convolution computes the transform of n
/// elements; it is below 4 n.
constexpr int64_t convolution_length(int64_t n) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}

/// The memory layout of real and imaginary parts. kSeparate: the real parts are contiguous, and so are the imaginary parts. kInterleaved:
/// real and imaginary parts alternate, real part first. kSwapped: they alternate, imaginary part first. kReal: there are only real parts,
/// and all imaginary parts are +0.
enum class ComplexLayout : uint8_t { kSeparate, kReal, kInterleaved, kSwapped };

// transform_tables() and transform_spare() return the memory, in real numbers, that a transform of n elements needs: for tables, which
// depend only on n, and for temporary storage. It is enough for vectors of up to kMaxTransformLanes lanes. render/routines/dft.cpp defines
// the layout of this memory.
inline constexpr int64_t kMaxTransformLanes = 16;
// Columns (or rows) are transformed in groups of at most this many elements. A group that would have fewer columns than a vector has lanes
// gets one column for each lane instead.
inline constexpr int64_t kTransformTile = 2048;

/// Returns the largest memory, in elements, for `lines` lines (rows or columns of a matrix) of n elements that are stored in tiles of
/// several lines. The last tile may overlap the one before, so that some lines are stored twice.
constexpr int64_t most_in_tiles(int64_t n, int64_t lines) {
  return n * (lines + std::min(lines, std::max(kTransformTile / n, kMaxTransformLanes)));
}
constexpr int64_t transform_tables(int64_t n) {
  if (!has_small_factors(n)) return 2 * n + 2 * convolution_length(n) + transform_tables(convolution_length(n));
  const int64_t rows = transform_rows(n);
  return rows == 1 ? 2 * n : 2 * (rows + n / rows) + 2 * most_in_tiles(rows, n / rows);
}
// A transform that is not split into rows of a matrix (rows == 1), also one that is part of a convolution, is computed together with
// others, one in each lane of a vector. Each of them needs 9 n real numbers.
constexpr int64_t transform_spare(int64_t n) {
  if (!has_small_factors(n)) return 4 * convolution_length(n) + transform_spare(convolution_length(n));
  const int64_t rows = transform_rows(n);
  if (rows == 1) return 9 * n * kMaxTransformLanes;
  return 2 * most_in_tiles(n / rows, rows) + 6 * std::max(kTransformTile, std::max(rows, n / rows) * kMaxTransformLanes);
}

/// Returns the size, in real numbers, of the temporary storage for `columns` columns of n elements that are transformed together, each as a
/// matrix (transform_rows(n) > 1). `columns` is at least kMaxTransformLanes.
constexpr int64_t transform_columns_spare(int64_t n, int64_t columns) {
  const int64_t rows = transform_rows(n);
  return 2 * n * columns + 6 * std::max(rows, n / rows) * columns;
}

/// Tests whether the tables of a transform of constant length n are small enough to be computed when code is loaded. (Tables for a length
/// that is known only at run time are computed by a call; those of the first lengths are kept if there is room for them.)
constexpr bool keeps_transform_tables(int64_t n) { return n >= 1 && n <= int64_t{1} << 20; }
/// Tests whether a transform of constant length n is computed by passes that are generated for this length, and that read and write any
/// layout. Other transforms are computed by functions for rows whose real and imaginary parts are separate.
constexpr bool has_transform_passes(int64_t n) { return n >= 2 && has_small_factors(n) && keeps_transform_tables(n); }

}  // namespace harp
