// The routine that transforms rows of numbers. Everything is done to columns that lie side by side, as many as a vector has lanes or more,
// so that no number ever meets its neighbour: Stockham's passes by factors 4, 2, 3, 5, 7, 11 and 13 go through whole vectors whatever the
// factor. A long row is a matrix whose columns are transformed and turned, and whose rows, transposed, are columns again; short rows are
// transposed, a vector's lanes of them at a time. Lengths with other factors go through Bluestein's convolution. docs/semantics.md says in
// which order everything is added. What depends on the length only, roots of 1 for the most part, is in tables: of a length that is known
// they are computed when the unit is loaded, else by each call.
#include <set>

#include "base/text.h"
#include "ops/transform_parts.h"
#include "render/filled.h"
#include "render/types.h"
#include "render/unit.h"

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

constexpr std::string_view kPass =
    R"(/* One pass over columns of n elements, by a factor p: p times m rows at each of `done` places become as many transforms of p elements. */
struct dft_pass_$F {
  int64_t n, m, done;
  const $T *roots, *re, *im; /* the n-th roots; from where */
  $T *to_re, *to_im;
  int64_t step, to_step; /* from row to row */
  int64_t places, width; /* rows of one place after the other, unless they are one long row */
};
/* Stores x + i y, turned by c + i s. */
static inline __attribute__((always_inline)) void dft_put_$F($T* re, $T* im, $V x, $V y, const int is_turned, $T c, $T s) {
  if (is_turned) {
    *($V*)re = $FMA(x, $SPLAT(c), -(y * s));
    *($V*)im = $FMA(x, $SPLAT(s), y * c);
  } else {
    *($V*)re = x;
    *($V*)im = y;
  }
}
/* p elements, `next` apart, become elements `to_next` apart. The u-th of them is turned by c[u] + i s[u]; the p-th roots of 1 are below. */
struct dft_few_$F {
  const $T *re, *im;
  int64_t next;
  $T *to_re, *to_im;
  int64_t to_next;
};
struct dft_turns_$F {
  $T c[13], s[13], cosines[13], sines[13];
};
)";

constexpr std::string_view kTwo =
    R"(static inline __attribute__((always_inline)) void dft_2_$F(struct dft_few_$F x, const int is_turned, const struct dft_turns_$F* w) {
  const $V a = *(const $V*)x.re, b = *(const $V*)(x.re + x.next), e = *(const $V*)x.im, f = *(const $V*)(x.im + x.next);
  dft_put_$F(x.to_re, x.to_im, a + b, e + f, 0, 0, 0);
  dft_put_$F(x.to_re + x.to_next, x.to_im + x.to_next, a - b, e - f, is_turned, w->c[1], w->s[1]);
}
)";

constexpr std::string_view kFour =
    R"(static inline __attribute__((always_inline)) void dft_4_$F(struct dft_few_$F x, const int is_turned, const struct dft_turns_$F* w) {
  const $V a = *(const $V*)x.re, b = *(const $V*)(x.re + x.next), c = *(const $V*)(x.re + 2 * x.next), d = *(const $V*)(x.re + 3 * x.next);
  const $V e = *(const $V*)x.im, f = *(const $V*)(x.im + x.next), g = *(const $V*)(x.im + 2 * x.next), h = *(const $V*)(x.im + 3 * x.next);
  const $V even_re = a + c, even_im = e + g, odd_re = b + d, odd_im = f + h;
  const $V x_re = a - c, x_im = e - g, y_re = b - d, y_im = f - h;
  dft_put_$F(x.to_re, x.to_im, even_re + odd_re, even_im + odd_im, 0, 0, 0);
  dft_put_$F(x.to_re + x.to_next, x.to_im + x.to_next, x_re + y_im, x_im - y_re, is_turned, w->c[1], w->s[1]);
  dft_put_$F(x.to_re + 2 * x.to_next, x.to_im + 2 * x.to_next, even_re - odd_re, even_im - odd_im, is_turned, w->c[2], w->s[2]);
  dft_put_$F(x.to_re + 3 * x.to_next, x.to_im + 3 * x.to_next, x_re - y_im, x_im + y_re, is_turned, w->c[3], w->s[3]);
}
)";

