// Contractions of integers whose factors fit in 16 bits, such as arrays of i8 that are converted to i32. A lane of 32 bits then contains
// two terms, which some CPUs multiply and add in one instruction (Cpu::multiplies_pairs). The results have the same bits as those computed
// in i32.
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// The largest number of terms of a contraction in one lane of its packed factors.
inline constexpr int kMaxTermsOfLane = 2;

/// Returns how many terms of this contraction fit in one lane of 32 bits: kMaxTermsOfLane, or 1 if its factors may need more than 16 bits
/// or are not added in i32.
int terms_of_lane(const Node& reduce, const Contraction& contraction);

}  // namespace harp
