// Timing on a noisy machine. Candidates run turn and turn about in one process on one core, each sample long enough for the clock, and
// what is reported is a median. A ratio is the median of the ratios inside the rounds, not the ratio of two medians: whatever slows the
// whole machine for a while then slows both sides of a quotient.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bench {

double now();  // seconds, monotonic

double median(std::vector<double> values);  // of at least one

/// Runs its code the given number of times. The loop is inside so that a call through std::function is not part of what is measured.
using Candidate = std::function<void(size_t repeats)>;

struct Effort {
  double sample_seconds = 2e-3;  // least time of one sample
  double budget_seconds = 0.6;   // of a comparison; bounds the rounds
  int min_rounds = 9;
  int max_rounds = 101;

  static Effort full() { return {}; }
  static Effort quick() { return {0.2e-3, 0.02, 3, 9}; }
};

class Comparison {
 public:
  explicit Comparison(std::vector<std::vector<double>> seconds) : seconds_(std::move(seconds)) {}

  double seconds(size_t candidate) const { return median(seconds_[candidate]); }
  /// How much faster `candidate` is than `peer`: 2 is twice as fast.
  double ratio(size_t candidate, size_t peer) const;
  /// Of several candidates the one with the least median.
  size_t fastest(std::span<const size_t> candidates) const;

 private:
  std::vector<std::vector<double>> seconds_;  // of one repetition, by candidate and round
};

/// Measures all candidates in rounds by the CPU time of this thread, on which they have to do all of their work; every second round goes
/// through them backwards, so that none always follows the same one.
Comparison compare(std::span<const Candidate> candidates, const Effort& effort);

/// Keeps the calling thread on one CPU while it lives. Does nothing where the system refuses.
class Pinned {
 public:
  Pinned();
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<unsigned char> before_;  // the CPU set that was; empty: nothing to restore
};

/// Keeps the compiler from assuming that a value is not used.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
