// Sorts on a GPU, which are stable merge sorts. A block sorts a tile in shared memory. Each round merges pairs of sorted runs, and so
// doubles their length: for each element a binary search in the other run finds its position in the merged run. A row longer than a tile is
// sorted in pieces of one tile. Further launches merge these pieces in pairs. Each block then makes one tile of the merged result; a binary
// search finds which elements of the two pieces belong to it.
//
// A sort moves the elements themselves, so -0 and NaN keep their bits and their order, as on a CPU. In comparisons of floats both zeros are
// equal, and all NaNs are equal and greater than all numbers. An argsort moves the positions of its keys, which are integers.
#include <limits>

#include "base/text.h"
#include "ops/grid_routines.h"
#include "render/cuda/routines.h"
#include "render/kernel/address.h"
#include "render/kernel/scalar_functions.h"
#include "render/text/filled.h"

namespace harp::render {
namespace {

// Placeholders. $T: type of an element, or of a key of an argsort. $G: name of its dtype. $F: $G and what is sorted. $K: integer type for
// the order of floats. $BITS: the bits of an element as $K. $REST: all bits except the highest one. $INFINITY: the bits of infinity.
// $BEFORE: the condition that element a comes before element b. $TILE: number of elements of a tile. $THREADS: number of threads of a
// block.

constexpr std::string_view kOrderOfFloats =
    R"(/* An integer in the order of the elements: the distance from 0 with the sign. Both zeros have one, and so have all NaNs. */
$INLINED$K order_$G($T x) {
  const $K bits = $BITS, distance = bits & $REST;
  return distance > $INFINITY ? $REST : bits < 0 ? -distance : distance;
}
)";

constexpr std::string_view kBefore = R"($INLINEDbool before_$F($T a, $T b) { return $BEFORE; }
)";

constexpr std::string_view kPlace =
    R"(/* The place of element i in the merged order of two sorted runs: [0, middle) and [middle, end). Of equal elements those of the first run
   come first. */
$INLINEDint place_$F(const $T* runs, int i, int middle, int end) {
  const bool is_second = i >= middle;
  const $T x = runs[i];
  int low = is_second ? 0 : middle, high = is_second ? middle : end;
  while (low < high) {
    const int at = (low + high) / 2;
    if (is_second ? !before_$F(x, runs[at]) : before_$F(runs[at], x)) low = at + 1;
    else high = at;
  }
  return i + low - middle;
}
)";

// Placeholders. An argsort moves positions together with the elements. $OTHERS: declares the array of positions. $BEGIN: sets a position.
// $MOVE: moves a position. $RESULT: stores an element of the result.
constexpr std::string_view kTiles =
    R"(/* Sorts a tile: `together` rows of at most $TILE elements, or a piece of a longer row. Runs of sorted elements double in each round. */
$CALLEDvoid sort_tile_$F(const $T* x, i64 rows, i64 n, i64 together, $RESULTTYPE* sorted, i64 tile) {
  __shared__ $T elements[2][$TILE];
$OTHERS  const i64 pieces = (n + ($TILE - 1)) / $TILE, row = tile / pieces * together, piece = tile % pieces * $TILE;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < $TILE ? (int)left : $TILE; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += $THREADS) {
    elements[0][i] = x[first + i];
$BEGIN  }
  __syncthreads();
  int from = 0;
  for (int run = 1; run < length; run *= 2, from = 1 - from) {
    for (int i = threadIdx.x; i < count; i += $THREADS) {
      const int begin_of_row = i / length * length, end_of_row = begin_of_row + length;
      const int begin = begin_of_row + ((i - begin_of_row) & -(2 * run));
      const int middle = begin + run < end_of_row ? begin + run : end_of_row, end = begin + 2 * run < end_of_row ? begin + 2 * run : end_of_row;
      const int to = begin + place_$F(elements[from] + begin, i - begin, middle - begin, end - begin);
      elements[1 - from][to] = elements[from][i];
$MOVE    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += $THREADS) $RESULT;
  __syncthreads(); /* the next tile uses the same shared memory */
}
)";

