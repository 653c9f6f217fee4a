// Contains the text of the generated functions for Fourier transforms on a GPU (fourier.cpp).
#pragma once

#include <string_view>

namespace harp::render {

// Placeholders. $T: the element type. $F: the name of the dtype. $FMA: the multiply-add of the dtype. $COS and $SIN: functions of f64.
// $THREADS: the number of threads of a block; all threads of a block call these functions together. $TILE: the number of complex numbers in
// a tile in shared memory.

inline constexpr std::string_view kGridFactor =
    R"(/* The factor of the first pass for n elements; 0: n has no factor up to 13. Factors 8 and 4 leave no single factor 2 if possible. */
$INLINEDi64 dft_factor(i64 n) {
  if (n % 32 == 0 || n % 16 == 8) return 8;
  if (n % 4 == 0) return 4;
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n % 11 == 0 ? 11 : n % 13 == 0 ? 13 : 0;
}
)";

inline constexpr std::string_view kGridLength =
    R"(/* The length of the transforms that compute one of n elements: n, or for a large prime factor that of a convolution, 2^i or 3 * 2^i. */
$CALLEDi64 dft_length(i64 n) {
  i64 left = n, m = 1;
  while (left > 1 && dft_factor(left) > 0) left /= dft_factor(left);
  if (left <= 1) return n;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}
)";

inline constexpr std::string_view kGridMatrixRows =
    R"(/* A long row is transformed as a matrix. Returns its number of rows, which is about that of its columns; 1: the row is too short for this. */
$CALLEDi64 dft_matrix_rows(i64 n) {
  i64 rows = 1, left = n;
  while (n >= 256) {
    const i64 p = left % 2 == 0 ? 2 : dft_factor(left);
    if (rows >= 16 && rows * p * rows * p > n) break;
    rows *= p;
    left /= p;
  }
  return left < 16 ? 1 : rows;
}
)";

inline constexpr std::string_view kGridNumber = "struct number_$F { $T re, im; };\n";
inline constexpr std::string_view kGridRoot = R"(/* exp(-2 pi i k / n) for 0 <= k < n, from an angle of at most pi / 4. */
$CALLEDnumber_$F root_$F(i64 k, i64 n) {
  const i64 quarter = (4 * k >= n) + (4 * k >= 2 * n) + (4 * k >= 3 * n), rest = 4 * k - quarter * n;
  const bool far = 2 * rest > n;
  const double angle = (double)(far ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  const double near_axis = $COS(angle), off_axis = $SIN(angle);
  const double x = far ? off_axis : near_axis, y = far ? near_axis : off_axis;
  return {($T)(quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y), ($T)(quarter == 0 ? -y : quarter == 1 ? -x : quarter == 2 ? y : x)};
}
)";

inline constexpr std::string_view kGridTables =
    R"(/* The tables of transforms of n elements: the roots of 1, clockwise, of the length that is transformed, real parts, then imaginary parts. For
   a convolution follows u[k] = exp(-i pi k k / n). */
$CALLEDvoid dft_tables_$F(i64 n, $T* tables, i64 block, i64 blocks) {
  const i64 length = dft_length(n);
  $T* const u = tables + 2 * length;
  for (i64 k = block * $THREADS + threadIdx.x; k < length; k += blocks * $THREADS) {
    const number_$F root = root_$F(k, length);
    tables[k] = root.re;
    tables[length + k] = root.im;
    if (length > n && k < n) {
      const number_$F turn = root_$F((i64)((u64)k * (u64)k % (u64)(2 * n)), 2 * n);
      u[k] = turn.re;
      u[n + k] = turn.im;
    }
  }
}
)";

inline constexpr std::string_view kGridTurn = R"(/* Multiplies x + i y by c + i s. */
$INLINEDvoid dft_turn_$F($T* x, $T* y, $T c, $T s) {
  const $T turned = $FMA(*x, c, -(*y * s));
  *y = $FMA(*x, s, *y * c);
  *x = turned;
}
)";

// Transforms of 2, 4, 8 or an odd number of elements, in place. The parameter `roots` contains the n-th roots of 1.

inline constexpr std::string_view kGridTwo = R"($INLINEDvoid dft_2_elements_$F($T* re, $T* im, const $T*, i64) {
  const $T a = re[0], b = re[1], e = im[0], f = im[1];
  re[0] = a + b, im[0] = e + f;
  re[1] = a - b, im[1] = e - f;
}
)";

