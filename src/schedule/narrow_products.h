// Contractions of integers whose factors fit 16 bits, such as arrays of i8 that are converted to i32. A lane of 32 bits then holds two
// terms, which some machines multiply and add in one instruction (Cpu::multiplies_pairs, Cpu::dot_products). Products and sums have the
// same bits as in i32.
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// Most terms of a contraction that a lane of its packed factors holds.
inline constexpr int kMaxTermsOfLane = 2;

/// Returns how many terms of this contraction fit a lane: kMaxTermsOfLane, or 1 if its factors may have more bits or are not added in i32.
int terms_of_lane(const Node& reduce, const Contraction& contraction);

}  // namespace harp
