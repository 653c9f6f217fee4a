// Routines that find the first `kept` elements of each sorted row, or their indices, without sorting whole rows: the values and the indices
// of topk. `kept` is at most kMaxSelected.
//
// A line is a vector of keys (sort.cpp). Lines are read in parts of k lines, where k is a power of two that is not less than `kept`. The
// routine keeps k sorted lines: in each lane, the k keys that come first among those read so far. If some key of a part comes before the
// last of the k keys in its lane, the part is sorted by a network and merged into the k lines. This takes about (log k)² / 4 exchanges for
// each line, instead of the (log n)² / 4 of a sort of n lines. If there are at least as many rows as lanes, each lane contains a row. If
// there are fewer rows, all lanes contain elements of one row, and in the end the keys of all lanes are merged. Rows that are short in
// relation to k are sorted as a whole. If a row is long in relation to k, few of its elements are selected at any time: the routine keeps a
// sorted list of them, compares whole vectors with the last key of the list, and inserts the elements that come before it.
//
// For values, the order of equal keys does not matter, except for the bits of zeros and NaNs, which are restored as in a sort. For indices,
// the routine first finds the last of the selected keys in this way. From the start of the row, it then collects the indices of all keys
// that come before that key, and of as many keys equal to it as are selected. These few indices are sorted by their keys; equal keys keep
// their order.
#include "base/text.h"
#include "ops/sort_rows.h"
#include "render/c/masks.h"
#include "render/c/vector_functions.h"
#include "render/routines/sort_text.h"

namespace harp::render {
namespace {

static_assert(kMaxSelected <= kNearLines && kMaxSelected <= kFewKeys);

// Placeholders, in addition to those of sort.cpp. $LAST: the bits of the key that comes after all others. $ANY: the function that tests
// whether a mask is true in some lane. $HALF: half of $L. $ALIGNMENT: bytes of a vector. For floats, whose keys do not contain the bits of
// -0 and NaN: $LOST is the type of a mask of the lanes that contain -0 or NaN, $DECLARELOST declares the mask, $KEYS replaces the elements
// of a part by keys and adds its lanes to the mask, and $RETURNLOST returns the mask. For integers, $LOST is void, and the other three are
// empty.

constexpr std::string_view kMerge =
    R"(/* Whether some key of the part comes before the key in the same lane of the line `last`. */
static inline int has_better_$F(const $T* part, int64_t lines, const $T* last) {
  const $V limit = *(const $V*)last;
  $M better = {0};
  for (int64_t i = 0; i < lines; ++i) better |= *(const $V*)(part + i * $L) $BEFORE limit;
  return $ANY(better);
}
/* Replaces the k lines of best by the first k keys of each lane of best and the part, both sorted (sort_run_$F); the part has at most k
   lines. k is a power of two, at least 8. The first step leaves these keys in an order that exchanges at the distances k / 2 ... 1 sort. */
static void merge_best_$F($T* best, int64_t k, const $T* part, int64_t lines) {
  for (int64_t i = 0; i < lines; ++i) {
    $T* const line = best + (k - 1 - i) * $L;
    *($V*)line = first_$F(*(const $V*)line, *(const $V*)(part + i * $L));
  }
  settle_near_$F(best, k / 2, k);
}
)";

constexpr std::string_view kSelectColumns =
    R"(/* Finds the first k keys of $L rows, in order: those of row i are in lane i of the lines of best. If rows are shorter than k, these are
   their keys. The run may be cancelled after the first part. */
static $LOST select_columns_$F(const $T* x, int64_t n, int64_t k, $T* part, $T* best, const volatile int32_t* cancel) {
$DECLARELOST  for (int64_t first = 0; first < n; first += $NEAR) {
    if (first > 0 && harp_is_set(cancel)) break;
    const int64_t lines = n - first < $NEAR ? n - first : $NEAR;
    $TRANSPOSE(part, $L, x + first, n, lines, $L);
$KEYS    for (int64_t at = 0; at < lines; at += k) {
      $T* const some = part + at * $L;
      const int64_t count = lines - at < k ? lines - at : k;
      if (first + at == 0) {
        for (int64_t i = 0; i < count; ++i) *($V*)(best + i * $L) = *(const $V*)(some + i * $L);
        sort_run_$F(best, count);
      } else if (has_better_$F(some, count, best + (k - 1) * $L)) {
        sort_run_$F(some, count);
        merge_best_$F(best, k, some, count);
      }
    }
  }
$RETURNLOST}
)";

