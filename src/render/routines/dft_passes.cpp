// Writes the passes of Stockham's algorithm for Fourier transforms, with the factors 8, 4, 2, 3, 5, 7, 11 and 13. A pass processes adjacent
// columns, at least as many as a vector has lanes. Therefore no operation combines lanes of one vector. The first pass reads the layout of
// the input, and the last pass writes the layout of the output: separate or interleaved real and imaginary parts. Two passes may be fused
// into one walk through memory. docs/semantics.md specifies the order of all additions.

#include "render/routines/dft_passes.h"

#include "base/text.h"
#include "ops/transform_parts.h"
#include "render/c/vector_functions.h"
#include "render/routines/dft_pairs_text.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

// Placeholders. $T: the element type. $V: the vector type of $L elements. $F: the name of the dtype.

constexpr std::string_view kLayout =
    R"(/* Layouts of complex numbers: real and imaginary parts in separate arrays; real parts alone; pairs (real, imaginary); pairs (imaginary,
   real). */
enum dft_layout { dft_separate, dft_real, dft_interleaved, dft_swapped };
)";

constexpr std::string_view kPass =
    R"(/* One pass of Stockham's algorithm over columns of n elements, by the factor p: n = p * m * done, where `done` is the product of the factors
   of the passes before. */
struct dft_pass_$F {
  int64_t n, m, done;
  const $T *roots; /* the n-th roots of 1 */
  const $T *re, *im;
  int64_t step; /* from row to row */
  enum dft_layout layout;
  $T *to_re, *to_im;
  int64_t to_step;
  enum dft_layout to_layout;
  const $T *turn_re, *turn_im; /* twiddle factors that the result is multiplied by, or 0 */
  int64_t turn_step;
  int has_row_turns; /* each row has one twiddle factor for all columns */
  int64_t places, width; /* `places` rows of `width` numbers each; or one long row, if they are contiguous */
  int is_cut;            /* store only the first `kept` rows, and the row after them to `beyond` unless that is 0, imaginary parts last */
  int64_t kept;
  $T* beyond;
};
)";

constexpr std::string_view kFew =
    R"(/* A transform of p elements: they are read at distance `next` and stored at distance `to_next`. */
struct dft_few_$F {
  const $T *re, *im;
  int64_t next;
  enum dft_layout layout;
  $T *to_re, *to_im;
  int64_t to_next;
  enum dft_layout to_layout;
  const $T *turn_re, *turn_im;
  int64_t turn_next;
  int has_row_turns, is_turned, is_cut;
  int64_t place, kept, kept_places; /* number of elements that are stored, plus one at the first kept_places places */
  $T *beyond_re, *beyond_im;
};
)";

constexpr std::string_view kTurns =
    R"(/* Result u is multiplied by c[u] + i s[u]. cosines and sines: the p-th roots of 1. */
struct dft_turns_$F {
  $T c[13], s[13], cosines[13], sines[13];
};
)";

constexpr std::string_view kGet =
    R"(/* Loads element i: the real part to *x, the imaginary part to *y. */
static inline __attribute__((always_inline)) void dft_get_$F(const struct dft_few_$F* few, int64_t i, $V* x, $V* y) {
  const $T *const re = few->re + i * few->next, *const im = few->im + i * few->next;
  if (few->layout == dft_separate || few->layout == dft_real) {
    *x = *(const $V*)re;
    *y = few->layout == dft_real ? ($V)$ZERO : *(const $V*)im;
    return;
  }
  const $T* const first = few->layout == dft_interleaved ? re : im;
  const $V a = *(const $V*)first, b = *(const $V*)(first + $L), even = $EVEN, odd = $ODD;
  *x = few->layout == dft_interleaved ? even : odd;
  *y = few->layout == dft_interleaved ? odd : even;
}
)";

constexpr std::string_view kPut =
    R"(/* Stores x + i y as element u of the result. */
