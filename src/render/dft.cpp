// The routine that transforms rows of numbers. Everything is done to columns that lie side by side (dft_passes.h). A long row is a matrix
// whose columns are transformed and turned, and whose rows, transposed, are columns again; short rows are transposed, a vector's lanes of
// them at a time; short columns are columns. Lengths with large prime factors go through Bluestein's convolution. What depends on the
// length only, roots of 1 for the most part, is in tables: of a length that is known they are computed when the unit is loaded, else by
// each call. A known length has passes of its own, whose loops are known as well.
#include <set>

#include "base/text.h"
#include "ops/transform_parts.h"
#include "render/dft_passes.h"
#include "render/types.h"

namespace harp::render {
namespace {

// $T stands for the element's type, $V for that of $L of them, $F for the name of the dtype, $COS and $SIN for functions of f64.

constexpr std::string_view kFactor =
    R"(/* The factor of n that comes first; 0: n has a prime factor above 13. 4 comes before 2 wherever it leaves no 2 over. */
static int64_t dft_factor(int64_t n) {
  if (n % 32 == 0 || n % 16 == 8) return 8;
  if (n % 4 == 0) return 4;
  return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n % 7 == 0 ? 7 : n % 11 == 0 ? 11 : n % 13 == 0 ? 13 : 0;
}
)";

constexpr std::string_view kHasSmallFactors = R"(static int dft_has_small_factors(int64_t n) {
  while (n > 1) {
    const int64_t p = dft_factor(n);
    if (p == 0) return 0;
    n /= p;
  }
  return 1;
}
)";

constexpr std::string_view kMatrixRows =
    R"(/* The rows of the matrix that n elements are cut into, about as many as columns; 1: they are not. */
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

constexpr std::string_view kConvolutionLength =
    R"(/* That of the transforms which a convolution of n elements goes through: 2^i or 3 times that. */
static int64_t dft_convolution_length(int64_t n) {
  int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  return m / 4 * 3 >= 2 * n - 1 ? m / 4 * 3 : m;
}
)";

constexpr std::string_view kRoots = R"(/* cos and sin of 2 pi k / n for 0 <= k < n, from an angle of at most pi / 4. */
static void root_$F(int64_t k, int64_t n, $T* c, $T* s) {
  const int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n, far = 2 * rest > n;
  const double angle = (double)(far ? n - rest : rest) / (double)n * 0x1.921fb54442d18p+0;
  const double near_axis = $COS(angle), off_axis = $SIN(angle);
  const double x = far ? off_axis : near_axis, y = far ? near_axis : off_axis;
  *c = ($T)(quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y);
  *s = ($T)(quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x);
}
/* The n-th roots of 1, clockwise: real parts, then imaginary parts. Where n has quarters, the others are the first one turned. */
static void roots_$F(int64_t n, $T* roots) {
  const int64_t parts = n % 4 == 0 ? 4 : 1, m = n / parts;
  for (int64_t k = 0; k < m; ++k) {
    $T c, s;
    root_$F(k, n, &c, &s);
    for (int64_t part = 0; part < parts; ++part) {
      roots[k + part * m] = c;
      roots[n + k + part * m] = -s;
      const $T turned = -s;
      s = c;
      c = turned;
    }
  }
}
)";

constexpr std::string_view kAnyColumns =
    R"(/* Columns of n elements, n above 1, side by side: `width` of them. Passes go from one part of `spare` to the other, 4 n width elements in
   all, but for the first, which reads the source, and the last, which stores the result. */
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
    const int is_whole = pass.step == width && pass.to_step == width; /* the rows of all places lie side by side */
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

// Of numbers whose parts lie apart, which is said here once more so that nothing else is made of it.
constexpr std::string_view kAnyPass =
    R"(static __attribute__((noinline)) void dft_any_by_$P_$F(const struct dft_pass_$F* pass) {
  struct dft_pass_$F x = *pass; /* of its own: stores of vectors may alias anything that is elsewhere */
  x.lie = x.to_lie = dft_apart;
  x.turn_re = x.turn_im = 0;
  dft_pass_by_$P_$F(x);
}
)";