constexpr std::string_view kSelectRow =
    R"(/* Finds the first k keys of one row, in order, in lane 0 of the lines of best. best has k + 1 lines: the last one is read with the others,
   but is not used. Vectors contain adjacent elements of the row; keys that come after all others fill the last vector. */
static $LOST select_row_$F(const $T* x, int64_t n, int64_t k, $T* part, $T* best, const volatile int32_t* cancel) {
$DECLARELOST  for (int64_t i = 0; i <= k; ++i) *($V*)(best + i * $L) = ($V){0} + ($K)$LAST;
  for (int64_t first = 0; first < n; first += $NEAR * $L) {
    if (first > 0 && harp_is_set(cancel)) break;
    const int64_t count = n - first < $NEAR * $L ? n - first : $NEAR * $L, lines = (count + $L - 1) / $L;
    *($V*)(part + (lines - 1) * $L) = ($V){0};
    for (int64_t i = 0; i < count; ++i) part[i] = x[first + i];
$KEYS    for (int64_t i = count; i < lines * $L; ++i) (($A*)part)[i] = $LAST;
    for (int64_t at = 0; at < lines; at += k) {
      $T* const some = part + at * $L;
      const int64_t of_some = lines - at < k ? lines - at : k;
      if (!has_better_$F(some, of_some, best + (k - 1) * $L)) continue;
      sort_run_$F(some, of_some);
      merge_best_$F(best, k, some, of_some);
    }
  }
  /* merges the keys of lane i + half into those of lane i */
  for (int64_t half = $HALF; half > 0; half /= 2) {
    for (int64_t i = 0; i < k; ++i) *($V*)(part + i * $L) = *(const $V*)(best + i * $L + half);
    merge_best_$F(best, k, part, k);
  }
$RETURNLOST}
)";

// Placeholders: $NAME: the name of the function. $RESULT and $STORED: the type and the value that are stored for element i of a row.
// $KEYSAT: the vector of the keys of the elements from x + at on. $KEYOF: the key of element i.
constexpr std::string_view kInsertRow =
    R"(/* Inserts element i, whose key comes before the last of the kept keys, into the sorted keys. */
static inline void $NAME_one($K key, int64_t i, const $T* x, int64_t at, $K* keys, $RESULT* sorted) {
  for (; at > 0 && key $BEFORE keys[at - 1]; --at) keys[at] = keys[at - 1], sorted[at] = sorted[at - 1];
  keys[at] = key;
  sorted[at] = $STORED;
  (void)x;
}
/* Keeps the sorted list of the first `kept` elements so far, and inserts each element that comes before the last of them; most vectors
   contain none. Equal keys keep their order. Returns 0 if so many elements had to be inserted that another algorithm is faster. */
static int $NAME(const $T* x, int64_t n, int64_t kept, $RESULT* sorted, const volatile int32_t* cancel) {
  $K keys[$NEAR];
  int64_t i = 0, left = kept * 8 + n / 4;
  for (; i < kept && i < n; ++i) $NAME_one($KEYOF, i, x, i, keys, sorted);
  if (i == n) return 1;
  $K last = keys[kept - 1];
  while (i < n) {
    if (harp_is_set(cancel)) return 1;
    const int64_t end = n - i > 65536 ? i + 65536 : n;
    for (; i + 4 * $L <= end; i += 4 * $L) {
      $V of[4];
      for (int64_t v = 0, at = i; v < 4; ++v, at += $L) of[v] = $KEYSAT;
      if (!$ANY((of[0] $BEFORE last) | (of[1] $BEFORE last) | (of[2] $BEFORE last) | (of[3] $BEFORE last))) continue;
      for (int64_t v = 0; v < 4; ++v) {
        if (!$ANY(of[v] $BEFORE last)) continue;
        for (int64_t lane = 0; lane < $L; ++lane) {
          const $K key = of[v][lane];
          if (!(key $BEFORE last)) continue;
          $NAME_one(key, i + v * $L + lane, x, kept - 1, keys, sorted);
          last = keys[kept - 1];
          --left;
        }
      }
      if (left < 0) return 0;
    }
    for (; i < end; ++i) {
      const $K key = $KEYOF;
      if (!(key $BEFORE last)) continue;
      $NAME_one(key, i, x, kept - 1, keys, sorted);
      last = keys[kept - 1];
    }
  }
  return 1;
}
)";
constexpr std::string_view kHasLost = R"(/* Whether one of these elements is a zero or a NaN. */
static inline int has_zero_or_nan_$G(const $T* x, int64_t n) {
  int found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const $U distance = ((const $A*)x)[i] & $REST;
    found |= distance == 0 || distance > $INFINITY;
  }
  return found;
}
)";

