#include "tune/tuner.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "tune/cost_model.h"

namespace harp::tune {
namespace {

// Least duration of a sample in seconds: in shorter samples the clock's resolution and interruptions would matter.
constexpr double kSampleSeconds = 0.5e-3;
constexpr int kFewSamples = 3, kMaxSamples = 30;
constexpr double kTrialSeconds = 0.12;  // seconds for all samples of one trial
// Sampling of a trial ends if its best sample is longer than this factor times the best trial's median.
constexpr double kHopeless = 1.3;
// Seconds for the final comparison: this fraction of the time limit, but at most kFinalMost.
constexpr double kFinalShare = 0.2, kFinalMost = 4;
// Least seconds for the final comparison, even after the time limit: a shorter one would measure noise.
constexpr double kFinalLeast = 0.1;
constexpr size_t kFinalists = 3;
// A configuration that no earlier search has found must be faster than the untuned program by more than this factor.
constexpr double kWorthIt = 1.01;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }
/// Returns the CPU time of this thread in seconds. It does not advance while the system runs other threads on this CPU.
double thread_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Search {
 public:
  Search(const SearchSpace& space, Workshop& workshop, const TuneOptions& options)
      : space_(space),
        workshop_(workshop),
        options_(options),
        begin_(now()),
        search_end_(begin_ + options.seconds - std::min(kFinalMost, options.seconds * kFinalShare)) {}

  TuneResult run() {
    try_out({}, 1, Limit::kNone);
    for (const Configuration& known : options_.known) {
      if (known.is_default()) continue;
      if (may_try_more())
        try_out(known, 1, Limit::kNone);
      else
        result_.leaves_known = true;
    }
    const std::unique_ptr<Strategy> strategy = make_strategy(options_.strategy, space_, options_.seed);
    strategy->measured(space_.untuned(), result_.trials[0].median);
    while (goes_on()) {
      const std::optional<Point> point = strategy->next();
      if (!point) {
        result_.is_exhausted = true;
        break;
      }
      const size_t before = result_.trials.size();
      const bool measured = try_out(space_.configuration(*point), relative_cost(space_, *point), Limit::kTime);
      if (result_.trials.size() == before) break;
      strategy->measured(*point, measured ? result_.trials.back().median : std::numeric_limits<double>::infinity());
    }
    choose_winner();
    return std::move(result_);
  }

 private:
  /// A program that takes part in the final comparison.
  struct Finalist {
    size_t trial;
    std::unique_ptr<Subject> subject;
  };

  /// The time limit for a trial of a configuration. kTime: that of the search. kNone: there is no limit, which is for the untuned program
  /// and the results of earlier searches.
  enum class Limit : uint8_t { kNone, kTime };

  bool may_try_more() const { return verdict_ == Verdict::kContinue && result_.trials.size() < options_.most_trials; }
  bool goes_on() const { return may_try_more() && now() < search_end_; }

  /// Builds and measures a configuration, and records a trial. Returns true if that succeeds. If the time limit ends the build, no trial is
  /// recorded.
  bool try_out(Configuration configuration, double expected, Limit limit) {
    const bool is_untuned = result_.trials.empty();
    Trial trial;
    trial.configuration = std::move(configuration), trial.expected = expected;
    const double start = now();
    std::unique_ptr<Subject> subject;
    try {
      const auto left = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(search_end_ - start));
      subject = workshop_.make(trial.configuration, limit == Limit::kNone ? Deadline::max() : Clock::now() + left);
    } catch (const Error& error) {
      if (is_untuned || error.code == Code::kCancelled || error.code == Code::kOutOfMemory) throw;
      // The time limit has ended the build, which says nothing about the configuration.
      if (limit == Limit::kTime && now() >= search_end_) return false;
      trial.failure = error.message;
    }
    trial.compile_seconds = now() - start;
    if (subject) measure(trial, *subject, is_untuned, limit);
    const size_t number = result_.trials.size();
    result_.trials.push_back(std::move(trial));
    if (subject) keep({number, std::move(subject)});
    report();
    return result_.trials.back().failure.empty();
  }

