// Contains the generated text for Fourier transforms, except the passes (dft_passes.cpp) and convolutions (dft_convolution_text.h): roots
// of unity and their tables, and the transforms of long rows (each treated as a matrix), of short rows, and of columns.
#pragma once

#include <string_view>

namespace harp::render {

// Placeholders. $T: the element type. $V: the vector type of $L elements. $F: the name of the dtype. $W: the vector type of $D numbers of
// f64. $COS and $SIN: functions of such a vector.

inline constexpr std::string_view kFactor =
    R"(/* The factor of the first pass for n elements; 0: n has no factor up to 13. Factors 8 and 4 leave no single factor 2 if possible. */
static int64_t dft_factor(int64_t n) {
  if (n % 32 == 0 || n % 16 == 8) return 8;
  if (n % 4 == 0) return 4;
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n % 11 == 0 ? 11 : n % 13 == 0 ? 13 : 0;
}
)";

inline constexpr std::string_view kHasSmallFactors = R"(static int dft_has_small_factors(int64_t n) {
  while (n > 1) {
    const int64_t p = dft_factor(n);
    if (p == 0) return 0;
    n /= p;
  }
  return 1;
}
)";

inline constexpr std::string_view kMatrixRows =
    R"(/* A long row is transformed as a matrix. Returns its number of rows, which is about that of its columns; 1: the row is too short for this. */
static int64_t dft_matrix_rows(int64_t n) {
  int64_t rows = 1, left = n;
  while (n >= 256) {
    const int64_t p = left % 2 == 0 ? 2 : dft_factor(left);
    if (rows >= 16 && rows * p * rows * p > n) break;
    rows *= p;
    left /= p;
  }
  return left < 16 ? 1 : rows;
}
)";

inline constexpr std::string_view kSomeRoots = R"(/* cos and sin of 2 pi k / n for $D numbers 0 <= k < n, from angles of at most pi / 4. */
static void some_roots_$F(const int64_t* k, int64_t n, $T* c, $T* s) {
  int64_t quarter[$D];
  int far[$D];
  double angle[$D], near_axis[$D], off_axis[$D];
  for (int i = 0; i < $D; ++i) {
    quarter[i] = 4 * k[i] < n ? 0 : 4 * k[i] / n;
    const int64_t rest = 4 * k[i] - quarter[i] * n;
    far[i] = 2 * rest > n;
    angle[i] = (double)(far[i] ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  }
  *($W*)near_axis = $COS(*(const $W*)angle);
  *($W*)off_axis = $SIN(*(const $W*)angle);
  for (int i = 0; i < $D; ++i) {
    const double x = far[i] ? off_axis[i] : near_axis[i], y = far[i] ? near_axis[i] : off_axis[i];
    c[i] = ($T)(quarter[i] == 0 ? x : quarter[i] == 1 ? -y : quarter[i] == 2 ? -x : y);
    s[i] = ($T)(quarter[i] == 0 ? y : quarter[i] == 1 ? x : quarter[i] == 2 ? -y : -x);
  }
}
)";

inline constexpr std::string_view kRoots =
    R"(/* The n-th roots of 1, clockwise: root k has the real part re[step * k] and the imaginary part im[step * k]. If n is a multiple of 4, three
   quarters are rotations of the first, and the second half of the first quarter has the cosines of the first half as sines. */
static void roots_$F(int64_t n, $T* re, $T* im, int64_t step, const volatile int32_t* cancel) {
  const int64_t parts = n % 4 == 0 ? 4 : 1, m = n / parts, last = parts == 4 ? m / 2 : m - 1;
  for (int64_t first = 0; first <= last; first += $D) {
    if (first % 4096 == 0 && harp_is_set(cancel)) return;
    int64_t k[$D];
    $T c[$D], s[$D];
    for (int i = 0; i < $D; ++i) k[i] = first + i < last ? first + i : last;
    some_roots_$F(k, n, c, s);
    for (int i = 0; i < $D; ++i)
      for (int half = 0; half < (parts == 4 && k[i] > 0 && 2 * k[i] < m ? 2 : 1); ++half) {
        const int64_t at = half ? m - k[i] : k[i];
        $T x = half ? s[i] : c[i], y = half ? -c[i] : -s[i];
        for (int64_t part = 0; part < parts; ++part) {
          re[step * (at + part * m)] = x;
          im[step * (at + part * m)] = y;
          const $T turned = y;
          y = -x;
          x = turned;
        }
      }
  }
}
)";

