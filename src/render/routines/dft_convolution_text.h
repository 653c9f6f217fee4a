// Contains the generated text for Fourier transforms of a length with a prime factor above 13 (Bluestein's algorithm): each row is
// convolved, by transforms of a larger length m with small prime factors. Placeholders are those of dft_text.h, and $G: the name of the
// dtype, followed by the length if that is known when code is generated.
#pragma once

#include <string_view>

namespace harp::render {

inline constexpr std::string_view kConvolutionLength =
    R"(/* The length of the transforms that compute a convolution of n elements: 2^i or 3 * 2^i. */
static int64_t dft_convolution_length(int64_t n) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}
)";

inline constexpr std::string_view kTimesRows =
    R"(/* Multiplies n rows of $L complex numbers, in place: those of row k by number k. */
static void dft_times_rows_$F(int64_t n, $T* re, $T* im, const $T* by_re, const $T* by_im) {
  for (int64_t k = 0; k < n; ++k, re += $L, im += $L) {
    const $V a = *(const $V*)re, b = *(const $V*)im, c = $SPLAT(by_re[k]), d = $SPLAT(by_im[k]);
    *($V*)re = $FMA(a, c, -(b * d));
    *($V*)im = $FMA(a, d, b * c);
  }
}
)";

// $ROW: the function that transforms one row of the length of the convolution. There are three variants of this function and of its
// callers: for a long length that is known when code is generated, for a short known length, and for a length that is known only at run
// time.
inline constexpr std::string_view kKnownRow =
    R"(static void $ROW(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  $ROWS(re, im, n, to_re, to_im, n, 1, tables, spare, cancel);
}
)";

// $COLUMNS: the function that transforms columns of $M elements.
inline constexpr std::string_view kKnownSideBySide =
    R"(/* Transforms $L rows of $M elements, one in each lane of a vector: element k of all rows is vector number k. */
static __attribute__((noinline)) void dft_side_by_side_$G(const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* roots, $T* spare) {
  $COLUMNS(re, im, $L, to_re, to_im, $L, $L, roots, spare);
}
/* Transforms one row in the same way, for the tables. */
static void $ROW(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  if (harp_is_set(cancel)) return;
  $T *const x_re = spare, *const x_im = x_re + n * $L, *const y_re = x_im + n * $L, *const y_im = y_re + n * $L, *const work = y_im + n * $L;
  for (int64_t i = 0; i < 2 * n * $L; ++i) x_re[i] = 0;
  for (int64_t k = 0; k < n; ++k) x_re[k * $L] = re[k], x_im[k * $L] = im[k];
  dft_side_by_side_$G(x_re, x_im, y_re, y_im, tables, work);
  for (int64_t k = 0; k < n; ++k) to_re[k] = y_re[k * $L], to_im[k] = y_im[k * $L];
}
)";

inline constexpr std::string_view kConvolutionTables =
    R"(/* Rows of a length with a large prime factor (Bluestein's algorithm): with u[k] = exp(-i pi k k / n) the transform is u times the convolution
   of u x with conj(u), which transforms of m elements compute. The tables are u, the transform of conj(u), and those for m elements. */
static void dft_convolution_tables_$G(int64_t n, $T* tables, $T* spare, const volatile int32_t* cancel) {
  const int64_t m = dft_convolution_length(n);
  $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m;
  $T *const row_tables = filter_im + m, *const x_re = spare, *const x_im = x_re + m;
  for (int64_t k = 0, square = 0; k < n; k += $D) { /* square: k * k modulo 2 n */
    if (k % 4096 == 0 && harp_is_set(cancel)) return;
    int64_t squares[$D];
    $T c[$D], s[$D];
    for (int i = 0; i < $D; ++i) {
      squares[i] = square;
      square = (square + 2 * (k + i) + 1) % (2 * n);
    }
    some_roots_$F(squares, 2 * n, c, s);
    for (int i = 0; i < $D && k + i < n; ++i) u_re[k + i] = c[i], u_im[k + i] = -s[i];
  }
  const $T share = 1 / ($T)m;
  for (int64_t k = 0; k < m; ++k) {
    const int64_t from = k < n ? k : m - k < n ? m - k : -1;
    x_re[k] = from < 0 ? 0 : u_re[from] * share;
    x_im[k] = from < 0 ? 0 : -u_im[from] * share;
  }
  dft_row_tables_$F(m, row_tables, x_im + m, cancel);
  $ROW(m, x_re, x_im, filter_re, filter_im, row_tables, x_im + m, cancel);
}
)";

