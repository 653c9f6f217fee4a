// The generated functions that a sort of rows (sort.cpp) and a selection of the first elements of sorted rows (select.cpp) share.
#pragma once

#include <string>
#include <string_view>

#include "render/routines/routines.h"
#include "render/text/filled.h"

namespace harp::render {

/// Number of lines (vectors of keys) that fill a quarter of the L1 cache.
inline constexpr int64_t kNearLines = 128;

/// The text of sorts of one dtype and direction. Each function define_X() adds generated functions to the unit, unless it has them. Call
/// it only if the text uses these functions, because compilers warn of functions that nothing uses.
struct SortText {
  SortText(Unit& of, DType sorted, bool descending);

  /// Defines the text, with its placeholders replaced by `values`. `key` contains placeholders, too.
  void define(std::string_view key, std::string_view text);
  /// key_$G (bits): an unsigned integer in the order of the elements.
  void define_key();
  /// sort_row_$F (elements, row length, sorted elements, spare, cancel): sorts a row of any length. `spare` has the length of the row.
  void define_sort_row();
  /// sort_few_$F (elements, row length, sorted elements): sorts a row of at most kFewKeys elements.
  void define_sort_few();
  /// For vectors (lanes > 1). sort_run_$F (keys, lines): sorts each column of at most kNearLines lines, each of which is a vector of keys;
  /// first_$F (x, y): in each lane the key that comes first; settle_near_$F (keys, distance, lines): exchanges at this distance and all
  /// smaller ones. If keys lose bits of the elements: block_keys_$G and block_elements_$G (block, lines), which replace elements by keys
  /// and keys by elements, and restore_$F (elements, row length, sorted elements, how many of them there are).
  /// Sets the placeholders $V (a vector of keys), $M (a vector of their masks) and $TRANSPOSE (see transpose_function()).
  void define_network();

  Unit& unit;
  DType dtype;
  int bits, lanes;      // bits of an element; lanes of a vector of keys, 1 in plain text
  bool loses;           // whether a key does not contain all bits of its element, as those of floats
  std::string routine;  // the dtype and the direction of the sort, with which the names of functions end
  Filling values;       // sort.cpp describes the placeholders

 private:
  void define_restore();
};

}  // namespace harp::render