inline constexpr std::string_view kAnyColumns =
    R"(/* Transforms `width` adjacent columns of n > 1 elements. Passes read one half of `spare` (4 n width elements) and write the other half; the
   first pass reads the source, and the last one writes the result. */
static void dft_columns_$F(int64_t n, const $T* roots, int64_t width, const $T* re, const $T* im, int64_t step, $T* to_re, $T* to_im, int64_t to_step, $T* spare) {
  struct dft_pass_$F pass = {.n = n, .roots = roots, .re = re, .im = im, .step = step};
  $T *next = spare, *other = spare + 2 * n * width;
  for (int64_t length = n, done = 1; length > 1;) {
    const int64_t p = dft_factor(length);
    length /= p;
    pass.m = length;
    pass.done = done;
    pass.to_re = length == 1 ? to_re : next;
    pass.to_im = length == 1 ? to_im : next + n * width;
    pass.to_step = length == 1 ? to_step : width;
    const int is_whole = pass.step == width && pass.to_step == width; /* the rows of all places are contiguous */
    pass.places = is_whole ? 1 : done;
    pass.width = is_whole ? width * done : width;
    if (is_whole) pass.step = pass.to_step = pass.width;
    $CALLS
    pass.re = pass.to_re;
    pass.im = pass.to_im;
    pass.step = width;
    next = other;
    other = pass.to_re;
    done *= p;
  }
}
)";

// The pass by factor $P for separate real and imaginary parts. It assigns the layout once more, as a constant, so that the compiler removes
// the code for other layouts.
inline constexpr std::string_view kAnyPass =
    R"(static __attribute__((noinline)) void dft_any_by_$P_$F(const struct dft_pass_$F* pass) {
  struct dft_pass_$F x = *pass; /* a copy, because stores of vectors may alias *pass */
  x.layout = x.to_layout = dft_separate;
  x.turn_re = x.turn_im = 0;
  x.is_cut = 0;
  dft_pass_by_$P_$F(x);
}
)";

inline constexpr std::string_view kTimes =
    R"(/* Products of n complex numbers, n >= $L. The result must not overlap the operands, because the last step overlaps the one before it. */
static void dft_times_$F(int64_t n, const $T* a_re, const $T* a_im, const $T* b_re, const $T* b_im, $T* re, $T* im) {
  for (int64_t q = 0; q < n; q += $L) {
    const int64_t at = q + $L <= n ? q : n - $L;
    const $V a = *(const $V*)(a_re + at), b = *(const $V*)(a_im + at), c = *(const $V*)(b_re + at), d = *(const $V*)(b_im + at);
    *($V*)(re + at) = $FMA(a, c, -(b * d));
    *($V*)(im + at) = $FMA(a, d, b * c);
  }
}
)";

inline constexpr std::string_view kTile =
    R"(/* The number of columns of n elements that are transformed at a time, so that they stay in the L1 cache if possible. */
static int64_t dft_tile_$F(int64_t n, int64_t columns) {
  const int64_t tile = 2048 / n / $L * $L;
  return tile > columns ? columns : tile > $L ? tile : $L;
}
)";

inline constexpr std::string_view kRowTables =
    R"(static int64_t dft_row_tables_size_$F(int64_t n) {
  const int64_t r = dft_matrix_rows(n), m = n / r, tile = dft_tile_$F(r, m);
  return r == 1 ? 2 * n : 2 * (m + r) + 2 * r * ((m + tile - 1) / tile * tile);
}
/* Fills the tables of a row: for a short row, roots of 1. For a matrix of r rows, roots for its rows and columns, and the twiddle factors
   between them by tiles of columns; each row of a tile has real parts, then imaginary parts. `spare` holds 2 n elements. */
