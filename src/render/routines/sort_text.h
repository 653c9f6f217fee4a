// The generated functions that a sort of rows (sort.cpp) and a selection of the first elements of sorted rows (select.cpp) share.
#pragma once

#include <string>
#include <string_view>

#include "render/routines/routines.h"
#include "render/text/filled.h"

namespace harp::render {

/// Number of lines (vectors of keys) that fill a quarter of the L1 cache.
inline constexpr int64_t kNearLines = 128;

/// Short rows are sorted this many at a time; they are whole vectors of keys of every width.
inline constexpr int64_t kShortRowsTogether = 64;
/// The longest rows that are short: a network sorts eight elements with fewer exchanges. An argsort has no network.
inline constexpr int64_t kLongestSorted = 7, kLongestArgsorted = 16;

/// Writes generated functions for sorts of one dtype and direction. Each function define_X() adds generated functions to the unit, unless
/// the unit has them already. Call it only if other text of the unit uses these functions, because compilers warn about unused functions.
struct SortText {
  SortText(Unit& of, DType sorted, bool descending);

  /// Adds `text` to the unit, as the definition of the name `key`. In both, placeholders are replaced by `values`.
  void define(std::string_view key, std::string_view text);
  /// Defines key_$G (bits), which converts the bits of an element to its key, an unsigned integer; the keys are in the order of the
  /// elements.
  void define_key();
  /// Defines sort_row_$F (elements, row length, sorted elements, spare, cancel), which sorts a row of any length. `spare` is memory for a
  /// row.
  void define_sort_row();
  /// Defines sort_few_$F (elements, row length, sorted elements), which sorts a row of at most kFewKeys elements.
  void define_sort_few();
  /// Requires lanes > 1. Defines first_$F and second_$F (x, y), whose result has in each lane the key that comes first or last. Sets the
  /// placeholders $V (a vector of keys), $M (a vector of their masks) and $TRANSPOSE (see transpose_function()).
  void define_lines();
  /// Requires define_lines(). Defines keys_at_$G (elements), which returns the keys of a vector of floats.
  void define_keys_at();
  /// Requires lanes > 1. Calls define_lines(), and defines sort_run_$F (keys, lines), which sorts each column of at most kNearLines lines,
  /// each of which is a vector of keys, and settle_near_$F (keys, distance, lines), which executes the exchanges at this distance and at
  /// all smaller ones. If keys do not contain all bits of the elements, also defines block_keys_$G and block_elements_$G (block, lines),
  /// which replace elements by keys and keys by elements, and restore_$F (elements, row length, sorted elements, number of sorted
  /// elements), which restores zeros and NaNs.
  void define_network();

  Unit& unit;
  DType dtype;
  int bits, lanes;      // bits: size of an element in bits; lanes: number of keys in a vector, 1 in plain C99
  bool loses;           // whether keys do not contain all bits of their elements; true for floats
  std::string routine;  // the dtype and the direction of the sort, with which the names of functions end
  Filling values;       // sort.cpp describes the placeholders

 private:
  void define_restore();
};

/// Returns the name of a generated function (elements, rows, row length, sorted elements): a stable sort of at most kShortRowsTogether rows
/// of at most kLongestSorted elements. Requires lanes > 1. (short_rows.cpp)
std::string sort_short_rows_function(SortText& text);
/// Returns the name of a generated function (keys, rows, row length, order): a stable, ascending argsort of at most kShortRowsTogether rows
/// of at most kLongestArgsorted keys. Requires vectors.
std::string argsort_short_rows_function(Unit& unit, DType keys);

}  // namespace harp::render
