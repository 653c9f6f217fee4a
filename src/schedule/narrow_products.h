// Finds contractions of integers whose factors fit 16 or 8 bits, such as arrays of i8 that are converted to i32. A lane of 32 bits then
// holds two or four terms, which some machines multiply and add in one instruction (Cpu::multiplies_pairs, Cpu::dot_products). Products and
// sums have the same bits as in i32.
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// The number of terms in a 32-bit lane of a packed factor: two integers of 16 bits (a pair), or four bytes (a quad).
inline constexpr int kTermsOfPair = 2, kTermsOfQuad = 4;

/// Returns the most terms of this contraction that fit a lane; 1 if its factors may have more than 16 bits or are not added in i32.
int most_terms_of_lane(const Node& reduce, const Contraction& contraction);

/// How the four bytes in a lane (a quad) represent the terms. The instruction for quads multiplies unsigned bytes by signed bytes, so one
/// factor must have unsigned bytes and the other factor signed bytes. If the values of the factors do not permit this, the sign bit of
/// every byte of the rows' factor is inverted. A byte of the rows' factor then contains r + s instead of the value r. If the byte is read
/// as unsigned, s is 128; if it is read as signed, s is -128. With the elements c of the columns' factor,
///
///     sum of r * c  =  sum of (r + s) * c  -  sum of s * c,
///
/// where the last sum is the same for all rows. Addition and multiplication of i32 wrap, so both sides have the same bits even if sums
/// overflow.
struct Quads {
  bool are_columns_signed;  // true: the columns' factor has signed bytes and the rows' factor unsigned bytes; false: the reverse
  bool inverts_row_signs;
};
/// Returns the representation for a contraction whose lanes can hold kTermsOfQuad terms.
Quads quads_of(const Contraction& contraction);

}  // namespace harp
