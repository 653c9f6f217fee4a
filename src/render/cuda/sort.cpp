// Sorts on a GPU, which are stable merge sorts. In a tile, each thread first sorts a few neighbouring elements in registers. Each of the
// rounds that follow merges pairs of sorted runs in shared memory, and so doubles their length: each thread finds by a binary search where
// its share of the merged run begins in the two runs, and merges that share into registers. A row longer than a tile is sorted in pieces of
// one tile. Further launches merge these pieces in pairs. Each block then computes one tile of the merged result; its threads together
// search which elements of the two pieces belong to this tile.
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

// Placeholders. $T: type of an element, or of a key of an argsort. $G: name of its dtype. $F: $G, followed by "_positions" in an argsort,
// or by "_descending" in a descending sort. $K: the integer type to which order_$G maps floats. $BITS: the bits of an element as $K. $REST:
// all bits except the highest one. $INFINITY: the bits of infinity. $BEFORE: the condition that element a comes before element b. $TILE:
// number of elements of a tile. $THREADS: number of threads of a block.

constexpr std::string_view kOrderOfFloats =
    R"(/* An integer in the order of the elements: the distance from 0 with the sign. Both zeros have one, and so have all NaNs. */
$INLINED$K order_$G($T x) {
  const $K bits = $BITS, distance = bits & $REST;
  return distance > $INFINITY ? $REST : bits < 0 ? -distance : distance;
}
)";

constexpr std::string_view kBefore = R"($INLINEDbool before_$F($T a, $T b) { return $BEFORE; }
)";

// Placeholders. $OWN: number of elements of a thread. $NAME: the name of the function. In an argsort, positions move together with the
// keys: $OTHERPARAMETERS declares the parameters for their source and destination, and $MOVE is the statement that moves a position. In a
// sort both are empty.
constexpr std::string_view kMergeOwn =
    R"(/* Merges two sorted runs, [0, middle) and [middle, end). The caller gets `own` elements of the result, from `first` on. Of equal
   elements those of the first run come first. */
$INLINEDvoid $NAME(const $T* runs, int middle, int end, int first, int own, $T* merged$OTHERPARAMETERS) {
  int low = first > end - middle ? first - (end - middle) : 0, high = first < middle ? first : middle;
  while (low < high) {
    const int at = (low + high) / 2;
    if (before_$F(runs[middle + first - 1 - at], runs[at])) high = at;
    else low = at + 1;
  }
  int one = low, other = middle + first - low;
  $T x = runs[one < middle ? one : 0], y = runs[other < end ? other : 0];
  #pragma unroll
  for (int i = 0; i < $OWN; ++i) {
    if (i >= own) continue;
    const bool is_other = one >= middle || (other < end && before_$F(y, x));
    merged[i] = is_other ? y : x;
$MOVE    if (is_other) {
      if (++other < end) y = runs[other];
    } else {
      if (++one < middle) x = runs[one];
    }
  }
}
)";

// Placeholders. In an argsort, positions in the tile move together with the keys; in a sort the placeholders for positions are empty.
// $OTHERS: declares the arrays of positions. $BEGIN: sets the position of element i of a thread. $SWAP: exchanges the positions of two
// adjacent elements. $PUT: stores a position to shared memory. $MERGE, $MERGEOTHERS: the function that merges, and its arguments for
// positions. $RESULT: the value to store.
constexpr std::string_view kTiles =
    R"(/* Sorts a tile: `together` rows of at most $TILE elements, or a piece of a longer row. Runs of sorted elements double in each round. */