constexpr std::string_view kTimes =
    R"(/* Products of n numbers, at least $L; they are stored elsewhere, as the last step overlaps the one before. */
static void dft_times_$F(int64_t n, const $T* a_re, const $T* a_im, const $T* b_re, const $T* b_im, $T* re, $T* im) {
  for (int64_t q = 0; q < n; q += $L) {
    const int64_t at = q + $L <= n ? q : n - $L;
    const $V a = *(const $V*)(a_re + at), b = *(const $V*)(a_im + at), c = *(const $V*)(b_re + at), d = *(const $V*)(b_im + at);
    *($V*)(re + at) = $FMA(a, c, -(b * d));
    *($V*)(im + at) = $FMA(a, d, b * c);
  }
}
)";

constexpr std::string_view kTile =
    R"(/* As many columns of n elements at a time as are side by side and leave them in the first cache, if that is possible. */
static int64_t dft_tile_$F(int64_t n, int64_t columns) {
  const int64_t tile = 2048 / n / $L * $L;
  return tile > columns ? columns : tile > $L ? tile : $L;
}
)";

constexpr std::string_view kRowTables =
    R"(/* Of a matrix of r rows: roots for rows and for columns, and the turns between them. Of a short row: roots. `spare` holds 2 n elements. */
static void dft_row_tables_$F(int64_t n, $T* tables, $T* spare) {
  const int64_t r = dft_matrix_rows(n), m = n / r;
  roots_$F(m, tables);
  if (r == 1) return;
  $T* const turns = tables + 2 * (m + r);
  roots_$F(r, tables + 2 * m);
  roots_$F(n, spare);
  for (int64_t u = 0; u < r; ++u)
    for (int64_t k = 0; k < m; ++k) {
      turns[u * m + k] = spare[u * k];
      turns[n + u * m + k] = spare[n + u * k];
    }
}
)";

constexpr std::string_view kMatrix = R"(/* A long row, as a matrix of r rows. */
static void dft_matrix_$F(int64_t n, int64_t r, const $T* tables, const $T* re, const $T* im, $T* out_re, $T* out_im, $T* spare) {
  const int64_t m = n / r;
  const $T *const roots = tables + 2 * m, *const turns = roots + 2 * r;
  $T *const turned_re = spare, *const turned_im = spare + n;
  int64_t tile = dft_tile_$F(r, m);
  $T *const re_tile = spare + 2 * n, *const im_tile = re_tile + r * tile, *const work = im_tile + r * tile;
  for (int64_t k = 0; k < m; k += tile) {
    const int64_t at = k + tile <= m ? k : m - tile;
    dft_columns_$F(r, roots, tile, re + at, im + at, m, re_tile, im_tile, tile, work);
    for (int64_t u = 0; u < r; ++u) {
      const int64_t row = u * tile, turn = u * m + at;
      dft_times_$F(tile, re_tile + row, im_tile + row, turns + turn, turns + n + turn, work + row, work + r * tile + row);
    }
    $TRANSPOSE(turned_re + at * r, r, work, tile, tile, r);
    $TRANSPOSE(turned_im + at * r, r, work + r * tile, tile, tile, r);
  }
  tile = dft_tile_$F(m, r);
  for (int64_t u = 0; u < r; u += tile) {
    const int64_t at = u + tile <= r ? u : r - tile;
    dft_columns_$F(m, tables, tile, turned_re + at, turned_im + at, r, out_re + at, out_im + at, r, spare + 2 * n);
  }
}
)";

constexpr std::string_view kShortRows = R"(/* Short rows, so many side by side as vectors have lanes. */
static void dft_short_rows_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare) {
  $T *const side_re = spare, *const side_im = side_re + n * $L, *const work = side_im + n * $L;
  for (int64_t i = 0; i < 2 * n * $L; ++i) side_re[i] = 0; /* there may be fewer */
  for (int64_t row = 0; row < rows; row += $L) {
    const int64_t count = row + $L < rows ? $L : rows - row;
    $TRANSPOSE(side_re, $L, re + row * n, n, n, count);
    $TRANSPOSE(side_im, $L, im + row * n, n, n, count);
    if (n > 1) dft_columns_$F(n, tables, $L, side_re, side_im, $L, side_re, side_im, $L, work);
    $TRANSPOSE(out_re + row * n, n, side_re, $L, count, n);
    $TRANSPOSE(out_im + row * n, n, side_im, $L, count, n);
  }
}
)";