// Placeholders: $COLUMNSLOST and $ROWLOST declare and set the mask of lanes that contain -0 or NaN, $ELEMENTS replaces keys by elements,
// $RESTORECOLUMNS and $RESTOREROWOF restore zeros and NaNs.
constexpr std::string_view kRowsOfValues =
    R"(/* Stores the first `kept` elements of each row, sorted. */
static __attribute__((noinline)) void sort_first_$F(const $T* x, int64_t rows, int64_t n, int64_t kept, $T* sorted, const volatile int32_t* cancel) {
  $T part[$NEAR * $L] __attribute__((aligned($ALIGNMENT))), best[($NEAR + 1) * $L] __attribute__((aligned($ALIGNMENT)));
  int64_t k = 8;
  while (k < kept) k *= 2;
  $TOGETHERfor (int64_t row = 0; row < together; row += $L) {
    if (harp_is_set(cancel)) return;
    const int64_t first = row + $L <= together ? row : together - $L; /* the last block overlaps */
    const $T* const from = x + first * n;
    $T* const to = sorted + first * kept;
    $COLUMNSLOSTselect_columns_$F(from, n, k, part, best, cancel);
$ELEMENTS    $TRANSPOSE(to, kept, best, $L, $L, kept);
$RESTORECOLUMNS  }
  x += together * n, sorted += together * kept;
  for (int64_t row = together; row < rows; ++row, x += n, sorted += kept) {
    if (harp_is_set(cancel)) return;
    if ((inserts || together > 0) && $INSERT(x, n, kept, sorted, cancel)) continue;
    if (n <= $FEW ? n <= 4 * k : n <= $HALF * k) {
      if (n <= $FEW) sort_few_$F(x, n, part);
      else sort_row_$F(x, n, part, best, cancel);
      for (int64_t i = 0; i < kept; ++i) sorted[i] = part[i];
      continue;
    }
    $ROWLOSTselect_row_$F(x, n, k, part, best, cancel);
$ELEMENTS    for (int64_t i = 0; i < kept; ++i) sorted[i] = best[i * $L];
$RESTOREROWOF  }
}
)";

constexpr std::string_view kCollect =
    R"(/* Stores the indices of the first `kept` keys of a row in sorted order. The last of these keys is sorted[(kept - 1) * step], and key i is
   sorted[i * step]. Stores nothing if the run was cancelled before all of them were found. */
static void collect_$F(const $T* keys, int64_t n, int64_t kept, const $T* sorted, int64_t step, int64_t* order) {
  const $T last = sorted[(kept - 1) * step];
  int64_t equal = 1, count = 0, where[$NEAR], found[$NEAR + $L];
  $T chosen[$NEAR] = {0};
  while (equal < kept && sorted[(kept - 1 - equal) * step] == last) ++equal;
  for (int64_t first = 0; first < n && count < kept; first += $L) {
    const int64_t end = n - first < $L ? n : first + $L;
    if (end - first == $L && !$ANY(*(const $V*)(keys + first) <= last)) continue;
    for (int64_t i = first; i < end; ++i) {
      const int is_equal = (keys[i] == last) & (equal > 0), is_first = (keys[i] < last) | is_equal;
      found[count] = i;
      count += is_first;
      equal -= is_equal;
    }
  }
  if (count < kept) return;
  for (int64_t i = 0; i < kept; ++i) chosen[i] = keys[found[i]];
  $ARGSORTKEYS(chosen, kept, where);
  for (int64_t i = 0; i < kept; ++i) order[i] = found[where[i]];
}
)";

