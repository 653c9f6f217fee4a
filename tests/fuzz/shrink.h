// Reduces a failing case (fewer outputs, nodes and runs, smaller sizes) while it still fails in the same way. Every round proposes all
// simplifications of one kind and tests them together, because most of the time is spent in the C compiler, and one run of the compiler can
// compile many programs.
#pragma once

#include "fuzz/check_case.h"

namespace harp::fuzz {

struct Shrunk {
  Job job;
  Outcome outcome;  // the failure of the smallest case
  int tried = 0;    // number of candidates that were tested
};

/// Reduces `job`, which fails with `result`. Tests at most `most_candidates` simplified cases.
Shrunk shrink(Job job, Outcome result, int most_candidates = 1500);

}  // namespace harp::fuzz