constexpr std::string_view kKnownRow =
    R"(static void $ROW(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* tables, $T* spare) {
  $ROWS(re, im, n, to_re, to_im, n, 1, tables, spare);
}
)";

constexpr std::string_view kAnyRows = R"(/* Of a length with small factors. */
static void dft_rows_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare) {
  if (dft_matrix_rows(n) == 1) {
    dft_short_rows_$F(re, im, rows, n, out_re, out_im, tables, spare);
    return;
  }
  for (int64_t row = 0; row < rows; ++row)
    dft_matrix_$F(n, dft_matrix_rows(n), tables, re + row * n, im + row * n, out_re + row * n, out_im + row * n, spare);
}
static void dft_row_$F(int64_t n, const $T* re, const $T* im, $T* to_re, $T* to_im, const $T* tables, $T* spare) {
  dft_rows_$F(re, im, 1, n, to_re, to_im, tables, spare);
}
)";

// $G: the name of the dtype and, of a known length, that; $ROW: what transforms a row of the convolution's length.
constexpr std::string_view kConvolution =
    R"(/* Rows of a length with a large prime factor: with u[k] = exp(-i pi k k / n) the transform is u times the convolution of u x with
   conj(u), and that goes through transforms of m elements. The tables are u, the transform of the filter, and those for m elements. */
static void dft_convolution_tables_$G(int64_t n, $T* tables, $T* spare) {
  const int64_t m = dft_convolution_length(n);
  $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m;
  $T *const row_tables = filter_im + m, *const x_re = spare, *const x_im = x_re + m;
  for (int64_t k = 0, square = 0; k < n; ++k) { /* square: k k modulo 2 n */
    root_$F(square, 2 * n, u_re + k, u_im + k);
    u_im[k] = -u_im[k];
    square = (square + 2 * k + 1) % (2 * n);
  }
  const $T share = 1 / ($T)m;
  for (int64_t k = 0; k < m; ++k) {
    const int64_t from = k < n ? k : m - k < n ? m - k : -1;
    x_re[k] = from < 0 ? 0 : u_re[from] * share;
    x_im[k] = from < 0 ? 0 : -u_im[from] * share;
  }
  dft_row_tables_$F(m, row_tables, x_im + m);
  $ROW(m, x_re, x_im, filter_re, filter_im, row_tables, x_im + m);
}
static void dft_convolved_rows_$G(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare) {
  const int64_t m = dft_convolution_length(n);
  const $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m, *const row_tables = filter_im + m;
  $T *const x_re = spare, *const x_im = x_re + m, *const y_re = x_im + m, *const y_im = y_re + m, *const work = y_im + m;
  for (int64_t row = 0; row < rows; ++row, re += n, im += n, out_re += n, out_im += n) {
    dft_times_$F(n, re, im, u_re, u_im, x_re, x_im);
    for (int64_t k = n; k < m; ++k) x_re[k] = 0, x_im[k] = 0;
    $ROW(m, x_re, x_im, y_re, y_im, row_tables, work);
    dft_times_$F(m, y_re, y_im, filter_re, filter_im, x_re, x_im);
    $ROW(m, x_im, x_re, y_im, y_re, row_tables, work); /* backwards: the parts change places before and after */
    dft_times_$F(n, y_re, y_im, u_re, u_im, out_re, out_im);
  }
}
)";

// Tables are made for each call, in front of the rest of `spare`.
constexpr std::string_view kOfAnyLength =
    R"(/* The discrete Fourier transform of rows of n elements. */
static __attribute__((noinline)) void dft_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, $T* spare) {
  if (rows <= 0 || n <= 0) return;
  if (dft_has_small_factors(n)) {
    dft_row_tables_$F(n, spare, spare + 3 * n);
    dft_rows_$F(re, im, rows, n, out_re, out_im, spare, spare + 3 * n);
  } else {
    $T* const rest = spare + 2 * n + 5 * dft_convolution_length(n);
    dft_convolution_tables_$F(n, spare, rest);
    dft_convolved_rows_$F(re, im, rows, n, out_re, out_im, spare, rest);
  }
}
)";

