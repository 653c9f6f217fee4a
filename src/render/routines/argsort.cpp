// Writes the argsort routine: a stable LSD radix sort with 8-bit digits. Its steps do not depend on the order of the keys. A pass is
// skipped if its digit is equal in all keys. The passes move 64-bit records. A record contains 32 bits of the key in its upper half and the
// index of the element in its lower half. If a pass needs other bits of the key, it reads the key again, by the index. Short rows are
// sorted by counting: the position of an element is the number of elements that come before it in the order. Vector code counts them in
// less time than the setup of a radix pass takes. Many rows of a few elements are sorted together (short_rows.cpp).
#include <numeric>

#include "base/text.h"
#include "render/routines/routines.h"
#include "render/routines/sort_text.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

// Placeholders. $T: the type of the keys. $U: the unsigned type of the same width. $F: the name of the dtype. $BYTES: bytes of a key.
// $SIGN: the constant whose XOR maps the order of the keys to the order of unsigned numbers. $V: a vector of $L keys. $M: a vector of their
// masks.

constexpr std::string_view kRadix = R"(/* Counts the values of each byte of the keys. */
static inline void count_bytes_$F(const $T* keys, int64_t n, int64_t counts[$BYTES][256]) {
  for (int byte = 0; byte < $BYTES; ++byte)
    for (int value = 0; value < 256; ++value) counts[byte][value] = 0;
  for (int64_t i = 0; i < n; ++i) {
    const $U key = ($U)keys[i] ^ $SIGN;
    for (int byte = 0; byte < $BYTES; ++byte) ++counts[byte][key >> 8 * byte & 255];
  }
}
/* Writes the indices of n keys in ascending order to `order`; equal keys keep their order. Each pass of the radix sort moves the indices
   from one array to the other. If indices fit 32 bits, an index and 32 bits of its key are one number. */
static void argsort_row_$F(const $T* keys, int64_t n, int64_t* order, int64_t* spare, const volatile int32_t* cancel) {
  int64_t counts[$BYTES][256];
  count_bytes_$F(keys, n, counts);
  int bytes[$BYTES], passes = 0;
  for (int byte = 0; byte < $BYTES; ++byte)
    if (counts[byte][(($U)keys[0] ^ $SIGN) >> 8 * byte & 255] < n) bytes[passes++] = byte;
  const int is_paired = n <= 0xffffffff;
  const int64_t* from = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const int byte = bytes[pass];
    int64_t* const next = counts[byte];
    for (int64_t value = 0, first = 0; value < 256; ++value) {
      const int64_t count = next[value];
      next[value] = first;
      first += count;
    }
    int64_t* const to = (passes - pass) % 2 ? order : spare;
    const uint64_t kept = is_paired && pass + 1 == passes ? 0xffffffff : -1ull;
    if (is_paired && pass > 0 && byte / 4 == bytes[pass - 1] / 4) {
      for (int64_t i = 0, end; i < n;) {
        if (harp_is_set(cancel)) return;
        for (end = n - i > 65536 ? i + 65536 : n; i < end; ++i) {
          const uint64_t pair = (uint64_t)from[i];
          to[next[pair >> (32 + 8 * (byte % 4)) & 255]++] = (int64_t)(pair & kept);
        }
      }
    } else {
      for (int64_t i = 0, end; i < n;) {
        if (harp_is_set(cancel)) return;
        for (end = n - i > 65536 ? i + 65536 : n; i < end; ++i) {
          const int64_t index = !from ? i : is_paired ? from[i] & 0xffffffff : from[i];
          const $U key = ($U)keys[index] ^ $SIGN;
          const uint64_t pair = is_paired ? (uint64_t)(key >> 8 * (byte / 4 * 4)) << 32 | (uint64_t)index : (uint64_t)index;
          to[next[key >> 8 * byte & 255]++] = (int64_t)(pair & kept);
        }
      }
    }
    from = to;
  }
  for (int64_t i = 0; i < n && passes == 0; ++i) order[i] = i;
}
)";

constexpr std::string_view kFewByVectors =
    R"(/* Short rows: an element comes after all smaller elements and after all equal elements before it. */
static void argsort_few_$F(const $T* keys, int64_t n, int64_t* order) {
  $T row[$FEW] = {0};
  $S before[$FEW];
  for (int64_t i = 0; i < n; ++i) row[i] = keys[i];
  for (int64_t first = 0; first < n; first += $L) {
    const $V these = *(const $V*)(row + first);
    const int64_t end = first + $L < n ? first + $L : n;
    $M count = {0};
    for (int64_t i = 0; i < first; ++i) count -= row[i] <= these;
    for (int64_t i = first; i < end; ++i) count -= (row[i] < these) | ((row[i] == these) & (($M){$LANES} > ($S)(i - first)));
    for (int64_t i = end; i < n; ++i) count -= row[i] < these;
    *($M*)(before + first) = count;
  }
  for (int64_t i = 0; i < n; ++i) order[before[i]] = i;
}
)";