constexpr std::string_view kRowsOfIndices =
    R"(/* Stores the indices of the first `kept` keys of each row in ascending order; equal keys keep their order. */
static __attribute__((noinline)) void argsort_first_$F(const $T* keys, int64_t rows, int64_t n, int64_t kept, int64_t* order, const volatile int32_t* cancel) {
  $T part[$NEAR * $L] __attribute__((aligned($ALIGNMENT))), best[($NEAR + 1) * $L] __attribute__((aligned($ALIGNMENT)));
  int64_t all[$FEW], k = 8;
  while (k < kept) k *= 2;
  const int is_short = n <= $FEW && (n <= 4 * k || rows < $L);
  $TOGETHERif (is_short) together = 0;
  for (int64_t row = 0; row < together; row += $L) {
    if (harp_is_set(cancel)) return;
    const int64_t first = row + $L <= together ? row : together - $L; /* the last block overlaps */
    select_columns_$F(keys + first * n, n, k, part, best, cancel);
    for (int64_t i = 0; i < $L; ++i) collect_$F(keys + (first + i) * n, n, kept, best + i, $L, order + (first + i) * kept);
  }
  keys += together * n, order += together * kept;
  for (int64_t row = together; row < rows; ++row, keys += n, order += kept) {
    if (harp_is_set(cancel)) return;
    if ((inserts || together > 0) && $INSERT(keys, n, kept, order, cancel)) continue;
    if (is_short) {
      $ARGSORTKEYS(keys, n, all);
      for (int64_t i = 0; i < kept; ++i) order[i] = all[i];
    } else if (n <= $HALF * k) {
      sort_row_$F(keys, n, part, best, cancel);
      collect_$F(keys, n, kept, part, 1, order);
    } else {
      select_row_$F(keys, n, k, part, best, cancel);
      collect_$F(keys, n, kept, best, $L, order);
    }
  }
}
)";

// Placeholders, for plain C99 (RenderOptions::plain_text), which has no vectors. $RESULT: the type of what is stored. $STORED: element i of
// a row, or its index. $KEY: the key of element i. $NAME: the name of the function. $NUMBER: the type of a key.
constexpr std::string_view kByElements =
    R"(/* Stores the first `kept` elements of each row, or their indices, in sorted order: inserts each element behind all that come before it or
   equal it, and drops the last one if there are more than `kept`. */
static void $NAME(const $T* x, int64_t rows, int64_t n, int64_t kept, $RESULT* sorted, const volatile int32_t* cancel) {
  $NUMBER keys[$NEAR];
  for (int64_t row = 0; row < rows; ++row, x += n, sorted += kept) {
    int64_t held = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (i % 65536 == 0 && harp_is_set(cancel)) return;
      const $NUMBER key = $KEY;
      if (held == kept && !(key $BEFORE keys[kept - 1])) continue;
      int64_t at = held < kept ? held++ : kept - 1;
      for (; at > 0 && key $BEFORE keys[at - 1]; --at) keys[at] = keys[at - 1], sorted[at] = sorted[at - 1];
      keys[at] = key;
      sorted[at] = $STORED;
    }
  }
}
)";

// The number of rows that are processed together, one in each lane, and whether the elements of the other rows are inserted one by one. An
// insertion takes about 30 ns, and a row in random order needs about k * (1 + log(n / k)) of them; finding them takes 0.1 ns for each
// element. The networks take 0.6 to 1.4 ns for each element of a row if rows fill the lanes, and 1 to 3 ns otherwise. A row that needs many
// more insertions (its elements ascend, for example) is left to the networks.
constexpr std::string_view kTogether =
    R"(const int inserts = n > (rows >= $L ? $MANYROWS : $FEWROWS * (1 + kept / 24)) * kept || (rows < $L && n <= 8);
  int64_t together = inserts || rows < $L ? 0 : rows;
  if (n > $FEWROWS * kept && together % $L <= $L / 4) together -= together % $L; /* instead of a block for a few rows */
  )";
constexpr int64_t kInsertsOfFewRows = 24, kInsertsOfManyRows = 256;  // the smallest ratios of n to k at which elements are inserted