// Tables of $N elements; $KIND: row or convolution.
constexpr std::string_view kTables = "static $T dft_tables_$G[$TABLES];\n";
constexpr std::string_view kAtLoad = R"(static $T dft_spare_$G[$SPARE];
static __attribute__((constructor)) void dft_prepare_$G(void) {
  const harp_environment found = harp_enter();
  dft_$KIND_tables_$H($N, dft_tables_$G, dft_spare_$G);
  harp_leave(found);
}
)";

constexpr std::string_view kConvolvedRows = R"(/* The discrete Fourier transform of rows of $N elements. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, $T* spare) {
  if (rows > 0) dft_convolved_rows_$G(re, im, rows, n, out_re, out_im, dft_tables_$G, spare);
}
)";

// Of a known length. $A and $B: how far apart numbers lie that are read and written, 1 or 2.
constexpr std::string_view kKnownMatrix =
    R"(/* The discrete Fourier transform of rows of $N elements, each a matrix of $R rows and $M columns. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t row_step, $T* to_re, $T* to_im, int64_t to_row_step, int64_t rows, const $T* tables, $T* spare) {
  const $T *const column_roots = tables + 2 * $M, *const turns = column_roots + 2 * $R;
  $T *const turned_re = spare, *const turned_im = turned_re + $N, *const work = turned_im + $N, *const tile_re = work$RESULT, *const tile_im = tile_re + $R * $CT;
  for (int64_t row = 0; row < rows; ++row, re += row_step, im += row_step, to_re += to_row_step, to_im += to_row_step) {
    for (int64_t k = 0; k < $M; k += $CT) {
      const int64_t at = k + $CT <= $M ? k : $M - $CT;
      $COLUMNS(re + $A * at, im + $A * at, $A * $M, tile_re, tile_im, $CT, $CT, column_roots, turns + at, turns + $N + at, $M, work);
      $TRANSPOSE(turned_re + at * $R, $R, tile_re, $CT, $CT, $R);
      $TRANSPOSE(turned_im + at * $R, $R, tile_im, $CT, $CT, $R);
    }
    for (int64_t u = 0; u < $R; u += $RT) {
      const int64_t at = u + $RT <= $R ? u : $R - $RT;
      $LINES(turned_re + at, turned_im + at, $R, to_re + $B * at, to_im + $B * at, $B * $R, $RT, tables, work);
    }
  }
}
)";

constexpr std::string_view kKnownShortRows =
    R"(/* The discrete Fourier transform of rows of $N elements, $L of them side by side. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t row_step, $T* to_re, $T* to_im, int64_t to_row_step, int64_t rows, const $T* tables, $T* spare) {
  $T *const side = spare, *const to_side = side + 2 * $N * $L, *const work = to_side + 2 * $N * $L;
  const int64_t together = rows < $L ? rows : $L;
  for (int64_t i = 0; i < 2 * $N * $L; ++i) side[i] = 0; /* there may be fewer */
  for (int64_t row = 0; row < rows; row += $L) {
    const int64_t at = row + together <= rows ? row : rows - together;
    $READ
    $COLUMNS($SIDE, $TOSIDE, $L, tables, work);
    $WRITE
  }
}
)";

constexpr std::string_view kKnownColumns =
    R"(/* The discrete Fourier transform of columns of $N elements, $CT of them or more. */
static __attribute__((noinline)) void $NAME(const $T* re, const $T* im, int64_t step, $T* to_re, $T* to_im, int64_t to_step, int64_t columns, const $T* tables, $T* spare) {
  for (int64_t column = 0; column < columns; column += $CT) {
    const int64_t at = column + $CT <= columns ? column : columns - $CT;
    $COLUMNS(re + $A * at, im + $A * at, step, to_re + $B * at, to_im + $B * at, to_step, $CT, tables, spare);
  }
}
)";