constexpr std::string_view kPasses = R"(/* The number of passes that merge the sorted pieces of a row. */
$INLINEDint merge_passes(i64 n) {
  int passes = 0;
  for (i64 sorted_length = $TILE; sorted_length < n; sorted_length *= 2) ++passes;
  return passes;
}
)";

// Placeholders. $AT, $OTHER: an element of the first and of the second sorted piece. For an argsort the pieces are positions in a row of
// keys: $KEYS and $ROWOF are the parameters for the keys, and $ROW and $ROWARGUMENT pass them on. $MERGEOTHERS: declares the array of
// positions. $LOAD: loads an element. $MERGED: the value to store.
constexpr std::string_view kSplit =
    R"(/* How many of the first `count` elements of the merged order of two sorted pieces, [0, middle) and [middle, end), are in the first piece. */
$INLINEDi64 split_$F($ROWOFconst $RESULTTYPE* pieces, i64 middle, i64 end, i64 count) {
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  while (low < high) {
    const i64 at = (low + high) / 2, other = middle + count - 1 - at;
    if (before_$F($OTHER, $AT)) high = at;
    else low = at + 1;
  }
  return low;
}
)";

constexpr std::string_view kMerge =
    R"(/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
$CALLEDvoid merge_tile_$F($KEYSi64 n, i64 pass, $RESULTTYPE* sorted, $RESULTTYPE* spare, i64 tile) {
  __shared__ $T elements[$TILE];
$MERGEOTHERS  __shared__ i64 splits[2];
  const i64 tiles = (n + ($TILE - 1)) / $TILE, row = tile / tiles * n, at = tile % tiles * $TILE;
  const i64 sorted_length = (i64)$TILE << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = at & -(2 * sorted_length), left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < $TILE ? (int)(n - at) : $TILE;
  const $RESULTTYPE* const from = (is_odd ? sorted : spare) + row + begin;
  $RESULTTYPE* const to = (is_odd ? spare : sorted) + row + at;
$ROW  if (threadIdx.x < 2) splits[threadIdx.x] = split_$F($ROWARGUMENTfrom, middle, end, at - begin + (threadIdx.x == 0 ? 0 : count));
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += $THREADS) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
$LOAD  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += $THREADS) to[place_$F(elements, i, of_first, count)] = $MERGED;
  __syncthreads(); /* the next tile uses the same shared memory */
}
)";

/// Returns an expression for the bits of the element x, as a signed integer.
std::string_view bits_of(DType dtype) {
  return dtype == DType::kF64 ? "__double_as_longlong(x)" : dtype == DType::kF32 ? "__float_as_int(x)" : "(i16)x";
}

std::string hexadecimal(uint64_t number, bool is_long) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
  while ((number /= 16) != 0);
  return cat("0x", digits, is_long ? "ll" : "");
}