constexpr std::string_view kEight = R"(/* x + y sqrt(1/2), the root in two parts. */
static inline __attribute__((always_inline)) $V dft_eighth_$F($V x, $V y, $T high, $T low) {
  return $FMA(y, $SPLAT(high), $FMA(y, $SPLAT(low), x));
}
/* Fours of the even elements and of the odd ones, which are turned by eighths. */
static inline __attribute__((always_inline)) void dft_8_$F(struct dft_few_$F x, const int is_turned, const struct dft_turns_$F* w) {
  const $T high = w->cosines[1], low = ($T)(0x1.6a09e667f3bcdp-1 - (double)high - 0x1.bdd3413b26456p-55);
  $V re[8], im[8];
  for (int odd = 0; odd < 2; ++odd) {
    const $T *const from_re = x.re + odd * x.next, *const from_im = x.im + odd * x.next;
    const $V a_re = *(const $V*)from_re, b_re = *(const $V*)(from_re + 2 * x.next), c_re = *(const $V*)(from_re + 4 * x.next), d_re = *(const $V*)(from_re + 6 * x.next);
    const $V a_im = *(const $V*)from_im, b_im = *(const $V*)(from_im + 2 * x.next), c_im = *(const $V*)(from_im + 4 * x.next), d_im = *(const $V*)(from_im + 6 * x.next);
    const $V even_re = a_re + c_re, even_im = a_im + c_im, odd_re = b_re + d_re, odd_im = b_im + d_im;
    const $V x_re = a_re - c_re, x_im = a_im - c_im, y_re = b_re - d_re, y_im = b_im - d_im;
    $V *const to_re = re + 4 * odd, *const to_im = im + 4 * odd;
    to_re[0] = even_re + odd_re, to_im[0] = even_im + odd_im;
    to_re[1] = x_re + y_im, to_im[1] = x_im - y_re;
    to_re[2] = even_re - odd_re, to_im[2] = even_im - odd_im;
    to_re[3] = x_re - y_im, to_im[3] = x_im + y_re;
  }
  const $V near_re = re[5] + im[5], near_im = im[5] - re[5], far_re = re[7] - im[7], far_im = im[7] + re[7];
  const int64_t next = x.to_next;
  dft_put_$F(x.to_re, x.to_im, re[0] + re[4], im[0] + im[4], 0, 0, 0);
  dft_put_$F(x.to_re + next, x.to_im + next, dft_eighth_$F(re[1], near_re, high, low), dft_eighth_$F(im[1], near_im, high, low), is_turned, w->c[1], w->s[1]);
  dft_put_$F(x.to_re + 2 * next, x.to_im + 2 * next, re[2] + im[6], im[2] - re[6], is_turned, w->c[2], w->s[2]);
  dft_put_$F(x.to_re + 3 * next, x.to_im + 3 * next, dft_eighth_$F(re[3], far_re, -high, -low), dft_eighth_$F(im[3], far_im, -high, -low), is_turned, w->c[3], w->s[3]);
  dft_put_$F(x.to_re + 4 * next, x.to_im + 4 * next, re[0] - re[4], im[0] - im[4], is_turned, w->c[4], w->s[4]);
  dft_put_$F(x.to_re + 5 * next, x.to_im + 5 * next, dft_eighth_$F(re[1], near_re, -high, -low), dft_eighth_$F(im[1], near_im, -high, -low), is_turned, w->c[5], w->s[5]);
  dft_put_$F(x.to_re + 6 * next, x.to_im + 6 * next, re[2] - im[6], im[2] + re[6], is_turned, w->c[6], w->s[6]);
  dft_put_$F(x.to_re + 7 * next, x.to_im + 7 * next, dft_eighth_$F(re[3], far_re, high, low), dft_eighth_$F(im[3], far_im, high, low), is_turned, w->c[7], w->s[7]);
}
)";

