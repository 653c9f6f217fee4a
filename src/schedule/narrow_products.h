// Contractions of integers whose factors fit 16 or 8 bits, such as arrays of i8 that are converted to i32. A lane of 32 bits then holds two
// or four terms, which some machines multiply and add in one instruction (Cpu::multiplies_pairs, Cpu::dot_products). Products and sums have
// the same bits as in i32.
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// How many terms a lane of a packed factor holds if they are integers of 16 bits, or bytes.
inline constexpr int kTermsOfPair = 2, kTermsOfQuad = 4;

/// Returns the most terms of this contraction that fit a lane; 1 if its factors may have more than 16 bits or are not added in i32.
int most_terms_of_lane(const Node& reduce, const Contraction& contraction);

/// How the four terms of a lane are represented. The products of a quad are those of unsigned bytes and signed bytes, so one factor has
/// unsigned bytes and the other one signed bytes. If that is not so, the sign bits of the rows' bytes are inverted. Each row element then
/// differs from its value by the same number s: 128 if it is read as unsigned, -128 if as signed, which is the value of the byte 0x80 in
/// that role. With row elements r and column elements c,
///
///     sum of r * c  =  sum of (r + s) * c  -  sum of s * c,
///
/// where the last sum is the same for all rows. Addition and multiplication of i32 wrap, so the equation holds for all bits.
struct Quads {
  bool are_columns_signed;  // the columns' factor has the signed bytes, and the rows' factor the unsigned ones; else the reverse
  bool inverts_row_signs;
};
/// Returns the representation for a contraction whose lanes can hold kTermsOfQuad terms.
Quads quads_of(const Contraction& contraction);

}  // namespace harp