static void dft_row_tables_$F(int64_t n, $T* tables, $T* spare, const volatile int32_t* cancel) {
  const int64_t r = dft_matrix_rows(n), m = n / r, tile = dft_tile_$F(r, m);
  roots_$F(m, tables, tables + m, 1, cancel);
  if (r == 1) return;
  $T* turn = tables + 2 * (m + r);
  roots_$F(r, tables + 2 * m, tables + 2 * m + r, 1, cancel);
  roots_$F(n, spare, spare + 1, 2, cancel); /* in pairs, because they are read far apart: so each is in one cache line */
  for (int64_t k = 0; k < m; k += tile) {
    if (harp_is_set(cancel)) return;
    const int64_t at = k + tile <= m ? k : m - tile;
    for (int64_t u = 0; u < r; ++u, turn += 2 * tile)
      for (int64_t q = 0; q < tile; ++q) {
        turn[q] = spare[2 * u * (at + q)];
        turn[tile + q] = spare[2 * u * (at + q) + 1];
      }
  }
}
)";

inline constexpr std::string_view kMatrix =
    R"(/* Transforms a long row as a matrix of r rows: first its columns, then its rows. In between the matrix is stored by tiles, each in the order
   in which it is read. */
static void dft_matrix_$F(int64_t n, int64_t r, const $T* tables, const $T* re, const $T* im, $T* out_re, $T* out_im, $T* spare, const volatile int32_t* cancel) {
  const int64_t m = n / r, tile = dft_tile_$F(r, m), lines = dft_tile_$F(m, r);
  const $T *const roots = tables + 2 * m, *const turns = roots + 2 * r;
  $T *const turned = spare, *const rest = turned + 2 * m * ((r + lines - 1) / lines * lines);
  $T *const re_tile = rest, *const im_tile = re_tile + r * tile, *const work = im_tile + r * tile;
  for (int64_t k = 0; k < m; k += tile) {
    if (harp_is_set(cancel)) return;
    const int64_t at = k + tile <= m ? k : m - tile;
    dft_columns_$F(r, roots, tile, re + at, im + at, m, re_tile, im_tile, tile, work);
    for (int64_t u = 0; u < r; ++u) {
      const int64_t row = u * tile;
      const $T* const turn = turns + 2 * (k * r + row);
      dft_times_$F(tile, re_tile + row, im_tile + row, turn, turn + tile, work + row, work + r * tile + row);
    }
    for (int64_t u = 0; u < r; u += lines) {
      const int64_t from = (u + lines <= r ? u : r - lines) * tile;
      $T* const to = turned + 2 * (u * m + at * lines);
      $TRANSPOSE(to, 2 * lines, work + from, tile, tile, lines);
      $TRANSPOSE(to + lines, 2 * lines, work + r * tile + from, tile, tile, lines);
    }
  }
  for (int64_t u = 0; u < r; u += lines) {
    if (harp_is_set(cancel)) return;
    const int64_t at = u + lines <= r ? u : r - lines;
    dft_columns_$F(m, tables, lines, turned + 2 * u * m, turned + 2 * u * m + lines, 2 * lines, out_re + at, out_im + at, r, rest);
  }
}
)";

inline constexpr std::string_view kShortRows =
    R"(/* The number of short rows that are transformed together: whole vectors of them. */
static int64_t dft_together_$F(int64_t n, int64_t rows) { return dft_tile_$F(n, (rows + $L - 1) / $L * $L); }
/* Transforms short rows, several at a time: element k of all of them is row k of a matrix whose columns are transformed. If im_step is 0, all
   imaginary parts are +0. */
static void dft_short_rows_$F(const $T* re, const $T* im, int64_t im_step, int64_t rows, int64_t n, $T* out_re, $T* out_im, int64_t stored, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  const int64_t together = dft_together_$F(n, rows);
  $T *const side_re = spare, *const side_im = side_re + n * together, *const work = side_im + n * together;
  for (int64_t i = 0; rows < together && i < 2 * n * together; ++i) side_re[i] = 0; /* for lanes without a row */
  for (int64_t row = 0; row < rows; row += together) {
    if (harp_is_set(cancel)) return;
    const int64_t count = row + together < rows ? together : rows - row, width = (count + $L - 1) / $L * $L;
    $TRANSPOSE(side_re, width, re + row * n, n, n, count);
    if (im_step > 0) $TRANSPOSE(side_im, width, im + row * im_step, im_step, n, count);
    for (int64_t i = 0; im_step == 0 && i < n * width; ++i) side_im[i] = 0;
    if (n > 1) dft_columns_$F(n, tables, width, side_re, side_im, width, side_re, side_im, width, work);
    $TRANSPOSE(out_re + row * stored, stored, side_re, width, count, stored);
    $TRANSPOSE(out_im + row * stored, stored, side_im, width, count, stored);
  }
}
)";