constexpr std::string_view kOdd = R"(/* p is odd: elements i and p - i meet the same cosine and opposite sines. */
static inline __attribute__((always_inline)) void dft_odd_$F(const int p, struct dft_few_$F x, const int is_turned, const struct dft_turns_$F* w) {
  const int half = p / 2;
  const $V first_re = *(const $V*)x.re, first_im = *(const $V*)x.im;
  $V sum_re[6], sum_im[6], difference_re[6], difference_im[6], all_re = first_re, all_im = first_im;
  for (int i = 0; i < half; ++i) {
    const int64_t near = (i + 1) * x.next, far = (p - 1 - i) * x.next;
    const $V a = *(const $V*)(x.re + near), b = *(const $V*)(x.re + far), e = *(const $V*)(x.im + near), f = *(const $V*)(x.im + far);
    sum_re[i] = a + b;
    sum_im[i] = e + f;
    difference_re[i] = a - b;
    difference_im[i] = e - f;
    all_re += sum_re[i];
    all_im += sum_im[i];
  }
  dft_put_$F(x.to_re, x.to_im, all_re, all_im, 0, 0, 0);
  for (int u = 1; u <= half; ++u) {
    $V x_re = first_re, x_im = first_im, y_re = difference_re[0] * w->sines[u], y_im = difference_im[0] * w->sines[u];
    for (int i = 0; i < half; ++i) {
      const int turn = (i + 1) * u % p;
      x_re += sum_re[i] * w->cosines[turn];
      x_im += sum_im[i] * w->cosines[turn];
      if (i > 0) {
        y_re += difference_re[i] * w->sines[turn];
        y_im += difference_im[i] * w->sines[turn];
      }
    }
    const int64_t near = u * x.to_next, far = (p - u) * x.to_next;
    dft_put_$F(x.to_re + near, x.to_im + near, x_re - y_im, x_im + y_re, is_turned, w->c[u], w->s[u]);
    dft_put_$F(x.to_re + far, x.to_im + far, x_re + y_im, x_im - y_re, is_turned, w->c[p - u], w->s[p - u]);
  }
}
)";

constexpr std::string_view kColumns =
    R"(/* The j-th of m transforms of p elements, all of whose elements but the first are turned unless j is 0. */
static inline __attribute__((always_inline)) void dft_columns_at_$F(const int p, const struct dft_pass_$F* pass, int64_t j, const int is_turned) {
  struct dft_turns_$F w;
  const int64_t n = pass->n, width = pass->width, places = pass->places, step = pass->step, to_step = pass->to_step;
  for (int u = 1; u < p; ++u) {
    w.c[u] = pass->roots[j * u * pass->done];
    w.s[u] = pass->roots[n + j * u * pass->done];
    w.cosines[u] = pass->roots[u * (n / p)];
    w.sines[u] = pass->roots[n + u * (n / p)];
  }
  for (int64_t place = 0; place < places; ++place) {
    const int64_t from = (places * j + place) * step, to = (places * p * j + place) * to_step;
    for (int64_t q = 0; q < width; q += $L) { /* the last step overlaps the one before */
      const int64_t at = q + $L <= width ? q : width - $L;
      const struct dft_few_$F x = {pass->re + from + at, pass->im + from + at, places * pass->m * step,
                                   pass->to_re + to + at, pass->to_im + to + at, places * to_step};
      $BUTTERFLIES
    }
  }
}
static inline __attribute__((always_inline)) void dft_pass_by_$F(const int p, const struct dft_pass_$F* pass) {
  const struct dft_pass_$F x = *pass; /* of its own: stores of vectors may alias anything that is elsewhere */
  dft_columns_at_$F(p, &x, 0, 0);
  for (int64_t j = 1; j < x.m; ++j) dft_columns_at_$F(p, &x, j, 1);
}
$PASSES/* Columns of n elements, n above 1, side by side: `width` of them. Passes go from one part of `spare` to the other, 4 n width elements in
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

constexpr std::string_view kRows = R"(/* Of a length with small factors. */
static void dft_rows_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare) {
  $ROWS
}
)";