constexpr std::string_view kLies[] = {"dft_apart", "dft_pairs", "dft_exchanged"};
std::string name_of(PartsLie from, PartsLie to) {
  constexpr std::string_view names[] = {"", "pairs", "exchanged"};
  const std::string_view one = names[static_cast<size_t>(from)], other = names[static_cast<size_t>(to)];
  return cat(one.empty() ? "" : "_from_", one, other.empty() ? "" : "_to_", other);
}
int distance(PartsLie lie) { return lie == PartsLie::kApart ? 1 : 2; }

/// The factors of passes over columns of n elements, in order.
std::vector<int64_t> factors_of(int64_t n) {
  std::vector<int64_t> factors;
  for (; n > 1; n /= factors.back()) factors.push_back(transform_factor(n));
  return factors;
}

/// Code for one dtype at one width of vectors.
class TransformText {
 public:
  TransformText(Unit& unit, DType dtype, int lanes, const ir::Function& cosine, const ir::Function& sine)
      : unit_(unit),
        dtype_(dtype),
        lanes_(lanes),
        suffix_(harp::name(dtype)),
        values_{{"T", std::string(memory_type(dtype))},
                {"V", unit.type(dtype, lanes)},
                {"L", cat(lanes)},
                {"F", suffix_},
                {"TRANSPOSE", unit.transpose(dtype, false)}} {
    values_["FMA"] = unit.helper(*rule_of(Op::kFma, dtype), dtype, lanes);
    unit.once(cat("dft_roots_", suffix_), [&] {
      values_["COS"] = unit.function(cosine, 1);
      values_["SIN"] = unit.function(sine, 1);
      return filled(kRoots, values_);
    });
    unit.once("dft_factor", [] { return std::string(kFactor); });
    unit.once("dft_matrix_rows", [] { return std::string(kMatrixRows); });
    unit.once(cat("dft_row_tables_", suffix_), [&] { return filled(kRowTables, values_); });
  }

  /// Of any length.
  std::string of_any_length() {
    const std::string name = cat("dft_", suffix_);
    unit_.once("dft_has_small_factors", [] { return std::string(kHasSmallFactors); });
    unit_.once("dft_convolution_length", [] { return std::string(kConvolutionLength); });
    define_transform_passes(unit_, dtype_, lanes_, {8, 4, 2, 3, 5, 7, 11, 13});
    unit_.once(cat("dft_times_", suffix_), [&] { return filled(kTimes, values_); });
    unit_.once(name, [&] {
      std::string passes, calls;
      for (const int64_t p : {8, 4, 2, 3, 5, 7, 11, 13}) {
        values_["P"] = cat(p);
        append(passes, filled(kAnyPass, values_));
        append(calls, cat(calls.empty() ? "" : "\n    else ", "if (p == ", p, ") dft_any_by_", p, "_", suffix_, "(&pass);"));
      }
      values_["CALLS"] = calls;
      values_["G"] = suffix_;
      values_["ROW"] = cat("dft_row_", suffix_);
      return cat(passes, filled(cat(kAnyColumns, kTile, kMatrix, kShortRows, kAnyRows, kConvolution, kOfAnyLength), values_));
    });
    return name;
  }

  /// Of one length with a large prime factor, parts of numbers apart.
  std::string of_convolution(int64_t n, std::string& at_load) {
    const std::string name = cat("dft_", suffix_, "_", n);
    unit_.once("dft_convolution_length", [] { return std::string(kConvolutionLength); });
    const std::string rows = of_rows(convolution_length(n), PartsLie::kApart, PartsLie::kApart);
    unit_.once(cat("dft_times_", suffix_), [&] { return filled(kTimes, values_); });
    unit_.once(name, [&] {
      values_["NAME"] = name;
      values_["N"] = cat(n);
      values_["ROWS"] = rows;
      values_["ROW"] = cat("dft_row_", suffix_, "_", n);
      values_["G"] = cat(suffix_, "_", n);
      return cat(filled(cat(kKnownRow, kConvolution), values_), tables(n, at_load), filled(kConvolvedRows, values_));
    });
    return name;
  }