Filling values_of(Unit& unit, DType dtype, bool descending, bool positions) {
  const std::string element(harp::name(dtype)), type(unit.dialect.memory_type(dtype)),
      what = cat(element, positions    ? "_positions"
                          : descending ? "_descending"
                                       : "");
  const std::string_view smaller = descending ? "b" : "a", greater = descending ? "a" : "b";
  Filling values{{"T", type},
                 {"G", element},
                 {"F", what},
                 {"RESULTTYPE", positions ? "i64" : type},
                 {"TILE", cat(kSortTile)},
                 {"THREADS", cat(kRoutineThreads)},
                 {"INLINED", std::string(unit.dialect.inlined)},
                 {"CALLED", std::string(unit.dialect.called)},
                 {"BEFORE", cat(smaller, " < ", greater)}};
  if (positions) {
    values.merge(Filling{{"OTHERS", filled("  __shared__ u16 places[2][$TILE]; /* in the tile */\n", values)},
                         {"BEGIN", "    places[0][i] = (u16)i;\n"},
                         {"MOVE", "      places[1 - from][to] = places[from][i];\n"},
                         {"RESULT", "sorted[first + i] = piece + (places[from][i] - i / length * length)"},
                         {"KEYS", filled("const $T* x, ", values)},
                         {"ROWOF", filled("const $T* row, ", values)},
                         {"AT", "row[pieces[at]]"},
                         {"OTHER", "row[pieces[other]]"},
                         {"MERGEOTHERS", filled("  __shared__ i64 positions[$TILE];\n", values)},
                         {"ROW", filled("  const $T* const row_of_keys = x + row;\n", values)},
                         {"ROWARGUMENT", "row_of_keys, "},
                         {"LOAD", "    positions[i] = from[place];\n    elements[i] = row_of_keys[positions[i]];\n"},
                         {"MERGED", "positions[i]"}});
  } else {
    values.merge(Filling{{"OTHERS", ""},
                         {"BEGIN", ""},
                         {"MOVE", ""},
                         {"RESULT", "sorted[first + i] = elements[from][i]"},
                         {"KEYS", ""},
                         {"ROWOF", ""},
                         {"ROWARGUMENT", ""},
                         {"AT", "pieces[at]"},
                         {"OTHER", "pieces[other]"},
                         {"MERGEOTHERS", ""},
                         {"ROW", ""},
                         {"LOAD", "    elements[i] = from[place];\n"},
                         {"MERGED", "elements[i]"}});
  }
  if (is_float(dtype)) {
    const int bits = bits_of_dtype(dtype);
    const bool is_long = bits == 64;
    values["BEFORE"] = cat("order_", element, "(", smaller, ") < order_", element, "(", greater, ")");
    values.merge(Filling{{"K", is_long ? "i64" : "i32"},
                         {"BITS", std::string(bits_of(dtype))},
                         {"REST", hexadecimal((uint64_t{1} << (bits - 1)) - 1, is_long)},
                         {"INFINITY", hexadecimal(scalar_from_double(dtype, std::numeric_limits<double>::infinity()).bits[0], is_long)}});
  }
  return values;
}

}  // namespace

std::string sort_phase_call(const Scope& scope, const ir::Routine& s) {
  Unit& unit = scope.unit;
  const DType dtype = scope.parameter(s.inputs[0]).dtype;
  const bool positions = s.routine == Op::kArgSort;
  const Filling values = values_of(unit, dtype, s.descending, positions);
  const auto define = [&](std::string_view name, std::string_view text) {
    unit.definitions.once(filled(name, values), [&] { return filled(text, values); });
  };
  if (is_float(dtype)) define("order_$G", kOrderOfFloats);
  define("before_$F", kBefore);
  define("place_$F", kPlace);
  const auto text = [&](Sym position) { return scope.position(position).text; };
  const std::string n = text(s.length), tile = text(s.block);
  const auto spare = [&] { return address_from_start(scope, s.spare, s.spare_index); };
  const std::string x = address_from_start(scope, s.inputs[0], 0), sorted = address_from_start(scope, s.buffer, 0);
  if (s.spare >= 0) define("merge_passes", kPasses);
  if (s.phase == 0) {
    define("sort_tile_$F", kTiles);
    const int64_t together = s.length.is_constant() && s.length.constant() < kSortTile ? kSortTile / s.length.constant() : 1;
    const std::string result = s.spare < 0 ? sorted : cat("merge_passes(", n, ") % 2 == 0 ? ", sorted, " : ", spare());
    return cat(filled("sort_tile_$F(", values), x, ", ", text(s.end), ", ", n, ", ", together, ", ", result, ", ", tile, ");");
  }
  define("split_$F", kSplit);
  define("merge_tile_$F", kMerge);
  return cat(filled("merge_tile_$F(", values), positions ? cat(x, ", ") : "", n, ", ", kRoutinePhase, ", ", sorted, ", ", spare(), ", ",
             tile, ");");
}

}  // namespace harp::render