$CALLEDvoid sort_tile_$F(const $T* x, i64 rows, i64 n, i64 together, $RESULTTYPE* sorted, i64 tile) {
  __shared__ $T elements[$TILE];
$OTHERS  const i64 pieces = (n + ($TILE - 1)) / $TILE, row = tile / pieces * together, piece = tile % pieces * $TILE;
  const i64 first = row * n + piece, left = together > 1 ? (rows - row) * n : n - piece;
  const int length = together > 1 ? (int)n : left < $TILE ? (int)left : $TILE; /* of what is sorted as a whole */
  const int most = together > 1 ? (int)(together * n) : length, count = left < most ? (int)left : most;
  for (int i = threadIdx.x; i < count; i += $THREADS) elements[i] = x[first + i];
  __syncthreads();
  /* a thread has `own` elements from `at` on of the row that begins at `begin` */
  const int sharing = (length + ($OWN - 1)) / $OWN, thread = threadIdx.x, begin = thread / sharing * length, at = thread % sharing * $OWN;
  const int own = begin >= count ? 0 : length - at < $OWN ? length - at : $OWN;
  $T mine[$OWN];
  #pragma unroll
  for (int i = 0; i < $OWN; ++i) {
    if (i >= own) continue;
    mine[i] = elements[begin + at + i];
$BEGIN  }
  /* neighbours change places, as often as the first element may need to become the last one */
  #pragma unroll
  for (int round = 0; round < $OWN; ++round) {
    #pragma unroll
    for (int i = round % 2; i + 1 < $OWN; i += 2) {
      if (i + 1 >= own || !before_$F(mine[i + 1], mine[i])) continue;
      const $T smaller = mine[i + 1];
      mine[i + 1] = mine[i];
      mine[i] = smaller;
$SWAP    }
  }
  for (int run = $OWN;; run *= 2) {
    #pragma unroll
    for (int i = 0; i < $OWN; ++i) {
      if (i >= own) continue;
      elements[begin + at + i] = mine[i];
$PUT    }
    __syncthreads();
    if (run >= length) break;
    const int pair = at - at % (2 * run), middle = pair + run < length ? run : length - pair;
    const int end = pair + 2 * run < length ? 2 * run : length - pair;
    if (own > 0) $MERGE(elements + begin + pair, middle, end, at - pair, own, mine$MERGEOTHERS);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < count; i += $THREADS) sorted[first + i] = $RESULT;
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
// keys: $KEYS and $ROWOF are the parameters for the keys, and $ROW and $ROWARGUMENT pass them on. $POSITIONS and $OWNPOSITIONS: declare the
// arrays of positions. $LOAD: loads an element. $MERGETILE, $MERGEPOSITIONS: the function that merges, and its arguments for positions.
// $PUTMERGED: puts a merged element or position into shared memory. $MERGED: the value to store. $HALF: half the threads of a block.
constexpr std::string_view kSplit =
    R"(/* How many of the first `count` elements of the merged order of two sorted pieces, [0, middle) and [middle, end), are in the first piece.
   One half of the block asks for one count, the other half for another one. `most` is not less than what is in the first piece. Each
   round narrows the search to the distance of two of the places that the threads look at. */
$INLINEDi64 split_$F($ROWOFconst $RESULTTYPE* pieces, i64 middle, i64 end, i64 count, i64 most) {
  __shared__ u8 is_before[$THREADS]; /* whether the element that a thread looked at is among the first `count` */
  __shared__ int found[2];
  const int thread = threadIdx.x % $HALF, half = threadIdx.x / $HALF;
  i64 low = count > end - middle ? count - (end - middle) : 0, high = count < middle ? count : middle;
  for (i64 left = most; left > 0; left = (left + ($HALF - 1)) / $HALF - 1) {
    const i64 step = (high - low + ($HALF - 1)) / $HALF, at = low + (thread + 1) * step - 1, other = middle + count - 1 - at;
    const bool is_own = step > 0 && at < high && !before_$F($OTHER, $AT);
    is_before[threadIdx.x] = is_own;
    __syncthreads();
    if (thread == 0 && !is_own) found[half] = 0;
    if (is_own && (thread == $HALF - 1 || !is_before[threadIdx.x + 1])) found[half] = thread + 1;
    __syncthreads();
    const i64 last = low + (found[half] + 1) * step - 1;
    low += found[half] * step;
    if (step > 0 && last < high) high = last;
    if (low > high) low = high;
  }
  return low;
}
)";

constexpr std::string_view kMerge =
    R"(/* Makes a tile of the result of a pass that merges sorted pieces in pairs; the first pass has number 1. The last pass writes to `sorted`, the
   one before it to `spare`, and so on. */