constexpr std::string_view kLongRows =
    R"(/* Rows of a length with a large prime factor: with u[k] = exp(-i pi k k / n) the transform is u times the convolution of u x with
   conj(u), and that goes through transforms of m elements. The tables are u, the transform of the filter, and those for m elements. */
static void dft_convolution_tables_$F(int64_t n, $T* tables, $T* spare) {
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
  dft_rows_$F(x_re, x_im, 1, m, filter_re, filter_im, row_tables, x_im + m);
}
static void dft_convolved_rows_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, const $T* tables, $T* spare) {
  const int64_t m = dft_convolution_length(n);
  const $T *const u_re = tables, *const u_im = u_re + n, *const filter_re = u_im + n, *const filter_im = filter_re + m, *const row_tables = filter_im + m;
  $T *const x_re = spare, *const x_im = x_re + m, *const y_re = x_im + m, *const y_im = y_re + m, *const work = y_im + m;
  for (int64_t row = 0; row < rows; ++row, re += n, im += n, out_re += n, out_im += n) {
    dft_times_$F(n, re, im, u_re, u_im, x_re, x_im);
    for (int64_t k = n; k < m; ++k) x_re[k] = 0, x_im[k] = 0;
    dft_rows_$F(x_re, x_im, 1, m, y_re, y_im, row_tables, work);
    dft_times_$F(m, y_re, y_im, filter_re, filter_im, x_re, x_im);
    dft_rows_$F(x_im, x_re, 1, m, y_im, y_re, row_tables, work); /* backwards: the parts change places before and after */
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

// $N elements; $KIND: row or convolution, $DONE: what is done to rows.
constexpr std::string_view kOfOneLength = R"(static $T dft_tables_$F[$TABLES];
/* The discrete Fourier transform of rows of $N elements. */
static __attribute__((noinline)) void dft_$F(const $T* re, const $T* im, int64_t rows, int64_t n, $T* out_re, $T* out_im, $T* spare) {
  if (rows > 0) dft_$DONE_$F(re, im, rows, n, out_re, out_im, dft_tables_$F, spare);
}
)";
constexpr std::string_view kAtLoad = R"(static $T dft_spare_$F[$SPARE];
static __attribute__((constructor)) void dft_prepare_$F(void) {
  const harp_environment found = harp_enter();
  dft_$KIND_tables_$F($N, dft_tables_$F, dft_spare_$F);
  harp_leave(found);
}
)";

constexpr std::string_view kMatrixOfEachRow =
    "for (int64_t row = 0; row < rows; ++row) dft_matrix_$F(n, dft_matrix_rows(n), tables, re + row * n, im + row * n, out_re + row * n, "
    "out_im "
    "+ row * n, spare);";
constexpr std::string_view kAllShortRows = "dft_short_rows_$F(re, im, rows, n, out_re, out_im, tables, spare);";

/// The factors that passes are needed by, for n elements; 0: any number of them.
std::set<int64_t> factors_of(int64_t n) {
  if (n == 0) return {8, 4, 2, 3, 5, 7};
  std::set<int64_t> factors;
  const int64_t rows = transform_rows(n);
  for (int64_t part : {rows, n / rows})
    while (part > 1) {
      const int64_t p = transform_factor(part);
      factors.insert(p);
      part /= p;
    }
  return factors;
}