inline constexpr std::string_view kGridFour = R"($INLINEDvoid dft_4_elements_$F($T* re, $T* im, const $T*, i64) {
  const $T even_re = re[0] + re[2], even_im = im[0] + im[2], odd_re = re[1] + re[3], odd_im = im[1] + im[3];
  const $T x_re = re[0] - re[2], x_im = im[0] - im[2], y_re = re[1] - re[3], y_im = im[1] - im[3];
  re[0] = even_re + odd_re, im[0] = even_im + odd_im;
  re[1] = x_re + y_im, im[1] = x_im - y_re;
  re[2] = even_re - odd_re, im[2] = even_im - odd_im;
  re[3] = x_re - y_im, im[3] = x_im + y_re;
}
)";

inline constexpr std::string_view kGridEight = R"(/* x + y sqrt(1/2). The root is the sum of high and low. */
$INLINED$T dft_eighth_$F($T x, $T y, $T high, $T low) { return $FMA(y, high, $FMA(y, low, x)); }
/* Transforms the four even elements and the four odd ones, and combines them with the eighth roots of 1. */
$INLINEDvoid dft_8_elements_$F($T* re, $T* im, const $T* roots, i64 n) {
  const $T high = ($T)0x1.6a09e667f3bcdp-1, low = ($T)(0x1.6a09e667f3bcdp-1 - (double)high - 0x1.bdd3413b26456p-55);
  $T a[4] = {re[0], re[2], re[4], re[6]}, b[4] = {im[0], im[2], im[4], im[6]};
  $T c[4] = {re[1], re[3], re[5], re[7]}, d[4] = {im[1], im[3], im[5], im[7]};
  dft_4_elements_$F(a, b, roots, n);
  dft_4_elements_$F(c, d, roots, n);
  const $T near_re = c[1] + d[1], near_im = d[1] - c[1], far_re = c[3] - d[3], far_im = d[3] + c[3];
  re[0] = a[0] + c[0], im[0] = b[0] + d[0];
  re[1] = dft_eighth_$F(a[1], near_re, high, low), im[1] = dft_eighth_$F(b[1], near_im, high, low);
  re[2] = a[2] + d[2], im[2] = b[2] - c[2];
  re[3] = dft_eighth_$F(a[3], far_re, -high, -low), im[3] = dft_eighth_$F(b[3], far_im, -high, -low);
  re[4] = a[0] - c[0], im[4] = b[0] - d[0];
  re[5] = dft_eighth_$F(a[1], near_re, -high, -low), im[5] = dft_eighth_$F(b[1], near_im, -high, -low);
  re[6] = a[2] - d[2], im[6] = b[2] + c[2];
  re[7] = dft_eighth_$F(a[3], far_re, high, low), im[7] = dft_eighth_$F(b[3], far_im, high, low);
}
)";

// Placeholders. $P: the factor of the pass, which is also the length of the transforms. $HALF: half of the factor.
inline constexpr std::string_view kGridOdd = R"(/* Elements i and $P - i are multiplied by the same cosine and by opposite sines. */
$INLINEDvoid dft_$P_elements_$F($T* re, $T* im, const $T* roots, i64 n) {
  $T sum_re[$HALF], sum_im[$HALF], difference_re[$HALF], difference_im[$HALF];
  const $T first_re = re[0], first_im = im[0];
  #pragma unroll
  for (int i = 0; i < $HALF; ++i) {
    const $T a = re[i + 1], b = re[$P - 1 - i], e = im[i + 1], f = im[$P - 1 - i];
    sum_re[i] = a + b;
    sum_im[i] = e + f;
    difference_re[i] = a - b;
    difference_im[i] = e - f;
    re[0] += sum_re[i];
    im[0] += sum_im[i];
  }
  #pragma unroll
  for (int u = 1; u <= $HALF; ++u) {
    $T x_re = first_re, x_im = first_im, y_re, y_im;
    #pragma unroll
    for (int i = 0; i < $HALF; ++i) {
      const i64 turn = (i + 1) * u % $P * (n / $P);
      const $T c = roots[turn], s = roots[n + turn];
      x_re += sum_re[i] * c;
      x_im += sum_im[i] * c;
      y_re = i == 0 ? difference_re[0] * s : y_re + difference_re[i] * s;
      y_im = i == 0 ? difference_im[0] * s : y_im + difference_im[i] * s;
    }
    re[u] = x_re - y_im, im[u] = x_im + y_re;
    re[$P - u] = x_re + y_im, im[$P - u] = x_im - y_re;
  }
}
)";

