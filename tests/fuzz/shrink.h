// Makes a failing case small: fewer outputs, nodes and runs, smaller sizes, as long as it still fails in the same way. Every round
// proposes all simplifications of one kind and tests them together, because the compiler is what takes time.
#pragma once

#include "fuzz/check_case.h"

namespace harp::fuzz {

struct Shrunk {
  Job job;
  Outcome outcome;  // of the smallest case
  int tried = 0;    // candidates
};

/// `job` fails with `result`.
Shrunk shrink(Job job, Outcome result, int most_candidates = 1500);

}  // namespace harp::fuzz
