// Measures candidates (pieces of code to time): the clock, the rounds of samples, and the pinning to a CPU.
#include "bench/harness/measure.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>

namespace bench {
namespace {

constexpr double kTooShort = 20e-6;  // seconds; from a shorter measurement the time of a run cannot be estimated reliably
constexpr double kSlow = 0.3;        // seconds; if the first run takes longer, no second run is needed for the estimate
// Samples are this many times longer with several threads, because a sleeping worker takes 40 us to wake.
constexpr double kLonger = 4;
constexpr std::chrono::milliseconds kPause(5);  // a pause longer than the time during which idle OpenMP workers spin before they sleep

struct Sample {
  size_t repeats;
  double seconds;  // estimated duration of the sample
};

/// Chooses the number of repetitions in a sample. Doubles the number, or multiplies it by 8, until the measured time is a reliable
/// estimate, then scales it to the wanted duration.
Sample sample_of(const Candidate& candidate, double sample_seconds) {
  size_t repeats = 1;
  double seconds = candidate.seconds(1);  // this run touches new pages and fills the caches, so its time is used only if it is slow
  if (seconds < kSlow) seconds = candidate.seconds(repeats);
  while (seconds < std::min(kTooShort * 10, sample_seconds / 2)) {
    repeats *= seconds < kTooShort ? 8 : 2;
    seconds = candidate.seconds(repeats);
  }
  const double one = seconds / static_cast<double>(repeats);
  const size_t enough = std::max<size_t>(1, static_cast<size_t>(sample_seconds / one + 0.999));
  return {enough, one * static_cast<double>(enough)};
}

}  // namespace

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double geometric_mean(std::span<const double> values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

double median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (*std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle)) + upper) / 2;
}

double Comparison::ratio(size_t candidate, size_t peer) const {
  std::vector<double> ratios;
  for (size_t round = 0; round < seconds_[candidate].size(); ++round) ratios.push_back(seconds_[peer][round] / seconds_[candidate][round]);
  return median(std::move(ratios));
}

size_t Comparison::fastest(std::span<const size_t> candidates) const {
  return *std::min_element(candidates.begin(), candidates.end(), [this](size_t a, size_t b) { return seconds(a) < seconds(b); });
}

Comparison compare(std::span<const Candidate> candidates, const Effort& effort, int threads) {
  std::optional<Pinned> pinned;
  if (threads == 1) pinned.emplace();
  const double sample_seconds = threads == 1 ? effort.sample_seconds : kLonger * effort.sample_seconds;
  std::vector<Sample> samples;
  double round_seconds = 0;
  for (const Candidate& candidate : candidates) {
    samples.push_back(sample_of(candidate, sample_seconds));
    round_seconds += samples.back().seconds;
  }
  const int fewest = std::clamp(static_cast<int>(effort.patience_seconds / round_seconds), 1, effort.min_rounds);
  const int rounds = std::clamp(static_cast<int>(effort.budget_seconds / round_seconds), fewest, effort.max_rounds);
  std::vector<std::vector<double>> seconds(candidates.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t position = 0; position < candidates.size(); ++position) {
      const size_t i = round % 2 == 0 ? position : candidates.size() - 1 - position;
      if (threads > 1) std::this_thread::sleep_for(kPause);
      seconds[i].push_back(candidates[i].seconds(samples[i].repeats) / static_cast<double>(samples[i].repeats));
    }
  return Comparison(std::move(seconds));
}

Pinned::Pinned() {
  cpu_set_t before, one;
  const int cpu = sched_getcpu();
  if (cpu < 0 || sched_getaffinity(0, sizeof before, &before) != 0) return;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return;
  before_.resize(sizeof before);
  std::memcpy(before_.data(), &before, sizeof before);
}

Pinned::~Pinned() {
  if (!before_.empty()) sched_setaffinity(0, before_.size(), reinterpret_cast<const cpu_set_t*>(before_.data()));
}

}  // namespace bench