  /// Rows of one length with small factors, with tables as their last argument but one.
  std::string of_rows(int64_t n, PartsLie from, PartsLie to) {
    const std::string name = cat("dft_rows_", n, name_of(from, to), "_", suffix_);
    const int64_t r = transform_rows(n), m = n / r;
    Filling values = values_;
    values.merge(Filling{{"NAME", name}, {"N", cat(n)}, {"A", cat(distance(from))}, {"B", cat(distance(to))}});
    if (r == 1) {
      // Pairs are transposed as two elements: then they lie apart, a vector of real parts and one of imaginary parts in turn.
      const auto side = [&](PartsLie lie, std::string_view where) {
        const std::string_view second = lie == PartsLie::kApart ? "$N * $L" : "$L", step = lie == PartsLie::kApart ? "$L" : "2 * $L";
        const std::string one(where), other = cat(where, " + ", second);
        const bool exchanged = lie == PartsLie::kInExchangedPairs;
        return filled(cat(exchanged ? other : one, ", ", exchanged ? one : other, ", ", step), values);
      };
      values["SIDE"] = side(from, "side");
      values["TOSIDE"] = side(to, "to_side");
      if (from == PartsLie::kApart)
        values["READ"] = filled(
            "$TRANSPOSE(side, $L, re + at * row_step, row_step, $N, together);\n    "
            "$TRANSPOSE(side + $N * $L, $L, im + at * row_step, row_step, $N, together);",
            values);
      else
        values["READ"] =
            filled(cat("$TRANSPOSE(side, $L, ", from == PartsLie::kInPairs ? "re" : "im", " + at * row_step, row_step, 2 * $N, together);"),
                   values);
      if (to == PartsLie::kApart)
        values["WRITE"] = filled(
            "$TRANSPOSE(to_re + at * to_row_step, to_row_step, to_side, $L, together, $N);\n    "
            "$TRANSPOSE(to_im + at * to_row_step, to_row_step, to_side + $N * $L, $L, together, $N);",
            values);
      else
        values["WRITE"] = filled(cat("$TRANSPOSE(", to == PartsLie::kInPairs ? "to_re" : "to_im",
                                     " + at * to_row_step, to_row_step, to_side, $L, together, 2 * $N);"),
                                 values);
      values["COLUMNS"] = columns(n, PartsLie::kApart, PartsLie::kApart, false);
    } else {
      const int64_t column_tile = tile(r, m), row_tile = tile(m, r);
      values["COLUMNS"] = columns(r, from, PartsLie::kApart, true);
      values["LINES"] = columns(m, PartsLie::kApart, to, false);
      values["R"] = cat(r);
      values["M"] = cat(m);
      values["CT"] = cat(column_tile);
      values["RT"] = cat(row_tile);
      values["RESULT"] = factors_of(r).size() % 2 == 1 ? "" : cat(" + ", 2 * r * column_tile);  // where no pass before the last one is
    }
    unit_.once(name, [&] { return filled(r == 1 ? kKnownShortRows : kKnownMatrix, values); });
    return name;
  }

  /// Columns of one length with small factors, `together` of them or more.
  std::string of_columns(int64_t n, PartsLie from, PartsLie to, int64_t together) {
    const std::string name = cat("dft_columns_", n, name_of(from, to), "_", suffix_);
    Filling values = values_;
    values.merge(Filling{{"NAME", name}, {"N", cat(n)}, {"A", cat(distance(from))}, {"B", cat(distance(to))}, {"CT", cat(together)}});
    values["COLUMNS"] = columns(n, from, to, false);
    unit_.once(name, [&] { return filled(kKnownColumns, values); });
    return name;
  }

  /// The tables of a length that is known, made when the unit is loaded.
  std::string tables(int64_t n, std::string& at_load) {
    const bool is_convolution = !has_small_factors(n);
    Filling values = values_;
    values.merge(Filling{{"N", cat(n)},
                         {"KIND", is_convolution ? "convolution" : "row"},
                         {"TABLES", cat(transform_tables(n))},
                         {"SPARE", cat(transform_spare(n))}});
    values["G"] = cat(suffix_, "_", n);
    values["H"] = is_convolution ? values["G"] : suffix_;
    append(at_load, cat(filled(kAtLoad, values), "\n"));
    return filled(kTables, values);
  }