inline constexpr std::string_view kAnyRows =
    R"(/* Transforms rows of a length whose prime factors are at most 13. Short rows are stored with their first `stored` elements, others whole. */
static void dft_rows_$F(const $T* re, const $T* im, int64_t im_step, int64_t rows, int64_t n, $T* out_re, $T* out_im, int64_t stored, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  if (dft_matrix_rows(n) == 1) {
    dft_short_rows_$F(re, im, im_step, rows, n, out_re, out_im, stored, tables, spare, cancel);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    dft_matrix_$F(n, dft_matrix_rows(n), tables, re + row * n, im + row * im_step, out_re + row * n, out_im + row * n, spare, cancel);
}
static void dft_row_$F(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  dft_rows_$F(re, im, n, 1, n, to_re, to_im, n, tables, spare, cancel);
}
)";

// The body of a function that transforms rows of n elements, of which the first `stored` of the result are stored. $PREPARE: statements
// that fill tables. $TOGETHER: the number of rows whose real and imaginary parts are separated at a time. $TRANSFORM: the transform of
// `count` rows.
inline constexpr std::string_view kRowsOfPairs =
    R"(  const int64_t im_step = from_im ? n : 0;
  if (!from_im) {
    for (int64_t k = 0; k < n; ++k) spare[k] = 0;
    from_im = spare;
    spare += (n + 15) / 16 * 16; /* whole cache lines, so that vectors of what follows do not cross lines */
  }
$PREPARE  const int has_pairs = from == 2 || to == 2;
  const int64_t together = has_pairs ? $TOGETHER : rows, separated = has_pairs ? (together * n + 15) / 16 * 16 : 0;
  $T *const x = spare, *const y = x + separated;
  spare = y + separated;
  for (int64_t row = 0; row < rows; row += together) {
    if (harp_is_set(cancel)) return;
    const int64_t count = rows - row < together ? rows - row : together;
    const $T *re = from_re + from * n * row, *im = from_im + from * im_step * row;
    $T *out_re = to_re + to * stored * row, *out_im = to_im + to * stored * row;
    if (from == 2) {
      dft_unzip_$F(n * count, re, im, x, y);
      re = x, im = y;
    }
    if (to == 2) out_re = x, out_im = y;
    $TRANSFORM
    if (to == 2) dft_zip_$F(stored * count, x, y, to_re + 2 * stored * row, to_im + 2 * stored * row);
  }
}
)";

// Tables for lengths that are known only at run time. A call that meets a new length while another call fills tables does not wait for it.
inline constexpr std::string_view kKeptTables =
    R"(/* The tables of the first lengths that calls meet. They are kept for later calls. */
enum { dft_kept_elements_$F = 131072, dft_kept_lengths_$F = 32 };
static $T dft_kept_$F[dft_kept_elements_$F] __attribute__((aligned(64)));
static struct {
  int64_t n;
  const $T* tables;
} dft_kept_by_length_$F[dft_kept_lengths_$F];
/* Returns the tables for n elements: kept ones, or those that this call fills. They are kept if there is room and no other call fills tables
   at this moment; otherwise they are in `own`, and `spare` begins after that. */
static const $T* dft_tables_for_$F(int64_t n, int is_convolution, int64_t size, $T* own, $T* spare, const volatile int32_t* cancel) {
  static int is_filling, lengths;
  static int64_t used;
  for (int i = 0; i < dft_kept_lengths_$F; ++i) {
    const int64_t known = __atomic_load_n(&dft_kept_by_length_$F[i].n, __ATOMIC_ACQUIRE);
    if (known == n) return dft_kept_by_length_$F[i].tables;
    if (known == 0) break;
  }
  const int is_first = !__atomic_exchange_n(&is_filling, 1, __ATOMIC_ACQUIRE);
  const int is_kept = is_first && lengths < dft_kept_lengths_$F && size <= dft_kept_elements_$F - used;
  $T* const tables = is_kept ? dft_kept_$F + used : own;
  if (is_kept) cancel = harp_flag(0); /* later calls read these tables, so they must be complete; they are filled in about a millisecond */
  if (is_convolution) dft_convolution_tables_$F(n, tables, spare, cancel);
  else dft_row_tables_$F(n, tables, spare, cancel);
  if (is_kept) {
    dft_kept_by_length_$F[lengths].tables = tables;
    __atomic_store_n(&dft_kept_by_length_$F[lengths].n, n, __ATOMIC_RELEASE);
    lengths += 1;
    used += (size + 15) / 16 * 16;
  }
  if (is_first) __atomic_store_n(&is_filling, 0, __ATOMIC_RELEASE);
  return tables;
}
)";