  void measure(Trial& trial, Subject& subject, bool is_untuned, Limit limit) {
    const double start = now();
    subject.run();
    const double first = now() - start;
    if (!is_untuned)
      if (const std::string difference = subject.difference(); !difference.empty())
        fail(Code::kInternal, "the results of a configuration differ from those of the untuned program (", difference,
             "); this is a bug in harp or in the C compiler, please report it with the graph's text. The configuration:\n",
             print(trial.configuration));
    const size_t repeats = static_cast<size_t>(std::clamp(kSampleSeconds / std::max(first, 1e-9), 1.0, 1e6));
    const double best = best_so_far();
    std::vector<double> samples;
    const double end = now() + kTrialSeconds;
    while (samples.size() < kFewSamples || (samples.size() < kMaxSamples && now() < end)) {
      samples.push_back(sample(subject, repeats));
      if (samples.size() >= kFewSamples && *std::min_element(samples.begin(), samples.end()) > best * kHopeless) break;
      if (limit == Limit::kTime && now() > search_end_) break;
    }
    const Summary summary = summarise(samples);
    trial.median = summary.median, trial.spread = summary.spread, trial.samples = static_cast<int>(samples.size());
  }
  double sample(Subject& subject, size_t repeats) const {
    const auto clock = space_.options().workers > 1 ? now : thread_now;
    const double start = clock();
    for (size_t i = 0; i < repeats; ++i) subject.run();
    return (clock() - start) / static_cast<double>(repeats);
  }

  bool is_known(const Configuration& configuration) const {
    return std::ranges::find(options_.known, configuration) != options_.known.end();
  }
  double best_so_far() const { return result_.trials.empty() ? std::numeric_limits<double>::infinity() : median_of(best()); }
  double median_of(size_t trial) const { return result_.trials[trial].median; }
  size_t best() const {
    size_t best = 0;
    for (size_t i = 0; i < result_.trials.size(); ++i)
      if (result_.trials[i].failure.empty() && median_of(i) < median_of(best)) best = i;
    return best;
  }

  /// Adds the program to the finalists. If there are then too many finalists, removes the slowest one, but never the untuned program.
  void keep(Finalist finalist) {
    finalists_.push_back(std::move(finalist));
    if (finalists_.size() <= kFinalists + 1) return;
    const auto slowest = std::max_element(finalists_.begin() + 1, finalists_.end(),
                                          [&](const Finalist& a, const Finalist& b) { return median_of(a.trial) < median_of(b.trial); });
    finalists_.erase(slowest);
  }

  void report() {
    if (!options_.progress) return;
    verdict_ = options_.progress({result_.trials, best(), now() - begin_, options_.seconds});
    HARP_CHECK(verdict_ != Verdict::kCancel, Code::kCancelled, "tuning was cancelled");
  }

  /// Measures the programs of the final comparison in interleaved rounds. The time of a program is divided by that of the untuned program
  /// in the same round, so that phases in which the whole machine is slow cancel out.
  void choose_winner() {
    if (finalists_.size() < 2) return;
    std::vector<size_t> repeats;
    for (const Finalist& f : finalists_)
      repeats.push_back(static_cast<size_t>(std::clamp(kSampleSeconds / std::max(median_of(f.trial), 1e-9), 1.0, 1e6)));
    std::vector<std::vector<double>> samples(finalists_.size());
    const double end = std::max(begin_ + options_.seconds, now() + kFinalLeast);
    for (int round = 0; round < kFewSamples || (now() < end && round < 4 * kMaxSamples); ++round)
      for (size_t i = 0; i < finalists_.size(); ++i) {
        // Odd rounds run backwards, so that no program always runs after the same other one.
        const size_t f = round % 2 == 0 ? i : finalists_.size() - 1 - i;
        samples[f].push_back(sample(*finalists_[f].subject, repeats[f]));
      }
    for (size_t f = 0; f < finalists_.size(); ++f) {
      Trial& trial = result_.trials[finalists_[f].trial];
      const Summary summary = summarise(samples[f]);
      trial.median = summary.median, trial.spread = summary.spread, trial.samples = static_cast<int>(samples[f].size());
      std::vector<double> ratios;
      for (size_t i = 0; i < samples[f].size(); ++i) ratios.push_back(samples[0][i] / samples[f][i]);
      const double speedup = summarise(std::move(ratios)).median;
      // An earlier search has already shown that a known configuration gains enough.
      const double worth = is_known(trial.configuration) ? 1 : kWorthIt;
      if (f > 0 && speedup > std::max(worth, result_.speedup)) result_.best = finalists_[f].trial, result_.speedup = speedup;
    }
  }

  const SearchSpace& space_;
  Workshop& workshop_;
  const TuneOptions& options_;
  const double begin_, search_end_;
  TuneResult result_;
  std::vector<Finalist> finalists_;  // programs of the final comparison; the first one is the untuned program
  Verdict verdict_ = Verdict::kContinue;
};

}  // namespace

Summary summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double quantile) { return samples[static_cast<size_t>(quantile * static_cast<double>(samples.size() - 1) + 0.5)]; };
  return {at(0.5), at(0.75) - at(0.25)};
}

TuneResult tune(const SearchSpace& space, Workshop& workshop, const TuneOptions& options) { return Search(space, workshop, options).run(); }

}  // namespace harp::tune
