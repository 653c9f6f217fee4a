// Writes the sort routine. Many short rows are sorted together by a sorting network, one row in each vector lane; the exchanges of the
// network do not depend on the data. If there are only a few short rows, they are sorted by rank: the position of an element is the number
// of elements that come before it. Long rows are sorted by an LSD radix sort with 8-bit digits.
//
// What is sorted are keys: integers that are in the same order as the elements. The key of a float is its signed distance from 0. So both
// zeros have the same key, and all NaNs have the greatest key. A key does not contain the sign of a zero or the bits of a NaN. In rows with
// -0 or NaN, these elements are restored after the sort, in their original order. Rows of fewer than eight elements move with their keys
// instead (short_rows.cpp).
#include <limits>
#include <optional>
#include <span>

#include "base/text.h"
#include "ops/sort_rows.h"
#include "render/c/instructions.h"
#include "render/c/vector_functions.h"
#include "render/routines/routines.h"
#include "render/routines/sort_text.h"

namespace harp::render {
namespace {

// Placeholders. $T: the type of an element in memory. $G: the name of its dtype. $F: $G and the direction of the sort. $U: the unsigned
// type of the same width. $K: the type of a key (signed for floats). $V: a vector of $L keys. $M: a vector of their masks. $A: $U with the
// attribute may_alias. $SIGN: the highest bit. $REST: all other bits. $BEFORE: < or >.

/// An exchange of a sorting network: it compares lines a and b, which are vectors of keys, and in each lane exchanges the two keys if they
/// are not in order. kMergeEight contains the exchanges of eight lines at the distances 4, 2 and 1, and kSortEight those that sort eight
/// lines.
struct Exchange {
  int a, b;
};
constexpr Exchange kMergeEight[] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}};
constexpr Exchange kSortEight[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
                                   {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

constexpr std::string_view kKeyOfFloat =
    R"(/* An unsigned integer in the order of the elements. Both zeros have one key, and so have all NaNs. */
static inline $U key_$G($U bits) {
  const $U distance = bits & $REST;
  return distance > $INFINITY ? $SIGN | $REST : bits & $SIGN ? $SIGN - distance : $SIGN + distance;
}
)";
constexpr std::string_view kFloatOfKey = R"(/* The element with this key. */
static inline $U bits_$G($U key) { return key < $SIGN ? $SIGN | ($SIGN - key) : key - $SIGN; }
)";
constexpr std::string_view kIsLost = R"(/* Whether the element is -0 or a NaN, whose bits the key does not hold. */
static inline int is_lost_$G($U bits) { return bits == $SIGN || (bits & $REST) > $INFINITY; }
)";
constexpr std::string_view kKeyOfInteger = R"(/* An unsigned integer in the order of the elements. */
static inline $U key_$G($U bits) { return bits ^ $SIGN; }
)";
constexpr std::string_view kIntegerOfKey = R"(/* The element with this key. */
static inline $U bits_$G($U key) { return key ^ $SIGN; }
)";

constexpr std::string_view kRestore =
    R"(/* Copies the zeros and NaNs of x, in their order, over the zeros and NaNs of the first `kept` elements of the sorted row. */
static __attribute__((noinline)) void restore_$F(const $T* x, int64_t n, $T* sorted, int64_t kept) {
  const $U zero = key_$G(0), nan = key_$G($REST);
  int64_t next_zero = 0, next_nan = 0;
  for (int64_t i = 0; i < n; ++i) {
    const $U key = key_$G(((const $A*)x)[i]);
    next_zero += key $BEFORE zero;
    next_nan += key $BEFORE nan;
  }
  for (int64_t i = 0; i < n; ++i) {
    const $U key = key_$G(((const $A*)x)[i]);
    if (key == zero && next_zero < kept) (($A*)sorted)[next_zero++] = ((const $A*)x)[i];
    if (key == nan && next_nan < kept) (($A*)sorted)[next_nan++] = ((const $A*)x)[i];
  }
}
)";

constexpr std::string_view kRadix =
    R"(/* Long rows: a stable radix sort. Each pass sorts by one byte, from one array to the other; a byte that is equal in all keys needs no pass. */
