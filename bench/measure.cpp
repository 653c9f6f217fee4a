// The clock, rounds and the affinity mask.
#include "bench/measure.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace bench {
namespace {

constexpr double kTooShort = 20e-6;  // a first estimate below this says little

/// Seconds this thread computed: unlike the time of day it stands still while the system runs somebody else.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double time_of(const Candidate& candidate, size_t repeats) {
  const double begin = thread_seconds();
  candidate(repeats);
  return thread_seconds() - begin;
}

/// How often a candidate has to run for one sample. Doubles until the estimate can be trusted, then scales.
size_t repeats_for(const Candidate& candidate, double sample_seconds) {
  candidate(1);  // first touch, page faults, caches
  size_t repeats = 1;
  double seconds = time_of(candidate, repeats);
  while (seconds < std::min(kTooShort * 10, sample_seconds / 2)) {
    repeats *= seconds < kTooShort ? 8 : 2;
    seconds = time_of(candidate, repeats);
  }
  return std::max<size_t>(1, static_cast<size_t>(sample_seconds / seconds * static_cast<double>(repeats) + 0.999));
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

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

Comparison compare(std::span<const Candidate> candidates, const Effort& effort) {
  const Pinned pinned;
  std::vector<size_t> repeats;
  double round_seconds = 0;
  for (const Candidate& candidate : candidates) {
    repeats.push_back(repeats_for(candidate, effort.sample_seconds));
    round_seconds += time_of(candidate, repeats.back());
  }
  const int rounds = std::clamp(static_cast<int>(effort.budget_seconds / round_seconds), effort.min_rounds, effort.max_rounds);
  std::vector<std::vector<double>> seconds(candidates.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t turn = 0; turn < candidates.size(); ++turn) {
      const size_t i = round % 2 == 0 ? turn : candidates.size() - 1 - turn;
      seconds[i].push_back(time_of(candidates[i], repeats[i]) / static_cast<double>(repeats[i]));
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
