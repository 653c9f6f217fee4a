// Timing on a noisy machine. Candidates run interleaved on one core, each sample is long enough for the clock, and the result is a median.
// A ratio is the median of the ratios inside the rounds instead of the ratio of two medians: a phase in which the whole machine is slow
// then affects both sides of a quotient.
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
/// The CPU time of this thread in seconds. It stands still while the system runs other threads.
double thread_seconds();

double median(std::vector<double> values);              // expects at least one value
double geometric_mean(std::span<const double> values);  // expects at least one value; all are positive

/// Code to time: a function that repeats its work the given number of times. The loop is inside, so that the call through std::function is
/// not measured. If it returns void, the CPU time of the calling thread is measured, and that thread has to do all the work. If it returns
/// a number, that is the time in seconds by its own clock, as for a peer in another process.
class Candidate {
 public:
  template <class Code, class Result = std::invoke_result_t<Code&, size_t>>
  Candidate(Code code) {  // NOLINT: implicit, so that a list of lambdas is a list of candidates
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
  double sample_seconds = 2e-3;  // least duration of a sample
  double budget_seconds = 0.6;   // duration of a comparison; limits the rounds
  double patience_seconds = 4;   // for slow candidates: after this time there are no more rounds, even if there were fewer than min_rounds
  int min_rounds = 9;
  int max_rounds = 101;

  static Effort full() { return {}; }
  static Effort quick() { return {0.2e-3, 0.02, 0.5, 3, 9}; }
};

class Comparison {
 public:
  explicit Comparison(std::vector<std::vector<double>> seconds) : seconds_(std::move(seconds)) {}

  double seconds(size_t candidate) const { return median(seconds_[candidate]); }
  /// The speed of `candidate` relative to `peer`: 2 is twice as fast.
  double ratio(size_t candidate, size_t peer) const;
  /// The candidate with the least median among these.
  size_t fastest(std::span<const size_t> candidates) const;

 private:
  std::vector<std::vector<double>> seconds_;  // per repetition, by candidate and round
};

/// A candidate that uses this many threads. With more than one thread its time is wall-clock time.
template <class Code>
Candidate on_threads(int threads, Code code) {
  if (threads == 1) return code;
  return [code = std::move(code)](size_t repeats) mutable -> double {
    const double begin = now();
    code(repeats);
    return now() - begin;
  };
}

/// Measures all candidates in rounds. Every second round is in reverse order, so that no candidate always runs after the same one. With
/// several threads there is no pinning to a CPU, samples are longer, and pauses between candidates let the previous one's workers fall
/// asleep.
Comparison compare(std::span<const Candidate> candidates, const Effort& effort, int threads = 1);

/// Pins the calling thread to one CPU during its lifetime. Does nothing if the system refuses.
class Pinned {
 public:
  Pinned();
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<unsigned char> before_;  // the CPU set to restore; empty: none
};

/// Makes the compiler believe that the value is used.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