 private:
  /// As many columns of n elements at a time as leave them in the first cache.
  int64_t tile(int64_t n, int64_t columns) const {
    const int64_t tile = kTransformTile / n / lanes_ * lanes_;
    return tile > columns ? columns : std::max<int64_t>(tile, lanes_);
  }

  /// A function for columns of n elements, side by side: all passes, each knowing its loops.
  std::string columns(int64_t n, PartsLie from, PartsLie to, bool turned) {
    const std::string name = cat("dft_", n, "_columns", name_of(from, to), turned ? "_turned_" : "_", suffix_);
    const std::vector<int64_t> factors = factors_of(n);
    define_transform_passes(unit_, dtype_, lanes_, std::set(factors.begin(), factors.end()));
    unit_.once(name, [&] {
      Filling values = values_;
      values.merge(
          Filling{{"NAME", name}, {"N", cat(n)}, {"TURNS", turned ? "const $T* turn_re, const $T* turn_im, int64_t turn_step, " : ""}});
      values["TURNS"] = filled(values["TURNS"], values);
      std::string text =
          filled(cat("/* Columns of $N elements, side by side: passes by ", join(factors, ", "), turned ? "; what they give is turned" : "",
                     ". */\n"
                     "static inline __attribute__((always_inline)) void $NAME(const $T* re, const $T* im, int64_t step, $T* to_re, $T* "
                     "to_im, int64_t to_step, int64_t width, "
                     "const $T* roots, $TURNS$T* spare) {\n"),
                 values);
      if (factors.size() > 1) append(text, filled("  $T* const one = spare;\n", values));
      if (factors.size() > 2) append(text, filled("  $T* const other = one + 2 * $N * width;\n", values));
      int64_t length = n, done = 1;
      for (size_t i = 0; i < factors.size(); ++i) {
        const bool first = i == 0, last = i + 1 == factors.size();
        length /= factors[i];
        values["P"] = cat(factors[i]);
        values["LENGTH"] = cat(length);
        values["DONE"] = cat(done);
        const std::string before = i % 2 == 1 ? "one" : "other", after = i % 2 == 0 ? "one" : "other";
        values["READS"] = first ? cat(".re = re, .im = im, .step = step, .lie = ", kLies[static_cast<size_t>(from)])
                                : filled(cat(".re = ", before, ", .im = ", before, " + $N * width, .step = width"), values);
        values["WRITES"] = last ? cat(".to_re = to_re, .to_im = to_im, .to_step = to_step, .to_lie = ", kLies[static_cast<size_t>(to)])
                                : filled(cat(".to_re = ", after, ", .to_im = ", after, " + $N * width, .to_step = width"), values);
        values["TURN"] = last && turned ? ", .turn_re = turn_re, .turn_im = turn_im, .turn_step = turn_step" : "";
        append(text, filled("  dft_pass_by_$P_$F((struct dft_pass_$F){.n = $N, .m = $LENGTH, .done = $DONE, .roots = roots, $READS,\n"
                            "      $WRITES$TURN, .places = $DONE, .width = width});\n",
                            values));
        done *= factors[i];
      }
      return cat(text, "}\n");
    });
    return name;
  }

  Unit& unit_;
  DType dtype_;
  int lanes_;
  std::string suffix_;
  Filling values_;
};

}  // namespace

Unit::TransformRoutine Unit::dft(const TransformForm& form, const ir::Function& cosine, const ir::Function& sine) {
  const int lanes = options_.plain_text ? 1 : options_.target.vector_bytes / static_cast<int>(size_of(form.dtype));
  TransformText text(*this, form.dtype, lanes, cosine, sine);
  if (!form.length.is_constant() || form.length.constant() < 2 || !keeps_transform_tables(form.length.constant()))
    return {text.of_any_length(), ""};
  const int64_t n = form.length.constant();
  if (!has_small_factors(n)) return {text.of_convolution(n, loading_), ""};
  const std::string tables = cat("dft_tables_", harp::name(form.dtype), "_", n);
  once(tables, [&] { return text.tables(n, loading_); });
  return {form.columns > 0 ? text.of_columns(n, form.lie, form.to_lie, form.columns) : text.of_rows(n, form.lie, form.to_lie), tables};
}

}  // namespace harp::render