inline constexpr std::string_view kConvolvedRows =
    R"(/* Each row by itself. Its transforms of m elements work on the columns and rows of a matrix, which fill vectors. */
static void dft_convolved_rows_$G(const $T* re, const $T* im, int64_t im_step, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  const int64_t m = dft_convolution_length(n);
  const $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m, *const row_tables = filter_im + m;
  $T *const x_re = spare, *const x_im = x_re + m, *const y_re = x_im + m, *const y_im = y_re + m, *const work = y_im + m;
  for (int64_t row = 0; row < rows; ++row, re += n, im += im_step, out_re += n, out_im += n) {
    if (harp_is_set(cancel)) return;
    dft_times_$F(n, re, im, u_re, u_im, x_re, x_im);
    for (int64_t k = n; k < m; ++k) x_re[k] = 0, x_im[k] = 0;
    $ROW(m, x_re, x_im, y_re, y_im, row_tables, work, cancel);
    dft_times_$F(m, y_re, y_im, filter_re, filter_im, x_re, x_im);
    $ROW(m, x_im, x_re, y_im, y_re, row_tables, work, cancel); /* the inverse transform: exchanges real and imaginary parts */
    dft_times_$F(n, y_re, y_im, u_re, u_im, out_re, out_im);
  }
}
)";

// Placeholder $SIDE: the beginning of a call of dft_side_by_side_$G.
inline constexpr std::string_view kConvolvedSideBySide =
    R"(/* The same for rows so short that m elements are no matrix: $L at a time, one in each lane of a vector. Element k of all of them is vector
   number k. */
static void dft_convolved_side_by_side_$G(const $T* re, const $T* im, int64_t im_step, int64_t rows, int64_t n, $T* out_re, $T* out_im, int64_t stored, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  const int64_t m = dft_convolution_length(n), together = rows < $L ? rows : $L;
  const $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m, *const row_tables = filter_im + m;
  $T *const x_re = spare, *const x_im = x_re + m * $L, *const y_re = x_im + m * $L, *const y_im = y_re + m * $L, *const work = y_im + m * $L;
  for (int64_t i = 0; i < 2 * m * $L; ++i) x_re[i] = 0; /* for lanes without a row, if there are fewer than $L rows */
  for (int64_t row = 0; row < rows; row += $L) {
    if (harp_is_set(cancel)) return;
    const int64_t at = row + together <= rows ? row : rows - together; /* the last rows overlap those before them */
    $TRANSPOSE(x_re, $L, re + at * n, n, n, together);
    $TRANSPOSE(x_im, $L, im + at * im_step, im_step, n, together);
    dft_times_rows_$F(n, x_re, x_im, u_re, u_im);
    for (int64_t i = n * $L; i < m * $L; ++i) x_re[i] = 0, x_im[i] = 0;
    $SIDEx_re, x_im, y_re, y_im, row_tables, work);
    dft_times_rows_$F(m, y_re, y_im, filter_re, filter_im);
    $SIDEy_im, y_re, x_im, x_re, row_tables, work); /* the inverse transform: exchanges real and imaginary parts */
    dft_times_rows_$F(n, x_re, x_im, u_re, u_im);
    $TRANSPOSE(out_re + at * stored, stored, x_re, $L, together, stored);
    $TRANSPOSE(out_im + at * stored, stored, x_im, $L, together, stored);
  }
}
)";

inline constexpr std::string_view kAnySideBySide =
    R"(static void dft_side_by_side_$F(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* roots, $T* spare) {
  dft_columns_$F(n, roots, $L, re, im, $L, to_re, to_im, $L, spare);
}
)";

// The function for one known length $N. $BODY: kRowsOfPairs (dft_text.h), with kTransformConvolved. $CONVOLVED: dft_convolved_rows or
// dft_convolved_side_by_side, the beginning of the name of the function that transforms the rows.
inline constexpr std::string_view kConvolved =
    R"(/* The discrete Fourier transform of rows of $N elements. The parameters are those of the function for any length: `from` and `to` are the
   distance from one real part to the next, 1 or 2; if it is 2, the first `stored` elements are stored. */
static __attribute__((noinline)) void $NAME(const $T* from_re, const $T* from_im, int64_t from, int64_t rows, int64_t n, $T* to_re, $T* to_im, int64_t to, int64_t stored, $T* spare, const volatile int32_t* cancel) {
  if (rows <= 0) return;
$BODY)";
inline constexpr std::string_view kTransformConvolved =
    "$CONVOLVED_$G(re, im, im_step, count, n, out_re, out_im, $STOREDdft_tables_$G, spare, cancel);";

}  // namespace harp::render