/// The passes by some factors, for columns: 8, 4 and 2 have code of their own; odd ones share theirs, which is unrolled for 3 and 5.
std::string columns(const std::set<int64_t>& factors, Filling values) {
  std::string butterflies, definitions, calls, text(kPass);
  const auto add_case = [](std::string& cases, std::string_view indent, int64_t p, std::string_view call) {
    append(cases, cat(cases.empty() ? "" : cat("\n", indent, "else "), p > 0 ? cat("if (p == ", p, ") ") : "", call));
  };
  bool has_odd = false, has_large = false;
  for (const auto& [p, part] : {std::pair{8, kEight}, {4, kFour}, {2, kTwo}, {3, kOdd}, {5, kOdd}}) {
    if (!factors.contains(p)) continue;
    if (p % 2 == 0) {
      text += part;
      add_case(butterflies, "      ", p, cat("dft_", p, "_$F(x, is_turned, &w);"));
    }
    has_odd = has_odd || p % 2 == 1;
    append(definitions, cat("static __attribute__((noinline)) void dft_pass_by_", p,
                            "_$F(const struct dft_pass_$F* pass) { dft_pass_by_$F(", p, ", pass); }\n"));
    add_case(calls, "    ", p, cat("dft_pass_by_", p, "_$F(&pass);"));
  }
  for (const int64_t p : {7, 11, 13}) has_large = has_large || factors.contains(p);
  if (has_large) {
    definitions +=
        "static __attribute__((noinline)) void dft_pass_by_odd_$F(int p, const struct dft_pass_$F* pass) { dft_pass_by_$F(p, pass); }\n";
    add_case(calls, "    ", 0, "dft_pass_by_odd_$F((int)p, &pass);");
  }
  if (has_odd || has_large) {
    text += kOdd;
    add_case(butterflies, "      ", 0, "dft_odd_$F(p, x, is_turned, &w);");
  }
  values["BUTTERFLIES"] = filled(butterflies, values);
  values["PASSES"] = filled(definitions, values);
  values["CALLS"] = filled(calls, values);
  return filled(text + std::string(kColumns), values);
}

}  // namespace

std::string Unit::dft(DType dtype, Sym length, const ir::Function& cosine, const ir::Function& sine) {
  const int64_t n = length.is_constant() && keeps_transform_tables(length.constant()) ? length.constant() : 0;  // 0: of any length
  const std::string suffix = cat(harp::name(dtype), n == 0 ? "" : cat("_", n)), name = cat("dft_", suffix);
  once("dft_factor", [] { return std::string(kFactor); });
  if (n == 0) once("dft_has_small_factors", [] { return std::string(kHasSmallFactors); });
  if (n == 0 || !has_small_factors(n)) once("dft_convolution_length", [] { return std::string(kConvolutionLength); });
  once("dft_matrix_rows", [] { return std::string(kMatrixRows); });
  once(name, [&] {
    const int lanes = options_.plain_text ? 1 : options_.target.vector_bytes / static_cast<int>(size_of(dtype));
    const bool is_convolution = n > 0 && !has_small_factors(n);
    const int64_t product = is_convolution ? convolution_length(n) : n;  // with small factors
    const bool short_rows = n == 0 || transform_rows(product) == 1, matrix = n == 0 || !short_rows;
    Filling values{{"T", std::string(memory_type(dtype))},
                   {"V", type(dtype, lanes)},
                   {"L", cat(lanes)},
                   {"F", suffix},
                   {"FMA", helper(*rule_of(Op::kFma, dtype), dtype, lanes)},
                   {"SPLAT", lanes > 1 ? splat(dtype, lanes) : ""},
                   {"COS", function(cosine, 1)},
                   {"SIN", function(sine, 1)},
                   {"TRANSPOSE", transpose(dtype, false)}};
    const std::string of_matrix = filled(kMatrixOfEachRow, values), of_short = filled(kAllShortRows, values);
    values["ROWS"] = !short_rows ? of_matrix : !matrix ? of_short : cat("if (dft_matrix_rows(n) == 1) ", of_short, "\n  else ", of_matrix);
    std::string text =
        cat(kRoots, matrix || is_convolution ? kTimes : "", matrix ? kTile : "", kRowTables, matrix ? kMatrix : "",
            short_rows ? kShortRows : "", kRows, n == 0 || is_convolution ? kLongRows : "", n == 0 ? kOfAnyLength : kOfOneLength);
    if (n > 0) {
      values.merge(Filling{{"N", cat(n)},
                           {"KIND", is_convolution ? "convolution" : "row"},
                           {"DONE", is_convolution ? "convolved_rows" : "rows"},
                           {"TABLES", cat(transform_tables(n))},
                           {"SPARE", cat(transform_spare(n))}});
      loading_ += filled(kAtLoad, values) + "\n";
    }
    return columns(factors_of(product), values) + filled(text, values);
  });
  return name;
}

}  // namespace harp::render
