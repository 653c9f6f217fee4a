// Sorts and argsorts of rows of a few elements whose number is unknown when code is generated (schedule/short_sorts.h has those of a known
// number). Many rows are sorted at a time: a block of them is transposed, so that each row is a column of lines, which are vectors of one
// element of each row. The elements of all columns are inserted one after the other into those before them. That takes more exchanges than
// a network, but the same loops serve every length, and an element stays behind those that equal it. So elements can move with their keys,
// and no zero or NaN needs to be restored, as well as indices.
#include "render/c/vector_functions.h"
#include "render/routines/sort_text.h"

namespace harp::render {
namespace {

// Placeholders, in addition to those of sort.cpp. $TOGETHER: the number of rows of a block. $LONGEST: the length of the longest rows.
// $STEP: the distance between lines. $SELECT: the function that selects keys by a mask. $KEY, $MOVED: the keys of line i, and what moves
// with them. $WHAT: what is inserted, keys or pairs. $WIDE: a vector of $WIDELANES indices. $PART: a vector of as many keys.

constexpr std::string_view kInsertKeys =
    R"(/* Sorts each column of n lines: inserts line after line into the sorted lines before it. */
static inline void insert_keys_$F($T* lines, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    $T* line = lines + i * $TOGETHER;
    $V key = *(const $V*)line;
    for (; line != lines; line -= $TOGETHER) {
      const $V other = *(const $V*)(line - $TOGETHER);
      *($V*)line = second_$F(other, key);
      key = first_$F(other, key);
    }
    *($V*)line = key;
  }
}
)";

// What moves with a line of keys is stored next to it, because two arrays of the same size would often be a multiple of 4096 bytes apart;
// the CPU then takes a load from one for a load of what was just stored to the other.
constexpr std::string_view kInsertPairs =
    R"(/* Sorts each column of n lines of keys: inserts line after line into the sorted lines before it. $TOGETHER elements after each line is the
   line that moves with it. Equal keys keep their order. */
static inline void insert_pairs_$F($T* lines, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    $T* line = lines + i * (2 * $TOGETHER);
    $V key = $KEY, moved = $MOVED;
    for (; line != lines; line -= 2 * $TOGETHER) {
      const $V other = *(const $V*)(line - 2 * $TOGETHER), its = *(const $V*)(line - $TOGETHER);
      const $M is_first = key $BEFORE other;
      *($V*)line = second_$F(other, key);
      *($V*)(line + $TOGETHER) = $SELECT(is_first, its, moved);
      key = first_$F(other, key);
      moved = $SELECT(is_first, moved, its);
    }
    *($V*)line = key;
    *($V*)(line + $TOGETHER) = moved;
  }
}
)";

constexpr std::string_view kSortShortRows = R"(/* Sorts at most $TOGETHER rows of at most $LONGEST elements. */
static __attribute__((noinline)) void sort_short_rows_$F(const $T* x, int64_t rows, int64_t n, $T* sorted) {
  $T lines[$LONGEST * $STEP] __attribute__((aligned(64)));
  $T* const elements = lines + ($STEP - $TOGETHER);
  for (int64_t i = 0; i < n; ++i) *($V*)(elements + i * $STEP + (rows - 1) / $L * $L) = ($V){0};
  $TRANSPOSE(elements, $STEP, x, n, n, rows);
  for (int64_t at = 0; at < rows; at += $L) insert_$WHAT_$F(lines + at, n);
  $TRANSPOSE(sorted, n, elements, $STEP, rows, n);
}
)";

constexpr std::string_view kArgsortShortRows =
    R"(/* Finds the sorted order of each of at most $TOGETHER rows of at most $LONGEST keys. */
static __attribute__((noinline)) void argsort_short_rows_$F(const $T* keys, int64_t rows, int64_t n, int64_t* order) {
  $T lines[$LONGEST * $STEP] __attribute__((aligned(64))), narrow[$LONGEST * $TOGETHER];
  for (int64_t i = 0; i < n; ++i) *($V*)(lines + i * $STEP + (rows - 1) / $L * $L) = ($V){0};
  $TRANSPOSE(lines, $STEP, keys, n, n, rows);
  for (int64_t at = 0; at < rows; at += $L) insert_pairs_$F(lines + at, n);
  $TRANSPOSE(narrow, n, lines + $TOGETHER, $STEP, rows, n);
  int64_t i = 0;
  for (; i + $WIDELANES <= rows * n; i += $WIDELANES)
    *($WIDE*)(order + i) = __builtin_convertvector(*(const $PART*)(narrow + i), $WIDE);
  for (; i < rows * n; ++i) order[i] = (int64_t)narrow[i];
}
)";

/// Defines insert_pairs_$F.
void define_pairs(SortText& text, std::string_view key, std::string_view moved) {
  text.values["KEY"] = filled(key, text.values);
  text.values["MOVED"] = filled(moved, text.values);
  text.values["SELECT"] = select_function(text.unit, text.loses ? signed_of(text.bits) : text.dtype, text.lanes);
  text.define("insert_pairs_$F", kInsertPairs);
}

}  // namespace

std::string sort_short_rows_function(SortText& text) {
  text.define_lines();
  text.values.insert_or_assign("TOGETHER", cat(kShortRowsTogether));
  text.values.insert_or_assign("LONGEST", cat(kLongestSorted));
  text.values["STEP"] = cat((text.loses ? 2 : 1) * kShortRowsTogether);
  text.values["WHAT"] = text.loses ? "pairs" : "keys";
  if (text.loses) {
    text.define_keys_at();
    define_pairs(text, "keys_at_$G(line + $TOGETHER)", "*(const $V*)(line + $TOGETHER)");
  } else {
    text.define("insert_keys_$F", kInsertKeys);
  }
  text.define("sort_short_rows_$F", kSortShortRows);
  return filled("sort_short_rows_$F", text.values);
}

std::string argsort_short_rows_function(Unit& unit, DType keys) {
  SortText text(unit, keys, false);
  text.define_lines();
  text.values["TOGETHER"] = cat(kShortRowsTogether);
  text.values["LONGEST"] = cat(kLongestArgsorted);
  text.values["STEP"] = cat(2 * kShortRowsTogether);
  const int wide_lanes = text.lanes * text.bits / 64;
  text.values["WIDELANES"] = cat(wide_lanes);
  text.values["WIDE"] = memory_vector(unit, DType::kI64, wide_lanes);
  text.values["PART"] = memory_vector(unit, keys, wide_lanes);
  define_pairs(text, "*(const $V*)line", "($V){0} + ($K)i");
  text.define("argsort_short_rows_$F", kArgsortShortRows);
  return filled("argsort_short_rows_$F", text.values);
}

}  // namespace harp::render