static inline __attribute__((always_inline)) void dft_put_$F(const struct dft_few_$F* few, int64_t u, $V x, $V y, const struct dft_turns_$F* w) {
  if (few->is_turned && u > 0) {
    const $V turned = $FMA(x, $SPLAT(w->c[u]), -(y * w->s[u]));
    y = $FMA(x, $SPLAT(w->s[u]), y * w->c[u]);
    x = turned;
  }
  if (few->turn_re != 0) {
    const $T *const cosine = few->turn_re + u * few->turn_next, *const sine = few->turn_im + u * few->turn_next;
    const $V c = few->has_row_turns ? ($V)$SPLAT(*cosine) : *(const $V*)cosine, s = few->has_row_turns ? ($V)$SPLAT(*sine) : *(const $V*)sine;
    const $V turned = $FMA(x, c, -(y * s));
    y = $FMA(x, s, y * c);
    x = turned;
  }
  $T *re = few->to_re + u * few->to_next, *im = few->to_im + u * few->to_next;
  enum dft_layout layout = few->to_layout;
  if (few->is_cut && u >= few->kept) {
    if (u > few->kept || few->place > few->kept_places || (few->place == few->kept_places && few->beyond_re == 0)) return;
    if (few->place == few->kept_places) re = few->beyond_re, im = few->beyond_im, layout = dft_separate;
  }
  if (layout == dft_separate) {
    *($V*)re = x;
    *($V*)im = y;
    return;
  }
  $T* const first = layout == dft_interleaved ? re : im;
  const $V a = layout == dft_interleaved ? x : y, b = layout == dft_interleaved ? y : x;
  *($V*)first = $LOW;
  *($V*)(first + $L) = $HIGH;
}
)";

constexpr std::string_view kTwo =
    R"(static inline __attribute__((always_inline)) void dft_2_elements_$F(const struct dft_few_$F* x, const struct dft_turns_$F* w) {
  $V a, b, e, f;
  dft_get_$F(x, 0, &a, &e);
  dft_get_$F(x, 1, &b, &f);
  dft_put_$F(x, 0, a + b, e + f, w);
  dft_put_$F(x, 1, a - b, e - f, w);
}
)";

constexpr std::string_view kFour =
    R"(static inline __attribute__((always_inline)) void dft_4_elements_$F(const struct dft_few_$F* x, const struct dft_turns_$F* w) {
  $V a, b, c, d, e, f, g, h;
  dft_get_$F(x, 0, &a, &e);
  dft_get_$F(x, 1, &b, &f);
  dft_get_$F(x, 2, &c, &g);
  dft_get_$F(x, 3, &d, &h);
  const $V even_re = a + c, even_im = e + g, odd_re = b + d, odd_im = f + h;
  const $V x_re = a - c, x_im = e - g, y_re = b - d, y_im = f - h;
  dft_put_$F(x, 0, even_re + odd_re, even_im + odd_im, w);
  dft_put_$F(x, 1, x_re + y_im, x_im - y_re, w);
  dft_put_$F(x, 2, even_re - odd_re, even_im - odd_im, w);
  dft_put_$F(x, 3, x_re - y_im, x_im + y_re, w);
}
)";

constexpr std::string_view kEight = R"(/* x + y sqrt(1/2). The root is the sum of high and low. */
static inline __attribute__((always_inline)) $V dft_eighth_$F($V x, $V y, $T high, $T low) {
  return $FMA(y, $SPLAT(high), $FMA(y, $SPLAT(low), x));
}
/* Transforms the four even elements and the four odd ones, and combines them with the eighth roots of 1. */
static inline __attribute__((always_inline)) void dft_8_elements_$F(const struct dft_few_$F* x, const struct dft_turns_$F* w) {
  const $T high = ($T)0x1.6a09e667f3bcdp-1, low = ($T)(0x1.6a09e667f3bcdp-1 - (double)high - 0x1.bdd3413b26456p-55);
  $V re[8], im[8];
  for (int odd = 0; odd < 2; ++odd) {
    $V a_re, a_im, b_re, b_im, c_re, c_im, d_re, d_im;
    dft_get_$F(x, odd, &a_re, &a_im);
    dft_get_$F(x, odd + 2, &b_re, &b_im);
    dft_get_$F(x, odd + 4, &c_re, &c_im);
    dft_get_$F(x, odd + 6, &d_re, &d_im);
    const $V even_re = a_re + c_re, even_im = a_im + c_im, odd_re = b_re + d_re, odd_im = b_im + d_im;
    const $V x_re = a_re - c_re, x_im = a_im - c_im, y_re = b_re - d_re, y_im = b_im - d_im;
    $V *const to_re = re + 4 * odd, *const to_im = im + 4 * odd;
    to_re[0] = even_re + odd_re, to_im[0] = even_im + odd_im;
    to_re[1] = x_re + y_im, to_im[1] = x_im - y_re;
    to_re[2] = even_re - odd_re, to_im[2] = even_im - odd_im;
    to_re[3] = x_re - y_im, to_im[3] = x_im + y_re;
  }
  const $V near_re = re[5] + im[5], near_im = im[5] - re[5], far_re = re[7] - im[7], far_im = im[7] + re[7];
  dft_put_$F(x, 0, re[0] + re[4], im[0] + im[4], w);
  dft_put_$F(x, 1, dft_eighth_$F(re[1], near_re, high, low), dft_eighth_$F(im[1], near_im, high, low), w);
  dft_put_$F(x, 2, re[2] + im[6], im[2] - re[6], w);
  dft_put_$F(x, 3, dft_eighth_$F(re[3], far_re, -high, -low), dft_eighth_$F(im[3], far_im, -high, -low), w);
  dft_put_$F(x, 4, re[0] - re[4], im[0] - im[4], w);
  dft_put_$F(x, 5, dft_eighth_$F(re[1], near_re, -high, -low), dft_eighth_$F(im[1], near_im, -high, -low), w);
  dft_put_$F(x, 6, re[2] - im[6], im[2] + re[6], w);
  dft_put_$F(x, 7, dft_eighth_$F(re[3], far_re, high, low), dft_eighth_$F(im[3], far_im, high, low), w);
}
)";

