// Reduces a failing case (fewer outputs, nodes and runs, smaller sizes) as long as it fails in the same way. Every round proposes all
// simplifications of one kind and tests them together, because the C compiler takes most of the time and compiles many programs at once.
#pragma once

#include "fuzz/check_case.h"

namespace harp::fuzz {

struct Shrunk {
  Job job;
  Outcome outcome;  // how the smallest case fails
  int tried = 0;    // number of candidates that were tested
};

/// `job` fails with `result`; tries at most `most_candidates` simplifications.
Shrunk shrink(Job job, Outcome result, int most_candidates = 1500);

}  // namespace harp::fuzz