static void sort_row_$F(const $T* x, int64_t n, $T* sorted, $T* spare, const volatile int32_t* cancel) {
  int64_t counts[$BYTES][256] = {{0}};
  $A *from = ($A*)spare, *to = ($A*)sorted;
$LOSTINROW  for (int64_t i = 0, end; i < n;) {
    if (harp_is_set(cancel)) return;
    for (end = n - i > 65536 ? i + 65536 : n; i < end; ++i) {
      const $U bits = ((const $A*)x)[i], key = key_$G(bits);
      from[i] = key;
      for (int byte = 0; byte < $BYTES; ++byte) ++counts[byte][key >> 8 * byte & 255];
$LOSTHERE    }
  }
  for (int byte = 0; byte < $BYTES; ++byte) {
    int64_t* const next = counts[byte];
    if (next[from[0] >> 8 * byte & 255] == n) continue;
    for (int64_t i = 0, first = 0; i < 256; ++i) {
      int64_t* const value = next + $PLACE;
      const int64_t count = *value;
      *value = first;
      first += count;
    }
    for (int64_t i = 0, end; i < n;) {
      if (harp_is_set(cancel)) return;
      for (end = n - i > 65536 ? i + 65536 : n; i < end; ++i) {
        const $U key = from[i];
        to[next[key >> 8 * byte & 255]++] = key;
      }
    }
    $A* const written = to;
    to = from;
    from = written;
  }
  for (int64_t i = 0; i < n; ++i) (($A*)sorted)[i] = bits_$G(from[i]);
$RESTOREROW}
)";

constexpr std::string_view kByRank =
    R"(/* Short rows: finds the sorted order of the keys and copies the elements in this order. */
static void sort_few_$F(const $T* x, int64_t n, $T* sorted) {
  $U keys[$FEW] = {0};
  int64_t order[$FEW];
  for (int64_t i = 0; i < n; ++i) keys[i] = $FLIPkey_$G(((const $A*)x)[i]);
  $ARGSORTFEW(keys, n, order);
  for (int64_t i = 0; i < n; ++i) (($A*)sorted)[i] = ((const $A*)x)[order[i]];
}
)";

constexpr std::string_view kBlockKeys =
    R"(/* Replaces the elements of a block by signed integers in their order. Returns a mask of the columns that contain -0 or NaN, whose bits the
   integers do not hold. */
static inline $M block_keys_$G($T* block, int64_t n) {
  $M lost = {0};
  for (int64_t i = 0; i < n; ++i) {
    const $V bits = *(const $V*)(block + i * $L), distance = bits & ($K)$REST, sign = bits >> $HIGHEST, key = (distance ^ sign) - sign;
    const $M nan = distance > ($K)$INFINITY;
    lost |= nan | (bits == ($K)$SIGN);
    *($V*)(block + i * $L) = (key & ~nan) | (nan & ($K)$REST);
  }
  return lost;
}
)";
constexpr std::string_view kBlockElements = R"(/* Replaces these integers by the elements. */
static inline void block_elements_$G($T* block, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const $V key = *(const $V*)(block + i * $L), sign = key >> $HIGHEST;
    *($V*)(block + i * $L) = ((key ^ sign) - sign) | (sign & ($K)$SIGN);
  }
}
)";

// Sorts columns: each line is a vector of keys, and each column of the lines is a row of the array to sort. The algorithm consists of
// bitonic merges in which all exchanges have the same direction. The number of lines is not padded to a power of two. Additional lines
// would be greater than all others, so exchanges with them would have no effect. Eight lines are sorted in registers. Exchanges over short
// distances are executed while the data is in L1, two steps in one pass over it.
constexpr std::string_view kExtremes =
    R"(/* A line is a vector of keys, one of each row. first: in each lane the key of x or y that comes first in the sorted row; second: the other. */