inline constexpr std::string_view kGridPass =
    R"(/* A pass by $P over adjacent lines of `length` numbers, of which `done` transforms are interleaved. Number k of a line is `k * lines + line`
   in the real parts, which the imaginary parts follow. roots: the n-th roots of 1, where n is a multiple of the length. */
$INLINEDvoid dft_pass_by_$P_$F(int length, int lines, int done, const $T* roots, i64 n, const $T* from, $T* to) {
  const int size = length * lines, apart = length / $P;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += $THREADS) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done;
    $T re[$P], im[$P];
    #pragma unroll
    for (int i = 0; i < $P; ++i) {
      const int source = (at + i * apart) * lines + line;
      re[i] = from[source];
      im[i] = from[size + source];
    }
    dft_$P_elements_$F(re, im, roots, n);
    #pragma unroll
    for (int u = 0; u < $P; ++u) {
      if (j > 0 && u > 0) dft_turn_$F(re + u, im + u, roots[j * u * turn], roots[n + j * u * turn]);
      const int target = (j * done * $P + place + u * done) * lines + line;
      to[target] = re[u];
      to[size + target] = im[u];
    }
  }
  __syncthreads();
}
)";

inline constexpr std::string_view kGridAnyOddPass =
    R"(/* The same for any odd factor p, with few registers: the numbers are read again for each result. */
$INLINEDvoid dft_pass_by_odd_$F(int p, int length, int lines, int done, const $T* roots, i64 n, const $T* from, $T* to) {
  const int size = length * lines, apart = length / p;
  const i64 turn = n / length * done;
  for (int k = threadIdx.x; k < apart * lines; k += $THREADS) {
    const int line = k % lines, at = k / lines, j = at / done, place = at - j * done, target = (j * done * p + place) * lines + line;
    const $T *const re = from + at * lines + line, *const im = re + size;
    $T all_re = re[0], all_im = im[0];
    #pragma unroll 1
    for (int i = 1; i <= p / 2; ++i) {
      const int one = i * apart * lines, other = (p - i) * apart * lines;
      all_re += re[one] + re[other];
      all_im += im[one] + im[other];
    }
    to[target] = all_re;
    to[size + target] = all_im;
    #pragma unroll 1
    for (int u = 1; u <= p / 2; ++u) {
      $T x_re = re[0], x_im = im[0], y_re = 0, y_im = 0;
      #pragma unroll 1
      for (int i = 1; i <= p / 2; ++i) {
        const int one = i * apart * lines, other = (p - i) * apart * lines;
        const i64 root = i * u % p * (n / p);
        const $T c = roots[root], s = roots[n + root];
        x_re += (re[one] + re[other]) * c;
        x_im += (im[one] + im[other]) * c;
        y_re = i == 1 ? (re[one] - re[other]) * s : y_re + (re[one] - re[other]) * s;
        y_im = i == 1 ? (im[one] - im[other]) * s : y_im + (im[one] - im[other]) * s;
      }
      $T a = x_re - y_im, b = x_im + y_re, c = x_re + y_im, d = x_im - y_re;
      const int v = p - u;
      if (j > 0) dft_turn_$F(&a, &b, roots[j * u * turn], roots[n + j * u * turn]);
      if (j > 0) dft_turn_$F(&c, &d, roots[j * v * turn], roots[n + j * v * turn]);
      to[target + u * done * lines] = a;
      to[size + target + u * done * lines] = b;
      to[target + v * done * lines] = c;
      to[size + target + v * done * lines] = d;
    }
  }
  __syncthreads();
}
)";

inline constexpr std::string_view kGridTile = R"(/* Shared memory for two buffers of a tile. */
$INLINED$T* dft_tile_$F() {
  __shared__ $T numbers[4 * $TILE];
  return numbers;
}
)";

// Placeholders. $NAME: the function's name. $SHAPE: declarations of the parameters length, per_row and are_columns, or empty if $CONSTANTS
// defines these as constants. $MEMORY: the address of the memory for a tile. $PASSES: the calls of the passes, which also set `result` to
// the address of the results.
inline constexpr std::string_view kGridLines =
    R"(/* Transforms lines, `per_row` of each row. Lines are the columns of a row as a matrix, whose results are turned and stored as columns of a
   matrix; or they are the rows of that matrix, or whole rows, whose results are stored as columns. Element k of row q is at
   q * row_step + k * step. Without im the imaginary parts are 0. A block transforms `lines` lines at a time. Only the first `kept` elements of
   a row are stored; 0: all. */
