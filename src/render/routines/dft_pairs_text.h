// The generated text for rows of complex numbers whose real and imaginary parts alternate in memory, if the length of the rows is known
// only at run time. (Passes of known lengths read and write such rows themselves.)
#pragma once

#include <string_view>

namespace harp::render {

// Placeholders. $T: the element type. $V: the vector type of $L elements. $F: the name of the dtype. $EVEN, $ODD: the even and the odd
// lanes of the vectors a and b. $LOW, $HIGH: the lanes of a and b, interleaved.

inline constexpr std::string_view kUnzip =
    R"(/* Separates n complex numbers, whose real and imaginary parts alternate from re and im on, into x and y. */
static void dft_unzip_$F(int64_t n, const $T* re, const $T* im, $T* x, $T* y) {
  if (n < $L) {
    for (int64_t k = 0; k < n; ++k) x[k] = re[2 * k], y[k] = im[2 * k];
    return;
  }
  const int is_swapped = im < re;
  const $T* const first = is_swapped ? im : re;
  for (int64_t q = 0; q < n; q += $L) { /* the last step overlaps the one before it */
    const int64_t at = q + $L <= n ? q : n - $L;
    const $V a = *(const $V*)(first + 2 * at), b = *(const $V*)(first + 2 * at + $L), even = $EVEN, odd = $ODD;
    *($V*)(x + at) = is_swapped ? odd : even;
    *($V*)(y + at) = is_swapped ? even : odd;
  }
}
)";

inline constexpr std::string_view kZip =
    R"(/* Stores the n complex numbers x + i y so that real and imaginary parts alternate, from re and im on. */
static void dft_zip_$F(int64_t n, const $T* x, const $T* y, $T* re, $T* im) {
  if (n < $L) {
    for (int64_t k = 0; k < n; ++k) re[2 * k] = x[k], im[2 * k] = y[k];
    return;
  }
  const int is_swapped = im < re;
  const $T *const one = is_swapped ? y : x, *const other = is_swapped ? x : y;
  $T* const first = is_swapped ? im : re;
  for (int64_t q = 0; q < n; q += $L) { /* the last step overlaps the one before it */
    const int64_t at = q + $L <= n ? q : n - $L;
    const $V a = *(const $V*)(one + at), b = *(const $V*)(other + at);
    *($V*)(first + 2 * at) = $LOW;
    *($V*)(first + 2 * at + $L) = $HIGH;
  }
}
)";

}  // namespace harp::render