constexpr std::string_view kOdd = R"(/* For odd p: elements i and p - i are multiplied by the same cosine and by opposite sines. */
static inline __attribute__((always_inline)) void dft_odd_$F(const int p, const struct dft_few_$F* x, const struct dft_turns_$F* w) {
  const int half = p / 2;
  $V first_re, first_im, sum_re[6], sum_im[6], difference_re[6], difference_im[6];
  dft_get_$F(x, 0, &first_re, &first_im);
  $V all_re = first_re, all_im = first_im;
  for (int i = 0; i < half; ++i) {
    $V a, b, e, f;
    dft_get_$F(x, i + 1, &a, &e);
    dft_get_$F(x, p - 1 - i, &b, &f);
    sum_re[i] = a + b;
    sum_im[i] = e + f;
    difference_re[i] = a - b;
    difference_im[i] = e - f;
    all_re += sum_re[i];
    all_im += sum_im[i];
  }
  dft_put_$F(x, 0, all_re, all_im, w);
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
    dft_put_$F(x, u, x_re - y_im, x_im + y_re, w);
    dft_put_$F(x, p - u, x_re + y_im, x_im - y_re, w);
  }
}
)";

constexpr std::string_view kOddElements =
    R"(static inline __attribute__((always_inline)) void dft_$P_elements_$F(const struct dft_few_$F* x, const struct dft_turns_$F* w) { dft_odd_$F($P, x, w); }
)";

constexpr std::string_view kRead =
    R"(/* Sets where transform j of m at a place is read. */
static inline __attribute__((always_inline)) void dft_read_$F(const struct dft_pass_$F* pass, int64_t j, int64_t place, int64_t column, struct dft_few_$F* few) {
  const int64_t at = (pass->places * j + place) * pass->step + (pass->layout == dft_separate || pass->layout == dft_real ? column : 2 * column);
  few->re = pass->re + at;
  few->im = pass->im + at;
  few->next = pass->places * pass->m * pass->step;
  few->layout = pass->layout;
}
)";

constexpr std::string_view kWrite =
    R"(/* Sets where the p results of transform j of m at a place are stored. */
static inline __attribute__((always_inline)) void dft_write_$F(const struct dft_pass_$F* pass, const int p, int64_t j, int64_t place, int64_t column, struct dft_few_$F* few) {
  const int64_t places = pass->places, to = places * p * j + place;
  const int64_t at = to * pass->to_step + (pass->to_layout == dft_separate ? column : 2 * column), turn = to * pass->turn_step + (pass->has_row_turns ? 0 : column);
  few->to_re = pass->to_re + at;
  few->to_im = pass->to_im + at;
  few->to_next = places * pass->to_step;
  few->to_layout = pass->to_layout;
  few->turn_re = pass->turn_re ? pass->turn_re + turn : 0;
  few->turn_im = pass->turn_re ? pass->turn_im + turn : 0;
  few->turn_next = places * pass->turn_step;
  few->has_row_turns = pass->has_row_turns;
  few->is_cut = pass->is_cut;
  few->place = place;
  few->kept = pass->kept / places;
  few->kept_places = pass->kept % places;
  few->beyond_re = pass->beyond ? pass->beyond + column : 0;
  few->beyond_im = pass->beyond ? pass->beyond + pass->width + column : 0;
}
)";