$INLINEDvoid $NAME($SHAPEi64 rows, const $T* re, const $T* im, i64 row_step, i64 step, $T* to_re, $T* to_im, i64 to_row_step, i64 to_step, i64 kept, const $T* roots, $T* spare, i64 block, i64 blocks) {
$CONSTANTS  const int size = length * lines;
  const i64 n = per_row * length, all = rows * per_row;
  $T *const one = $MEMORY, *const other = one + 2 * size;
  /* neighbouring threads access neighbouring numbers */
  const bool loads_lines = are_columns || (per_row == 1 && row_step < step), stores_lines = per_row > 1 || to_row_step < to_step;
  for (i64 tile = block; tile * lines < all; tile += blocks) {
    const i64 first = tile * lines;
    const int count = all - first < lines ? (int)(all - first) : lines;
    for (int k = threadIdx.x; k < size; k += $THREADS) {
      const int e = loads_lines ? k / lines : k % length, l = loads_lines ? k % lines : k / length;
      $T x = 0, y = 0; /* beyond the last line */
      if (l < count) {
        const i64 row = (first + l) / per_row, line = first + l - row * per_row;
        const i64 at = row * row_step + (are_columns ? e * per_row + line : line * length + e) * step;
        x = re[at];
        if (im) y = im[at];
      }
      one[e * lines + l] = x;
      one[size + e * lines + l] = y;
    }
    __syncthreads();
$PASSES    for (int k = threadIdx.x; k < size; k += $THREADS) {
      const int e = stores_lines ? k / lines : k % length, l = stores_lines ? k % lines : k / length;
      if (l >= count) continue;
      const i64 row = (first + l) / per_row, line = first + l - row * per_row, place = e * per_row + line;
      if (kept > 0 && place >= kept) continue;
      $T x = result[e * lines + l], y = result[size + e * lines + l];
      if (are_columns) dft_turn_$F(&x, &y, roots[e * line], roots[n + e * line]);
      to_re[row * to_row_step + place * to_step] = x;
      to_im[row * to_row_step + place * to_step] = y;
    }
    __syncthreads(); /* the next tile uses the same memory */
  }
}
)";

// The values of $SHAPE, $CONSTANTS and $PASSES in kGridLines, for a length that is known only at run time.
inline constexpr std::string_view kAnyShape = "int length, i64 per_row, bool are_columns, ";
inline constexpr std::string_view kAnyConstants = R"(  const int lines = length < $TILE ? $TILE / length : 1;
)";
inline constexpr std::string_view kAnyPasses = R"(    $T *result = one, *next = other;
    for (int left = length, done = 1; left > 1;) {
      const int p = (int)dft_factor(left);
      $CALLSdft_pass_by_odd_$F(p, length, lines, done, roots, n, result, next);
      left /= p;
      done *= p;
      $T* const read = result;
      result = next;
      next = read;
    }
)";

// Placeholder. $G: the name of the dtype, followed by the length of the row if that is known.
inline constexpr std::string_view kGridRow =
    R"(/* Transforms a row by one block. `spare` has room for the row as a matrix, and for a line that does not fit shared memory. */
$INLINEDvoid dft_row_$G(i64 n, const $T* re, const $T* im, i64 step, $T* to_re, $T* to_im, i64 to_step, i64 kept, const $T* roots, $T* spare) {
$LINES}
)";
// Values of $LINES in kGridRow for a known length. $SHORT is the beginning of a call that transforms a short row as a whole. $COLUMNS and
// $ROWS are the beginnings of calls that transform the columns and the rows of a row that is treated as a matrix.
inline constexpr std::string_view kRowOfLines = R"(  $SHORT1, re, im, 0, step, to_re, to_im, 0, to_step, kept, roots, spare, 0, 1);
)";
inline constexpr std::string_view kRowAsMatrix =
    R"(  $COLUMNS1, re, im, 0, step, spare, spare + n, 0, 1, 0, roots, spare + 2 * n, 0, 1);
  $ROWS1, spare, spare + n, 0, 1, to_re, to_im, 0, to_step, kept, roots, spare + 2 * n, 0, 1);
)";
inline constexpr std::string_view kRowOfAny =
    R"(  const i64 r = dft_matrix_rows(n), m = n / r;
  /* one call for both steps, because it is inlined: the columns, unless the row is short, then the rows */
  for (int are_columns = r > 1; are_columns >= 0; --are_columns) {
    const bool is_first = r == 1 || are_columns, is_last = !are_columns;
    dft_lines_$F(are_columns ? (int)r : (int)m, are_columns ? m : r, are_columns, 1, is_first ? re : spare, is_first ? im : spare + n, 0,
        is_first ? step : 1, is_last ? to_re : spare, is_last ? to_im : spare + n, 0, is_last ? to_step : 1, is_last ? kept : 0, roots,
        spare + 2 * n, 0, 1);
  }
)";