// The transform for any length. The beginning of `spare` is for tables that are not kept, the rest is workspace. $BODY: kRowsOfPairs.
inline constexpr std::string_view kOfAnyLength =
    R"(/* The discrete Fourier transform of rows of n elements, of which the first `stored` of the result are stored. `from` and `to`: the distance
   from one real part to the next. If it is 2, imaginary parts are in between; such a row is separated, transformed in place, and put
   together; several short rows at a time. Only such results may be shorter than n. Without from_im, all imaginary parts are +0; one row
   of them serves all rows. */
static __attribute__((noinline)) void dft_$F(const $T* from_re, const $T* from_im, int64_t from, int64_t rows, int64_t n, $T* to_re, $T* to_im, int64_t to, int64_t stored, $T* spare, const volatile int32_t* cancel) {
  if (rows <= 0 || n <= 0) return;
$BODY)";
inline constexpr std::string_view kPrepareAny = R"(  const int is_convolution = !dft_has_small_factors(n);
  const int64_t m = is_convolution ? dft_convolution_length(n) : n;
  const int64_t size = (is_convolution ? 2 * n + 2 * m : 0) + dft_row_tables_size_$F(m);
  const $T* const tables = dft_tables_for_$F(n, is_convolution, size, spare, spare + size, cancel);
  if (harp_is_set(cancel)) return;
  spare += size;
)";
inline constexpr std::string_view kTransformAny =
    R"(if (!is_convolution) dft_rows_$F(re, im, im_step, count, n, out_re, out_im, stored, tables, spare, cancel);
    else if (dft_matrix_rows(m) == 1) dft_convolved_side_by_side_$F(re, im, im_step, count, n, out_re, out_im, stored, tables, spare, cancel);
    else dft_convolved_rows_$F(re, im, im_step, count, n, out_re, out_im, tables, spare, cancel);)";

// The tables for $N elements. $KIND: "row" or "convolution".
inline constexpr std::string_view kTables = "static $T dft_tables_$G[$TABLES] __attribute__((aligned(64)));\n";
inline constexpr std::string_view kAtLoad = R"(static $T dft_spare_$G[$SPARE];
static __attribute__((constructor)) void dft_prepare_$G(void) {
  const harp_environment found = harp_enter();
  dft_$KIND_tables_$H($N, dft_tables_$G, dft_spare_$G, harp_flag(0)); /* cannot be cancelled */
  harp_leave(found);
}
)";

// Stores the additional element of the first $REST lines of the matrix, of which one element more is stored than of the other lines.
inline constexpr std::string_view kLastOfLines = R"(
      for (int64_t line = at; line < $REST && line < at + $RT; ++line) {
        to_re[$B * ($KEPT * $R + line)] = beyond[line - at];
        to_im[$B * ($KEPT * $R + line)] = beyond[$RT + line - at];
      })";

// The transform for a known length. $A, $B: the distance between consecutive real parts in the input and in the output, 1 or 2.
inline constexpr std::string_view kKnownMatrix =
    R"(/* The discrete Fourier transform of rows of $N elements, each as a matrix of $R rows and $M columns. Between the two steps the matrix is
   stored by tiles, each in the order in which it is read, because its rows may be whole pages apart. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t row_step, $T* to_re, $T* to_im, int64_t to_row_step, int64_t rows, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  const $T *const column_roots = tables + 2 * $M, *const turns = column_roots + 2 * $R;
  $T *const turned = spare, *const work = turned + $TURNED, *const tile_re = work$RESULT, *const tile_im = tile_re + $CT$WHERE;
  for (int64_t row = 0; row < rows; ++row, re += row_step, im += row_step, to_re += to_row_step, to_im += to_row_step) {
    for (int64_t k = 0; k < $M; k += $CT) {
      if (harp_is_set(cancel)) return;
      const int64_t at = k + $CT <= $M ? k : $M - $CT;
      const $T* const turn = turns + 2 * $R * k;
      $COLUMNS(re + $A * at, im + $A * at, $A * $M, tile_re, tile_im, 2 * $CT, $CT, column_roots, turn, turn + $CT, 2 * $CT, work);
      for (int64_t u = 0; u < $R; u += $RT) {
        const int64_t from = 2 * $CT * (u + $RT <= $R ? u : $R - $RT);
        $T* const to = turned + 2 * ($M * u + $RT * at);
        $TRANSPOSE(to, 2 * $RT, tile_re + from, 2 * $CT, $CT, $RT);
        $TRANSPOSE(to + $RT, 2 * $RT, tile_im + from, 2 * $CT, $CT, $RT);
      }
    }
    for (int64_t u = 0; u < $R; u += $RT) {
      if (harp_is_set(cancel)) return;
      const int64_t at = u + $RT <= $R ? u : $R - $RT;
      const $T* const lines = turned + 2 * $M * u;
      $LINES(lines, lines + $RT, 2 * $RT, to_re + $B * at, to_im + $B * at, $B * $R, $RT, tables, $BEYONDwork);$LAST
    }
  }
}
)";

