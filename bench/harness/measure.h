// Measures times on a noisy machine. Samples of all candidates are interleaved. They run on one core unless a candidate uses several
// threads. Each sample is long enough for the resolution of the clock, and the result is a median. A ratio is the median of the ratios
// within each round, not the ratio of two medians: if the whole machine is slow for some time, both numbers of a round's ratio are
// affected.
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

double median(std::vector<double> values);              // `values` must have at least one value
double geometric_mean(std::span<const double> values);  // `values` must have at least one value, and all must be positive

/// Code to time: a function that does its work the given number of times. The loop is inside the function, so that the call through
/// std::function is not measured. If the function returns void, the CPU time of the calling thread is measured, and that thread has to do
/// all the work. If it returns a number, this is the time in seconds that it has measured itself, as for a program in another process with
/// which harp is compared.
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
  double sample_seconds = 2e-3;  // least duration of a sample; the number of repetitions follows from it
  double budget_seconds = 0.6;   // intended duration of all rounds; determines their number
  // Limit for slow candidates: rounds that would take longer in total are left out, even if fewer than min_rounds remain.
  double patience_seconds = 4;
  int min_rounds = 9;
  int max_rounds = 101;

  static Effort full() { return {}; }
  static Effort quick() { return {0.2e-3, 0.02, 0.5, 3, 9}; }
};

class Comparison {
 public:
  explicit Comparison(std::vector<std::vector<double>> seconds) : seconds_(std::move(seconds)) {}

  double seconds(size_t candidate) const { return median(seconds_[candidate]); }
  /// Returns how many times faster `candidate` is than `peer`: 2 means that it takes half of the time. Both are indices of candidates.
  double ratio(size_t candidate, size_t peer) const;
  /// Returns the index of the candidate with the least median time among these candidates.
  size_t fastest(std::span<const size_t> candidates) const;

 private:
  std::vector<std::vector<double>> seconds_;  // seconds of one repetition, for each candidate and each round
};

/// Returns a candidate whose code uses this many threads. With more than one thread, wall-clock time is measured.
template <class Code>
Candidate on_threads(int threads, Code code) {
  if (threads == 1) return code;
  return [code = std::move(code)](size_t repeats) mutable -> double {
    const double begin = now();
    code(repeats);
    return now() - begin;
  };
}

/// Measures all candidates in rounds; a round has one sample of each. Every second round is in reverse order, so that no candidate always
/// runs after the same one. With several threads the calling thread is not pinned to a CPU, samples are longer, and there is a pause before
/// each sample, in which the workers of the previous candidate fall asleep.
Comparison compare(std::span<const Candidate> candidates, const Effort& effort, int threads = 1);

/// Pins the calling thread to its current CPU as long as this object exists. Does nothing if the system refuses.
class Pinned {
 public:
  Pinned();
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<unsigned char> before_;  // the previous set of CPUs, which the destructor restores; empty: the thread was not pinned
};

/// Makes the compiler treat the value as used, so that it cannot remove the computation of the value.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