// Placeholders. $G: the name of the dtype, followed by n if that is known. $ROW: the function that transforms a row as long as the
// convolution. $SHARING: the number of blocks that transform rows.
inline constexpr std::string_view kGridFilter =
    R"(/* Rows of a length with a large prime factor (Bluestein's algorithm): the transform is u times the convolution of u x with conj(u), which
   transforms of m elements compute. This one is that of conj(u). */
$CALLEDvoid dft_filter_$G(i64 n, $T* tables, $T* spare) {
  const i64 m = dft_length(n);
  if (m == n) return;
  $T *const u = tables + 2 * m, *const filter = u + 2 * n;
  const $T share = 1 / ($T)m;
  for (i64 k = threadIdx.x; k < m; k += $THREADS) {
    const i64 from = k < n ? k : m - k < n ? m - k : -1;
    spare[k] = from < 0 ? 0 : u[from] * share;
    spare[m + k] = from < 0 ? 0 : -u[n + from] * share;
  }
  __syncthreads();
  $ROW(m, spare, spare + m, 1, filter, filter + m, 1, 0, tables, spare + 2 * m);
}
)";
inline constexpr std::string_view kGridRows =
    R"(/* Transforms rows, each by one block. A block has `row_memory` numbers of `spare`. */
$CALLEDvoid dft_rows_$G(i64 n, i64 rows, const $T* re, const $T* im, i64 row_step, i64 step, $T* to_re, $T* to_im, i64 to_row_step, i64 to_step, i64 kept, const $T* tables, $T* spare, i64 row_memory, i64 block, i64 blocks) {
  const i64 m = dft_length(n), sharing = $SHARING;
  if (n == 0 || block >= sharing) return;
  const bool is_convolution = m != n;
  const $T *const u = tables + 2 * m, *const filter = u + 2 * n;
  $T *const x = spare + block * row_memory, *const y = x + 2 * m, *const rest = y + 2 * m;
  for (i64 row = block; row < rows; row += sharing) {
    const i64 from = row * row_step, to = row * to_row_step;
    /* one call for both transforms of a convolution, because it is inlined; the second one is inverse: it exchanges real and imaginary parts */
    for (int is_inverse = 0; is_inverse <= is_convolution; ++is_inverse) {
      for (i64 k = threadIdx.x; is_convolution && k < m; k += $THREADS) {
        $T a = 0, b = 0;
        if (is_inverse) {
          a = y[k], b = y[m + k];
          dft_turn_$F(&a, &b, filter[k], filter[m + k]);
        } else if (k < n) {
          a = re[from + k * step];
          if (im) b = im[from + k * step];
          dft_turn_$F(&a, &b, u[k], u[n + k]);
        }
        x[k] = a;
        x[m + k] = b;
      }
      __syncthreads();
      const $T *const one = is_convolution ? x : re + from, *const other = is_convolution ? x + m : im ? im + from : 0;
      $T *const to_one = is_convolution ? y : to_re + to, *const to_other = is_convolution ? y + m : to_im + to;
      $ROW(m, is_inverse ? other : one, is_inverse ? one : other, is_convolution ? 1 : step, is_inverse ? to_other : to_one,
          is_inverse ? to_one : to_other, is_convolution ? 1 : to_step, is_convolution ? 0 : kept, tables, is_convolution ? rest : x);
    }
    const i64 count = kept > 0 ? kept : n;
    for (i64 k = threadIdx.x; is_convolution && k < count; k += $THREADS) {
      $T a = y[k], b = y[m + k];
      dft_turn_$F(&a, &b, u[k], u[n + k]);
      to_re[to + k * to_step] = a;
      to_im[to + k * to_step] = b;
    }
    __syncthreads(); /* the next row uses the same memory */
  }
}
)";

}  // namespace harp::render
