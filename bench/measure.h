// Timing on a noisy machine. Candidates run turn and turn about on one core, each sample long enough for the clock, and what is reported is
// a median. A ratio is the median of the ratios inside the rounds, not the ratio of two medians: whatever slows the
// whole machine for a while then slows both sides of a quotient.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

double now();  // seconds, monotonic
/// Seconds this thread computed: unlike the time of day it stands still while the system runs somebody else.
double thread_seconds();

double median(std::vector<double> values);              // of at least one
double geometric_mean(std::span<const double> values);  // of at least one, all above 0

/// What is timed: something that does its work the given number of times. The loop is inside so that a call through std::function is not
/// part of what is measured. If it returns nothing, its time is that of the calling thread, on which it has to do all of its work; if it
/// returns a number, that is the seconds it took by a clock of its own: so does a peer in another process.
class Candidate {
 public:
  template <class Code, class Result = std::invoke_result_t<Code&, size_t>>
  Candidate(Code code) {  // NOLINT: lists of lambdas are lists of candidates
    if constexpr (std::is_void_v<Result>)
      seconds_ = [code = std::move(code)](size_t repeats) mutable {
        const double begin = thread_seconds();
        code(repeats);
        return thread_seconds() - begin;
      };
    else
      seconds_ = std::move(code);
  }
  double seconds(size_t repeats) const { return seconds_(repeats); }

 private:
  std::function<double(size_t repeats)> seconds_;
};

struct Effort {
  double sample_seconds = 2e-3;  // least time of one sample
  double budget_seconds = 0.6;   // of a comparison; bounds the rounds
  double patience_seconds = 4;   // of a comparison of slow candidates: there are fewer rounds than min_rounds if these took longer
  int min_rounds = 9;
  int max_rounds = 101;

  static Effort full() { return {}; }
  static Effort quick() { return {0.2e-3, 0.02, 0.5, 3, 9}; }
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

/// A candidate that works on so many threads. Of several its time is that of the clock on the wall.
template <class Code>
Candidate on_threads(int threads, Code code) {
  if (threads == 1) return code;
  return [code = std::move(code)](size_t repeats) mutable -> double {
    const double begin = now();
    code(repeats);
    return now() - begin;
  };
}

/// Measures all candidates in rounds; every second round goes through them backwards, so that none always follows the same one. With
/// several threads nothing is kept on one CPU, samples are longer, and between turns the workers of the last one find the time to sleep.
Comparison compare(std::span<const Candidate> candidates, const Effort& effort, int threads = 1);

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