std::string select_by_elements(SortText& text, const std::string& name, bool indices) {
  if (!indices) text.define_key();
  text.values.merge(Filling{{"NAME", name},
                            {"RESULT", indices ? "int64_t" : text.values["T"]},
                            {"NUMBER", text.values[indices ? "T" : "U"]},
                            {"KEY", indices ? "x[i]" : filled("key_$G(((const $A*)x)[i])", text.values)},
                            {"STORED", indices ? "i" : "x[i]"}});
  text.define(name, kByElements);
  return name;
}

/// Defines the function that inserts the elements of a row, or their indices, into a list. Sets $INSERT to its name.
void define_insertion(SortText& text, bool indices) {
  const Filling values = text.values;
  if (!indices) text.define_key();
  if (text.loses) text.define_keys_at();
  const std::string name = cat(indices ? "argsort_by_insertion_" : "sort_by_insertion_", text.routine);
  text.values.merge(Filling{{"NAME", name},
                            {"RESULT", indices ? "int64_t" : text.values["T"]},
                            {"STORED", indices ? "i" : "x[i]"},
                            {"KEYSAT", filled(text.loses ? "keys_at_$G(x + at)" : "*(const $V*)(x + at)", text.values)},
                            {"KEYOF", filled(text.loses ? "($K)(key_$G(((const $A*)x)[i]) - $SIGN)" : "x[i]", text.values)}});
  text.define(name, kInsertRow);
  text.values = values;
  text.values.merge(Filling{{"INSERT", name}, {"FEWROWS", cat(kInsertsOfFewRows)}, {"MANYROWS", cat(kInsertsOfManyRows)}});
  text.values["TOGETHER"] = filled(kTogether, text.values);
}

/// Defines select_columns_$F and select_row_$F.
void define_selection(SortText& text) {
  text.define_network();
  Filling& values = text.values;
  values.merge(Filling{{"ANY", any_function(text.unit, text.bits, text.lanes)},
                       {"HALF", cat(text.lanes / 2)},
                       {"ALIGNMENT", cat(text.lanes * text.bits / 8)},
                       {"LOST", text.loses ? values["M"] : "void"},
                       {"DECLARELOST", text.loses ? filled("  $M lost = {0};\n", values) : ""},
                       {"KEYS", text.loses ? filled("    lost |= block_keys_$G(part, lines);\n", values) : ""},
                       {"RETURNLOST", text.loses ? "  return lost;\n" : ""}});
  text.define("merge_best_$F", kMerge);
  text.define("select_columns_$F", kSelectColumns);
  text.define("select_row_$F", kSelectRow);
}

}  // namespace

std::string sort_first_function(Unit& unit, DType dtype, bool descending) {
  SortText text(unit, dtype, descending);
  const std::string name = cat("sort_first_", text.routine);
  if (text.lanes == 1) return select_by_elements(text, name, false);
  define_selection(text);
  text.define_sort_row();
  text.define_sort_few();
  const auto if_lost = [&](std::string_view statements) { return text.loses ? filled(statements, text.values) : std::string(); };
  if (text.loses) text.define("has_zero_or_nan_$G", kHasLost);
  text.values.merge(
      Filling{{"COLUMNSLOST", if_lost("const $M lost = ")},
              {"ROWLOST", if_lost("const $M lost = ")},
              {"ELEMENTS", if_lost("    block_elements_$G(best, kept);\n")},
              {"RESTORECOLUMNS", if_lost("    for (int i = 0; i < $L; ++i)\n      if (lost[i] && has_zero_or_nan_$G(to + i * kept, kept)) "
                                         "restore_$F(from + i * n, n, to + i * kept, kept);\n")},
              {"RESTOREROWOF", if_lost("    if ($ANY(lost) && has_zero_or_nan_$G(sorted, kept)) restore_$F(x, n, sorted, kept);\n")}});
  define_insertion(text, false);
  text.define(name, kRowsOfValues);
  return name;
}

std::string argsort_first_function(Unit& unit, DType keys) {
  SortText text(unit, keys, false);
  const std::string name = cat("argsort_first_", text.routine);
  if (text.lanes == 1) return select_by_elements(text, name, true);
  define_selection(text);
  text.define_sort_row();
  text.values["ARGSORTKEYS"] = argsort_few_function(unit, keys);
  text.define("collect_$F", kCollect);
  define_insertion(text, true);
  text.define(name, kRowsOfIndices);
  return name;
}

}  // namespace harp::render