// Placeholders. $P: the factor of the pass. $Q: the factor of the second pass, if two are fused.
constexpr std::string_view kTurnsBy =
    R"(static inline __attribute__((always_inline)) void dft_turns_by_$P_$F(const struct dft_pass_$F* pass, int64_t j, struct dft_turns_$F* w) {
  for (int u = 1; u < $P; ++u) {
    w->c[u] = pass->roots[j * u * pass->done];
    w->s[u] = pass->roots[pass->n + j * u * pass->done];
    w->cosines[u] = pass->roots[u * (pass->n / $P)];
    w->sines[u] = pass->roots[pass->n + u * (pass->n / $P)];
  }
}
)";

constexpr std::string_view kPassBy = R"(/* Transform j of m, of $P elements. For j = 0 all twiddle factors are 1. */
static inline __attribute__((always_inline)) void dft_columns_by_$P_$F(const struct dft_pass_$F* pass, int64_t j, const int is_turned) {
  struct dft_turns_$F w;
  dft_turns_by_$P_$F(pass, j, &w);
  const int64_t width = pass->width, places = pass->places;
  for (int64_t place = 0; place < places; ++place)
    for (int64_t q = 0; q < width; q += $L) { /* the last step overlaps the one before it */
      const int64_t column = q + $L <= width ? q : width - $L;
      struct dft_few_$F few;
      dft_read_$F(pass, j, place, column, &few);
      dft_write_$F(pass, $P, j, place, column, &few);
      few.is_turned = is_turned;
      dft_$P_elements_$F(&few, &w);
    }
}
static inline __attribute__((always_inline)) void dft_pass_by_$P_$F(const struct dft_pass_$F pass) {
  $TRANSFORMS
}
)";
// The loop over the transforms of a pass. It contains two copies of the text of a transform, one for j = 0, where all twiddle factors are
// 1, and one for all other j. Or it contains one copy, which tests at run time whether j is 0. The text of a transform of many elements is
// so long that a second copy is not worth the time to compile it.
constexpr int64_t kMostTwoCopies = 5;
constexpr std::string_view kTwoCopies = R"(dft_columns_by_$P_$F(&pass, 0, 0);
  for (int64_t j = 1; j < pass.m; ++j) dft_columns_by_$P_$F(&pass, j, 1);)";
constexpr std::string_view kOneCopy = "for (int64_t j = 0; j < pass.m; ++j) dft_columns_by_$P_$F(&pass, j, j > 0);";

constexpr std::string_view kPassesBy =
    R"(/* Two passes in one: transforms of $P elements, whose results stay in `between`, then transforms j of $Q elements of these. */
static inline __attribute__((always_inline)) void dft_columns_by_$P_and_$Q_$F(const struct dft_pass_$F* first, const struct dft_pass_$F* second, int64_t j, const int is_turned, $T* between) {
  struct dft_turns_$F w[$Q], v;
  for (int i = 0; i < $Q; ++i) dft_turns_by_$P_$F(first, j + i * second->m, w + i);
  dft_turns_by_$Q_$F(second, j, &v);
  const int64_t width = first->width, places = first->places;
  for (int64_t place = 0; place < places; ++place)
    for (int64_t q = 0; q < width; q += $L) { /* the last step overlaps the one before it */
      const int64_t column = q + $L <= width ? q : width - $L;
      struct dft_few_$F few = {.to_next = $L, .to_layout = dft_separate};
      for (int i = 0; i < $Q; ++i) {
        dft_read_$F(first, j + i * second->m, place, column, &few);
        few.to_re = between + i * $P * $L;
        few.to_im = between + ($Q + i) * $P * $L;
        if (is_turned || i > 0) {
          few.is_turned = 1;
          dft_$P_elements_$F(&few, w + i);
        } else {
          few.is_turned = 0;
          dft_$P_elements_$F(&few, w);
        }
      }
      few = (struct dft_few_$F){.next = $P * $L, .layout = dft_separate, .is_turned = is_turned};
      for (int u = 0; u < $P; ++u) {
        few.re = between + u * $L;
        few.im = between + ($Q * $P + u) * $L;
        dft_write_$F(second, $Q, j, place + places * u, column, &few);
        dft_$Q_elements_$F(&few, &v);
      }
    }
}
static inline __attribute__((always_inline)) void dft_passes_by_$P_and_$Q_$F(const struct dft_pass_$F first, const struct dft_pass_$F second, $T* between) {
  dft_columns_by_$P_and_$Q_$F(&first, &second, 0, 0, between);
  for (int64_t j = 1; j < second.m; ++j) dft_columns_by_$P_and_$Q_$F(&first, &second, j, 1, between);
}
)";