$CALLEDvoid merge_tile_$F($KEYSi64 n, i64 pass, $RESULTTYPE* sorted, $RESULTTYPE* spare, i64 tile) {
  __shared__ $T elements[$TILE];
$POSITIONS  __shared__ i64 splits[2];
  const i64 tiles = (n + ($TILE - 1)) / $TILE, row = tile / tiles * n, number = tile % tiles, at = number * $TILE;
  const i64 sorted_length = (i64)$TILE << (pass - 1);
  const bool is_odd = (merge_passes(n) - pass) % 2 != 0;
  const i64 begin = (number & -((i64)1 << pass)) * $TILE, left = n - begin;
  const i64 middle = left < sorted_length ? left : sorted_length, end = left < 2 * sorted_length ? left : 2 * sorted_length;
  const int count = n - at < $TILE ? (int)(n - at) : $TILE;
  const $RESULTTYPE* const from = (is_odd ? sorted : spare) + row + begin;
  $RESULTTYPE* const to = (is_odd ? spare : sorted) + row + at;
$ROW  const i64 split = split_$F($ROWARGUMENTfrom, middle, end, at - begin + (threadIdx.x < $HALF ? 0 : count), sorted_length);
  if (threadIdx.x % $HALF == 0) splits[threadIdx.x / $HALF] = split;
  __syncthreads();
  const i64 first = splits[0], second = middle + (at - begin) - first;
  const int of_first = (int)(splits[1] - first);
  for (int i = threadIdx.x; i < count; i += $THREADS) {
    const i64 place = i < of_first ? first + i : second + (i - of_first);
$LOAD  }
  __syncthreads();
  const int begin_of_own = threadIdx.x * $OWN, own = count - begin_of_own < $OWN ? count - begin_of_own : $OWN;
  $T mine[$OWN];
$OWNPOSITIONS  if (own > 0) $MERGETILE(elements, of_first, count, begin_of_own, own, mine$MERGEPOSITIONS);
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < $OWN; ++i)
    if (i < own) $PUTMERGED;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += $THREADS) to[i] = $MERGED;
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
                 {"OWN", cat(kSortedByThread)},
                 {"THREADS", cat(kRoutineThreads)},
                 {"HALF", cat(kRoutineThreads / 2)},
                 {"INLINED", std::string(unit.dialect.inlined)},
                 {"CALLED", std::string(unit.dialect.called)},
                 {"BEFORE", cat(smaller, " < ", greater)}};
  if (positions) {
    values.merge(
        Filling{{"OTHERS", filled("  __shared__ u16 places[$TILE]; /* in the row, or in the piece */\n  u16 my_places[$OWN];\n", values)},
                {"BEGIN", "    my_places[i] = (u16)(at + i);\n"},
                {"SWAP",
                 "      const u16 place = my_places[i + 1];\n      my_places[i + 1] = my_places[i];\n"
                 "      my_places[i] = place;\n"},
                {"PUT", "      places[begin + at + i] = my_places[i];\n"},
                {"MERGE", filled("merge_places_$F", values)},
                {"MERGEOTHERS", ", places + begin + pair, my_places"},
                {"RESULT", "piece + places[i]"},
                {"KEYS", filled("const $T* x, ", values)},
                {"ROWOF", filled("const $T* row, ", values)},
                {"AT", "row[pieces[at]]"},
                {"OTHER", "row[pieces[other]]"},
                {"POSITIONS", filled("  __shared__ i64 positions[$TILE];\n", values)},
                {"ROW", filled("  const $T* const row_of_keys = x + row;\n", values)},
                {"ROWARGUMENT", "row_of_keys, "},
                {"LOAD", "    positions[i] = from[place];\n    elements[i] = row_of_keys[positions[i]];\n"},
                {"OWNPOSITIONS", filled("  i64 my_positions[$OWN];\n", values)},
                {"MERGETILE", filled("merge_positions_$F", values)},
                {"MERGEPOSITIONS", ", positions, my_positions"},
                {"PUTMERGED", "positions[begin_of_own + i] = my_positions[i]"},
                {"MERGED", "positions[i]"}});
  } else {
    values.merge(Filling{{"OTHERS", ""},
                         {"BEGIN", ""},
                         {"SWAP", ""},
                         {"PUT", ""},
                         {"MERGE", filled("merge_$F", values)},
                         {"MERGEOTHERS", ""},
                         {"RESULT", "elements[i]"},
                         {"KEYS", ""},
                         {"ROWOF", ""},
                         {"AT", "pieces[at]"},
                         {"OTHER", "pieces[other]"},
                         {"POSITIONS", ""},
                         {"ROW", ""},
                         {"ROWARGUMENT", ""},
                         {"LOAD", "    elements[i] = from[place];\n"},
                         {"OWNPOSITIONS", ""},
                         {"MERGETILE", filled("merge_$F", values)},
                         {"MERGEPOSITIONS", ""},
                         {"PUTMERGED", "elements[begin_of_own + i] = mine[i]"},
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
  Filling values = values_of(unit, dtype, s.descending, positions);
  const auto define = [&](std::string_view name, std::string_view text) {
    unit.definitions.once(filled(name, values), [&] { return filled(text, values); });
  };
  if (is_float(dtype)) define("order_$G", kOrderOfFloats);
  define("before_$F", kBefore);
  // Defines a function that merges. `others` is the type of the positions that an argsort moves together with the keys: u16 for positions
  // in a tile, i64 for positions in a row.
  const auto define_merge = [&](const std::string& name, std::string_view others) {
    values["NAME"] = name;
    values["OTHERPARAMETERS"] = positions ? cat(", const ", others, "* from, ", others, "* to") : "";
    values["MOVE"] = positions ? "    to[i] = from[is_other ? other : one];\n" : "";
    define(name, kMergeOwn);
  };
  const auto text = [&](Sym position) { return scope.position(position).text; };
  const std::string n = text(s.length), tile = text(s.block);
  const auto spare = [&] { return address_from_start(scope, s.spare, s.spare_index); };
  const std::string x = address_from_start(scope, s.inputs[0], 0), sorted = address_from_start(scope, s.buffer, 0);
  if (s.spare >= 0) define("merge_passes", kPasses);
  if (s.phase == 0) {
    define_merge(values.at("MERGE"), "u16");
    define("sort_tile_$F", kTiles);
    const int64_t together = s.length.is_constant() ? rows_of_sort_tile(s.length.constant()) : 1;
    const std::string result = s.spare < 0 ? sorted : cat("merge_passes(", n, ") % 2 == 0 ? ", sorted, " : ", spare());
    return cat(filled("sort_tile_$F(", values), x, ", ", text(s.end), ", ", n, ", ", together, ", ", result, ", ", tile, ");");
  }
  define_merge(values.at("MERGETILE"), "i64");
  define("split_$F", kSplit);
  define("merge_tile_$F", kMerge);
  return cat(filled("merge_tile_$F(", values), positions ? cat(x, ", ") : "", n, ", ", kRoutinePhase, ", ", sorted, ", ", spare(), ", ",
             tile, ");");
}

}  // namespace harp::render