static inline $V first_$F($V x, $V y) {
$FIRST}
static inline $V second_$F($V x, $V y) {
$SECOND}
)";
constexpr std::string_view kKeysAt = R"(/* The keys of a vector of elements. */
static inline $V keys_at_$G(const $T* x) {
  const $V bits = *(const $V*)x, distance = bits & ($K)$REST, sign = bits >> $HIGHEST, key = (distance ^ sign) - sign;
  const $M nan = distance > ($K)$INFINITY;
  return (key & ~nan) | (nan & ($K)$REST);
}
)";
constexpr std::string_view kNetwork =
    R"(static inline void exchange_$F($T* a, $T* b) {
  const $V x = *(const $V*)a, y = *(const $V*)b;
  *($V*)a = first_$F(x, y);
  *($V*)b = second_$F(x, y);
}
/* merge_eight sorts eight lines that are two sorted runs of four, the second one ascending or descending; sort_eight sorts any eight lines. */
static inline void merge_eight_$F($T* a) {
$MERGEEIGHT}
static inline void sort_eight_$F($T* a) {
$SORTEIGHT}
/* In each group of 2 d of the n lines, exchanges line i with line i + d where they are not in order. */
static inline void exchange_apart_$F($T* keys, int64_t d, int64_t n) {
  for (int64_t at = 0; at + d < n; at += 2 * d)
    for (int64_t i = at; i < at + d && i + d < n; ++i) exchange_$F(keys + i * $L, keys + (i + d) * $L);
}
/* The same, followed by exchanges at distance d / 2, with one pass over memory. */
static inline void exchange_twice_$F($T* keys, int64_t d, int64_t n) {
  const int64_t half = d / 2 * $L;
  int64_t at = 0;
  for (; at + 2 * d <= n; at += 2 * d)
    for ($T* a = keys + at * $L; a < keys + at * $L + half; a += $L) {
      const $V x0 = *(const $V*)a, x1 = *(const $V*)(a + half), x2 = *(const $V*)(a + 2 * half), x3 = *(const $V*)(a + 3 * half);
      const $V y0 = first_$F(x0, x2), y1 = first_$F(x1, x3), y2 = second_$F(x0, x2), y3 = second_$F(x1, x3);
      *($V*)a = first_$F(y0, y1);
      *($V*)(a + half) = second_$F(y0, y1);
      *($V*)(a + 2 * half) = first_$F(y2, y3);
      *($V*)(a + 3 * half) = second_$F(y2, y3);
    }
  exchange_apart_$F(keys + at * $L, d, n - at);
  exchange_apart_$F(keys + at * $L, d / 2, n - at);
}
/* Exchanges at the distances d, d / 2 ... 1. */
static void settle_near_$F($T* keys, int64_t d, int64_t n) {
  for (; d > 8; d /= 4) exchange_twice_$F(keys, d, n);
  if (d == 8) exchange_apart_$F(keys, 8, n), d = 4;
  int64_t done = 0;
  if (d == 4)
    for (; done + 8 <= n; done += 8) merge_eight_$F(keys + done * $L);
  for (; d > 0; d /= 2) exchange_apart_$F(keys + done * $L, d, n - done);
}
/* Merges two sorted runs, of which the first has `run` lines: exchanges lines at equal distances from the border, then at distances
   run / 2, run / 4 ... 1. */
static void merge_columns_$F($T* keys, int64_t run, int64_t n) {
  for (int64_t i = 2 * run - n; i < run; ++i) exchange_$F(keys + i * $L, keys + (2 * run - 1 - i) * $L);
  int64_t d = run / 2;
  for (; d >= $NEAR; d /= 2) exchange_apart_$F(keys, d, n);
  if (d == 0) return;
  for (int64_t at = 0; at < n; at += 2 * d) settle_near_$F(keys + at * $L, d, n - at < 2 * d ? n - at : 2 * d);
}
/* Sorts fewer than eight lines, together with lines of the key that comes last. */
static void sort_few_lines_$F($T* keys, int64_t lines) {
  $T eight[8 * $L] __attribute__((aligned(64)));
  for (int64_t i = 0; i < lines; ++i) *($V*)(eight + i * $L) = *(const $V*)(keys + i * $L);
  for (int64_t i = lines; i < 8; ++i) *($V*)(eight + i * $L) = ($V){0} + ($K)$LAST;
  sort_eight_$F(eight);
  for (int64_t i = 0; i < lines; ++i) *($V*)(keys + i * $L) = *(const $V*)(eight + i * $L);
}
/* Sorts each column of at most $NEAR lines. */
static void sort_run_$F($T* keys, int64_t lines) {
  int64_t eights = 0;
  for (; eights + 8 <= lines; eights += 8) sort_eight_$F(keys + eights * $L);
  if (eights < lines) sort_few_lines_$F(keys + eights * $L, lines - eights);
  for (int64_t run = 8; run < lines; run *= 2)
    for (int64_t at = 0; at + run < lines; at += 2 * run)
      merge_columns_$F(keys + at * $L, run, lines - at < 2 * run ? lines - at : 2 * run);
}
)";
constexpr std::string_view kBlock =
    R"(/* Sorts each column of n lines. */