/// Returns the lane numbers first, first + step and so on as text; there are `count` of them.
std::string lanes_from(int first, int step, int count) {
  std::vector<int> lanes;
  for (int i = 0; i < count; ++i) lanes.push_back(first + i * step);
  return join(lanes, ", ");
}
/// Returns a shuffle that interleaves lanes of the vectors a and b: half of the lanes of each, starting with lane `first`.
std::string zipped(int first, int lanes) {
  std::vector<int> numbers;
  for (int i = first; i < first + lanes / 2; ++i) numbers.insert(numbers.end(), {i, lanes + i});
  return cat("__builtin_shufflevector(a, b, ", join(numbers, ", "), ")");
}

/// Returns the values of the placeholders that all texts use: the types, and the shuffles of two vectors a and b.
Filling vectors_of(Unit& unit, DType dtype, int lanes) {
  return {{"T", std::string(memory_type(dtype))},
          {"V", value_type(unit, dtype, lanes)},
          {"L", cat(lanes)},
          {"F", std::string(harp::name(dtype))},
          {"EVEN", lanes > 1 ? cat("__builtin_shufflevector(a, b, ", lanes_from(0, 2, lanes), ")") : "a"},
          {"ODD", lanes > 1 ? cat("__builtin_shufflevector(a, b, ", lanes_from(1, 2, lanes), ")") : "b"},
          {"LOW", lanes > 1 ? zipped(0, lanes) : "a"},
          {"HIGH", lanes > 1 ? zipped(lanes / 2, lanes) : "b"}};
}

}  // namespace

void define_pairs_of_rows(Unit& unit, DType dtype, int lanes) {
  const Filling values = vectors_of(unit, dtype, lanes);
  unit.definitions.once(filled("dft_unzip_$F", values), [&] { return filled(kUnzip, values); });
  unit.definitions.once(filled("dft_zip_$F", values), [&] { return filled(kZip, values); });
}

void define_transform_passes(Unit& unit, DType dtype, int lanes, const std::set<int64_t>& factors,
                             const std::set<std::pair<int64_t, int64_t>>& together) {
  Filling values = vectors_of(unit, dtype, lanes);
  values["FMA"] = elementwise_function(unit, *rule_of(Op::kFma, dtype), dtype, lanes);
  values["ZERO"] = lanes > 1 ? "{}" : "0";
  values["SPLAT"] = lanes > 1 ? splat_function(unit, dtype, lanes) : "";
  const auto define = [&](std::string_view name, std::string_view text) {
    unit.definitions.once(filled(name, values), [&] { return filled(text, values); });
  };
  define("dft_layout", kLayout);
  define("dft_pass_$F", kPass);
  define("dft_few_$F", kFew);
  define("dft_turns_$F", kTurns);
  define("dft_get_$F", kGet);
  define("dft_put_$F", kPut);
  define("dft_read_$F", kRead);
  define("dft_write_$F", kWrite);
  for (const int64_t p : factors) {
    const bool is_odd = p % 2 == 1;
    if (is_odd) define("dft_odd_$F", kOdd);
    values["P"] = cat(p);
    define("dft_turns_by_$P_$F", kTurnsBy);
    define("dft_$P_elements_$F", is_odd ? kOddElements : p == 8 ? kEight : p == 4 ? kFour : kTwo);
    values["TRANSFORMS"] = filled(is_odd && p > kMostTwoCopies ? kOneCopy : kTwoCopies, values);
    define("dft_pass_by_$P_$F", kPassBy);
  }
  for (const auto& [p, q] : together) {
    values["P"] = cat(p);
    values["Q"] = cat(q);
    define("dft_passes_by_$P_and_$Q_$F", kPassesBy);
  }
}

}  // namespace harp::render