constexpr std::string_view kFewByElements =
    R"(/* Short rows: an element comes after all smaller elements and after all equal elements before it. */
static void argsort_few_$F(const $T* keys, int64_t n, int64_t* order) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t before = 0;
    for (int64_t j = 0; j < i; ++j) before += keys[j] <= keys[i];
    for (int64_t j = i + 1; j < n; ++j) before += keys[j] < keys[i];
    order[before] = i;
  }
}
)";

constexpr std::string_view kRowsTogether =
    R"(  if (n > 1 && n <= $SHORT && rows >= $L) {
    for (int64_t row = 0; row < rows; row += $TOGETHER) {
      if (harp_is_set(cancel)) return;
      $SHORTROWSOF(keys + row * n, rows - row < $TOGETHER ? rows - row : $TOGETHER, n, order + row * n);
    }
    return;
  }
)";

constexpr std::string_view kRows =
    R"(static __attribute__((noinline)) void argsort_$F(const $T* keys, int64_t rows, int64_t n, int64_t* order, int64_t* spare, const volatile int32_t* cancel) {
  for (int64_t i = 0; n == 1 && i < rows; i += 65536) {
    if (harp_is_set(cancel)) return;
    __builtin_memset(order + i, 0, (size_t)(rows - i < 65536 ? rows - i : 65536) * sizeof *order);
  }
$SHORTROWS  for (int64_t row = 0; n > 1 && row < rows; ++row, keys += n, order += n) {
    if (harp_is_set(cancel)) return;
    if (n <= $FEW) argsort_few_$F(keys, n, order);
    else argsort_row_$F(keys, n, order, spare, cancel);
  }
}
)";

/// Returns the number of keys in a vector, 1 in plain C99.
int lanes_of_keys(const Unit& unit, DType keys) {
  return unit.options.plain_text ? 1 : unit.options.target.cpu().vector_bytes / static_cast<int>(size_of(keys));
}

}  // namespace

std::string argsort_few_function(Unit& unit, DType keys) {
  const int bits = 8 * static_cast<int>(size_of(keys)), lanes = lanes_of_keys(unit, keys);
  const std::string name = cat("argsort_few_", harp::name(keys));
  unit.definitions.once(name, [&] {
    Filling values{{"T", std::string(memory_type(keys))}, {"F", std::string(harp::name(keys))}, {"FEW", cat(kFewKeys)}};
    if (lanes == 1) return filled(kFewByElements, values);
    std::vector<int> numbers(static_cast<size_t>(lanes));
    std::iota(numbers.begin(), numbers.end(), 0);
    values.merge(Filling{{"S", std::string(memory_type(signed_of(bits)))},
                         {"V", memory_vector(unit, keys, lanes)},
                         {"M", mask_type(unit, bits, lanes)},
                         {"L", cat(lanes)},
                         {"LANES", join(numbers, ", ")}});
    return filled(kFewByVectors, values);
  });
  return name;
}

std::string argsort_function(Unit& unit, DType keys) {
  const int bits = 8 * static_cast<int>(size_of(keys));
  const std::string name = cat("argsort_", harp::name(keys)), unsigned_key(memory_type(unsigned_of(bits)));
  argsort_few_function(unit, keys);
  const int lanes = lanes_of_keys(unit, keys);
  std::string short_rows;
  if (lanes > 1)
    short_rows = filled(kRowsTogether, {{"SHORTROWSOF", argsort_short_rows_function(unit, keys)},
                                        {"SHORT", cat(kLongestArgsorted)},
                                        {"TOGETHER", cat(kShortRowsTogether)},
                                        {"L", cat(lanes)}});
  unit.definitions.once(name, [&] {
    return filled(cat(kRadix, kRows), {{"T", std::string(memory_type(keys))},
                                       {"U", unsigned_key},
                                       {"F", std::string(harp::name(keys))},
                                       {"BYTES", cat(bits / 8)},
                                       {"SIGN", is_signed_int(keys) ? cat("((", unsigned_key, ")1 << ", bits - 1, ")") : "0"},
                                       {"SHORTROWS", short_rows},
                                       {"FEW", cat(kFewKeys)}});
  });
  return name;
}

}  // namespace harp::render