static void sort_columns_$F($T* keys, int64_t n) {
  for (int64_t first = 0; first < n; first += $NEAR) sort_run_$F(keys + first * $L, n - first < $NEAR ? n - first : $NEAR);
  for (int64_t run = $NEAR; run < n; run *= 2)
    for (int64_t at = 0; at + run < n; at += 2 * run)
      merge_columns_$F(keys + at * $L, run, n - at < 2 * run ? n - at : 2 * run);
}
/* Sorts $L rows at once: they become columns of a block, one in each lane. */
static void sort_block_$F(const $T* x, int64_t n, $T* sorted, $T* block) {
  $TRANSPOSE(block, $L, x, n, n, $L);
$TOKEYS  sort_columns_$F(block, n);
$TOELEMENTS  $TRANSPOSE(sorted, n, block, $L, $L, n);
$RESTOREBLOCK}
)";

constexpr std::string_view kRowsOfBlocks =
    R"(  if (rows >= $L && n <= $SHORT) {
    for (int64_t row = 0; row < rows; row += $TOGETHER) {
      if (harp_is_set(cancel)) return;
      $SHORTROWS(x + row * n, rows - row < $TOGETHER ? rows - row : $TOGETHER, n, sorted + row * n);
    }
    return;
  }
  if (rows >= $L && n <= $MOST) {
    for (int64_t row = 0; row < rows; row += $L) {
      if (harp_is_set(cancel)) return;
      const int64_t first = row + $L <= rows ? row : rows - $L; /* the last block overlaps */
      sort_block_$F(x + first * n, n, sorted + first * n, spare);
    }
    return;
  }
)";
constexpr std::string_view kRows =
    R"(static __attribute__((noinline)) void sort_$F(const $T* x, int64_t rows, int64_t n, $T* sorted, $T* spare, const volatile int32_t* cancel) {
  for (int64_t i = 0; n == 1 && i < rows; i += 65536) {
    if (harp_is_set(cancel)) return;
    __builtin_memcpy(sorted + i, x + i, (size_t)(rows - i < 65536 ? rows - i : 65536) * sizeof *x);
  }
  if (n <= 1) return;
$BLOCKS  for (int64_t row = 0; row < rows; ++row, x += n, sorted += n) {
    if (harp_is_set(cancel)) return;
    if (n <= $FEW) sort_few_$F(x, n, sorted);
    else sort_row_$F(x, n, sorted, spare, cancel);
  }
}
)";

/// Returns the bits of positive infinity in this dtype.
uint64_t infinity_of(DType dtype) { return scalar_from_double(dtype, std::numeric_limits<double>::infinity()).bits[0]; }

std::string hexadecimal(uint64_t bits, int count) {
  std::string digits;
  for (int shift = count - 4; shift >= 0; shift -= 4) digits += "0123456789abcdef"[bits >> shift & 15];
  return cat("0x", digits, count == 64 ? "ull" : "u");
}

}  // namespace

namespace {

/// Returns the body of a function that loads eight lines from `a`, executes the exchanges in registers, and stores the lines.
std::string exchanges_of_eight(std::span<const Exchange> exchanges, const Filling& values) {
  std::string text;
  for (int i = 0; i < 8; ++i) append(text, filled(cat("  $V x", i, " = *(const $V*)(a + ", i, " * $L);\n"), values));
  for (const Exchange& e : exchanges) {
    const std::string both = cat("(x", e.a, ", x", e.b, ")");
    append(text, filled(cat("  { const $V x = first_$F", both, "; x", e.b, " = second_$F", both, "; x", e.a, " = x; }\n"), values));
  }
  for (int i = 0; i < 8; ++i) append(text, filled(cat("  *($V*)(a + ", i, " * $L) = x", i, ";\n"), values));
  return text;
}

}  // namespace

SortText::SortText(Unit& of, DType sorted, bool descending)
    : unit(of),
      dtype(sorted),
      bits(8 * static_cast<int>(size_of(sorted))),
      lanes(of.options.plain_text ? 1 : of.options.target.cpu().vector_bytes * 8 / bits),
      loses(is_float(sorted)) {
  const DType unsigned_key = unsigned_of(bits), key = loses ? signed_of(bits) : dtype;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const bool has_sign = loses || is_signed_int(dtype);
  const uint64_t greatest = has_sign ? sign - 1 : sign | (sign - 1), least = has_sign ? sign : 0;
  const std::string any_memory = cat("any_", harp::name(unsigned_key));
  routine = cat(harp::name(dtype), descending ? "_descending" : "");
  values = {{"T", std::string(memory_type(dtype))},
            {"G", std::string(harp::name(dtype))},
            {"F", routine},
            {"U", std::string(memory_type(unsigned_key))},
            {"A", any_memory},
            {"K", std::string(memory_type(key))},
            {"L", cat(lanes)},
            {"BYTES", cat(bits / 8)},
            {"HIGHEST", cat(bits - 1)},
            {"SIGN", has_sign ? hexadecimal(sign, bits) : "0"},
            {"REST", hexadecimal(sign - 1, bits)},
            {"INFINITY", loses ? hexadecimal(infinity_of(dtype), bits) : ""},
            {"LAST", hexadecimal(descending ? least : greatest, bits)},
            {"BEFORE", descending ? ">" : "<"},
            {"PLACE", descending ? "255 - i" : "i"},
            {"FLIP", descending ? "~" : ""},
            {"FEW", cat(kFewKeys)},
            {"MOST", cat(kMaxSortedSideBySide)},
            {"NEAR", cat(kNearLines)},
            {"LOSTINROW", loses ? "  int is_lost = 0;\n" : ""},
            {"LOSTHERE", loses ? cat("      is_lost |= is_lost_", harp::name(dtype), "(bits);\n") : ""},
            {"RESTOREROW", loses ? cat("  if (is_lost) restore_", routine, "(x, n, sorted, n);\n") : ""}};
  unit.definitions.type_once(any_memory, filled("typedef $U $A __attribute__((may_alias));\n", values));
}

