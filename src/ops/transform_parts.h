// How the length of a Fourier transform is taken apart (docs/semantics.md): what interpreter, scheduler and renderer agree on.
#pragma once

#include <algorithm>
#include <cstdint>

namespace harp {

/// The factor of n that comes first; 0: n has a prime factor above 13 (or is 1). 4 comes before 2 wherever it leaves no 2 over.
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

/// Of a length with small factors: so many rows a transform is cut into, about as many as columns and a vector of them at least; 1: it is
/// not cut.
constexpr int64_t transform_rows(int64_t n) {
  if (n < 256) return 1;
  const auto least_prime = [](int64_t k) { return k % 2 == 0 ? 2 : transform_factor(k); };
  int64_t rows = 1;
  for (int64_t p = least_prime(n); rows < 16 || rows * p * rows * p <= n; p = least_prime(n / rows)) rows *= p;
  return n / rows < 16 ? 1 : rows;
}

/// Of any other length: that of the transforms which a convolution of n elements goes through, below 4 n.
constexpr int64_t convolution_length(int64_t n) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}

/// How the parts of numbers lie: elements of one part side by side, or pairs, of which the real parts come first or the imaginary ones; or
/// there are real parts only, and the imaginary ones are +0.
enum class PartsLie : uint8_t { kApart, kReal, kInPairs, kInExchangedPairs };

// Memory of a transform of n elements, in numbers; render/dft.cpp says what is where. Of what depends on the length only, and beside that:
// vectors have at most so many lanes.
inline constexpr int64_t kMostTransformLanes = 16;
inline constexpr int64_t kTransformTile = 2048;  // elements that are transformed together, if vectors are not wider than that

/// `lines` lines of n elements, in tiles, of which the last one may hold lines of the one before.
constexpr int64_t most_in_tiles(int64_t n, int64_t lines) {
  return n * (lines + std::min(lines, std::max(kTransformTile / n, kMostTransformLanes)));
}
constexpr int64_t transform_tables(int64_t n) {
  if (!has_small_factors(n)) return 2 * n + 2 * convolution_length(n) + transform_tables(convolution_length(n));
  const int64_t rows = transform_rows(n);
  return rows == 1 ? 2 * n : 2 * (rows + n / rows) + 2 * most_in_tiles(rows, n / rows);
}
constexpr int64_t transform_spare(int64_t n) {
  if (!has_small_factors(n)) return 4 * convolution_length(n) + transform_spare(convolution_length(n));
  const int64_t rows = transform_rows(n);
  if (rows == 1) return 9 * n * kMostTransformLanes;
  return 2 * most_in_tiles(n / rows, rows) + 6 * std::max(kTransformTile, std::max(rows, n / rows) * kMostTransformLanes);
}

/// Tables are kept from run to run where the length is known and they are not too large.
constexpr bool keeps_transform_tables(int64_t n) { return n >= 1 && n <= int64_t{1} << 20; }

}  // namespace harp