inline constexpr std::string_view kKnownShortRows =
    R"(/* The discrete Fourier transform of rows of $N elements, $L at a time, one in each lane of a vector. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t row_step, $T* to_re, $T* to_im, int64_t to_row_step, int64_t rows, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  $T *const side = spare, *const to_side = side + 2 * $N * $L, *const work = to_side + 2 * $N * $L;
  const int64_t together = rows < $L ? rows : $L;
  for (int64_t i = 0; i < 2 * $N * $L; ++i) side[i] = 0; /* for the last rows, if there are fewer than $L */
  for (int64_t row = 0; row < rows; row += $L) {
    if (harp_is_set(cancel)) return;
    const int64_t at = row + together <= rows ? row : rows - together;
    $READ
    $COLUMNS($SIDE, $TOSIDE, $L, tables, work);
    $WRITE
  }
}
)";

inline constexpr std::string_view kKnownColumns =
    R"(/* The discrete Fourier transform of at least $CT columns of $N elements. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t step, $T* to_re, $T* to_im, int64_t to_step, int64_t columns, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  for (int64_t column = 0; column < columns; column += $CT) {
    if (harp_is_set(cancel)) return;
    const int64_t at = column + $CT <= columns ? column : columns - $CT;
    $COLUMNS(re + $A * at, im + $A * at, step, to_re + $B * at, to_im + $B * at, to_step, $CT, tables, spare);
  }
}
)";

// The table of twiddle factors is the one of kKnownMatrix. It consists of tiles; $TILE is the number of matrix columns in a tile.
inline constexpr std::string_view kKnownLongColumns =
    R"(/* The discrete Fourier transform of at least $CT columns of $N elements, of $CT together. Each column is treated as a matrix of $R rows and
   $M columns; `turned` has the same element of all of them side by side. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t step, $T* to_re, $T* to_im, int64_t to_step, int64_t columns, const $T* tables, $T* spare, const volatile int32_t* cancel) {
  const $T *const column_roots = tables + 2 * $M, *const turns = column_roots + 2 * $R;
  $T *const turned = spare, *const work = turned + 2 * $CT * $N;
  for (int64_t column = 0; column < columns; column += $CT) {
    const int64_t at = column + $CT <= columns ? column : columns - $CT;
    for (int64_t k = 0; k < $M; ++k) {
      if (harp_is_set(cancel)) return;
      const int64_t tile = k / $TILE * $TILE, in_tile = k - (tile + $TILE <= $M ? tile : $M - $TILE), from = $A * at + k * step;
      const $T* const turn = turns + 2 * $R * tile + in_tile;
      $T* const to = turned + 2 * $CT * k;
      $COLUMNS(re + from, im + from, $M * step, to, to + $CT, 2 * $CT * $M, $CT, column_roots, turn, turn + $TILE, 2 * $TILE, work);
    }
    for (int64_t u = 0; u < $R; ++u) {
      if (harp_is_set(cancel)) return;
      const int64_t from = 2 * $CT * $M * u, to = $B * at + u * to_step;
      $LINES(turned + from, turned + from + $CT, 2 * $CT, to_re + to, to_im + to, $R * to_step, $CT, tables, $KEPTwork);
    }
  }
}
)";

}  // namespace harp::render