void SortText::define(std::string_view key, std::string_view text) {
  unit.definitions.once(filled(key, values), [&] { return filled(text, values); });
}

void SortText::define_key() { define("key_$G", loses ? kKeyOfFloat : kKeyOfInteger); }

void SortText::define_restore() {
  define_key();
  define("restore_$F", kRestore);
}

void SortText::define_sort_row() {
  define_key();
  define("bits_$G", loses ? kFloatOfKey : kIntegerOfKey);
  if (loses) {
    define("is_lost_$G", kIsLost);
    define_restore();
  }
  define("sort_row_$F", kRadix);
}

void SortText::define_sort_few() {
  define_key();
  values["ARGSORTFEW"] = argsort_few_function(unit, unsigned_of(bits));
  define("sort_few_$F", kByRank);
}

void SortText::define_lines() {
  const DType key = loses ? signed_of(bits) : dtype;
  values["V"] = memory_vector(unit, key, lanes);
  values["M"] = mask_type(unit, bits, lanes);
  values["TRANSPOSE"] = transpose_function(unit, dtype, false, false);
  const auto first_of = [&](bool greater) {
    const std::string chosen = cat("  return ", select_function(unit, key, lanes), "(x ", greater ? ">" : "<", " y, x, y);\n");
    const std::optional<std::string> instruction = extreme_of_two(greater, key, lanes, unit.options.target.cpu());
    return instruction ? cat("#if defined(__clang__)\n", chosen, "#else\n  return ", *instruction, ";\n#endif\n") : chosen;
  };
  const bool is_descending = values["BEFORE"] == ">";
  values["FIRST"] = first_of(is_descending);
  values["SECOND"] = first_of(!is_descending);
  define("first_$F", kExtremes);
}

void SortText::define_keys_at() { define("keys_at_$G", kKeysAt); }

void SortText::define_network() {
  define_lines();
  values["MERGEEIGHT"] = exchanges_of_eight(kMergeEight, values);
  values["SORTEIGHT"] = exchanges_of_eight(kSortEight, values);
  define("sort_run_$F", kNetwork);
  if (!loses) return;
  define("block_keys_$G", kBlockKeys);
  define("block_elements_$G", kBlockElements);
  define_restore();
}

std::string sort_function(Unit& unit, DType dtype, bool descending) {
  SortText text(unit, dtype, descending);
  text.define_sort_row();
  text.define_sort_few();
  Filling& values = text.values;
  if (text.lanes > 1) {
    text.define_network();
    values["TOGETHER"] = cat(kShortRowsTogether);
    values["SHORT"] = cat(kLongestSorted);
    values["SHORTROWS"] = sort_short_rows_function(text);
    values["TOKEYS"] = text.loses ? filled("  const $M lost = block_keys_$G(block, n);\n", values) : "";
    values["TOELEMENTS"] = text.loses ? filled("  block_elements_$G(block, n);\n", values) : "";
    values["RESTOREBLOCK"] =
        text.loses
            ? filled("  for (int row = 0; row < $L; ++row)\n    if (lost[row]) restore_$F(x + row * n, n, sorted + row * n, n);\n", values)
            : "";
  }
  values["BLOCKS"] = text.lanes > 1 ? filled(kRowsOfBlocks, values) : "";
  text.define("sort_$F", cat(text.lanes > 1 ? kBlock : "", kRows));
  return filled("sort_$F", values);
}

}  // namespace harp::render
