// Implements the tuner's search. It builds configurations, checks that their results equal those of the untuned program bit for bit, and
// measures them until the time limit. Then it measures the untuned program and the few fastest others in interleaved rounds, and chooses
// the fastest. The first trial is always the untuned configuration.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tune/strategy.h"

namespace harp::tune {

/// A program that was compiled with one configuration, and the arrays for its runs.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void run() = 0;
  /// Describes how the outputs of the last run differ from the untuned program's. Returns "" if all bits are equal.
  virtual std::string difference() = 0;
};

/// Compiles programs. If make() throws, the configuration becomes a failed trial. However, the errors kCancelled and kOutOfMemory, and any
/// error of the untuned configuration, end the search.
class Workshop {
 public:
  virtual ~Workshop() = default;
  virtual std::unique_ptr<Subject> make(const Configuration& configuration, Deadline deadline) = 0;
};

struct Trial {
  Configuration configuration;
  std::string failure;  // the message of the error that make() has thrown; "" if the trial was measured
  double median = 0;    // median time of a run, in seconds
  double spread = 0;    // difference between the third and the first quartile of the times, in seconds
  int samples = 0;
  double compile_seconds = 0;  // time before the first run, mostly for compiling, in seconds
  double expected = 1;         // the cost model's estimate, divided by its estimate for the untuned program
};

struct TuneResult {
  std::vector<Trial> trials;
  size_t best = 0;            // index of the fastest trial; 0 if none is faster than the untuned program
  double speedup = 1;         // speedup of that trial over the untuned program, measured in the interleaved rounds
  bool is_exhausted = false;  // whether the strategy has returned all its points
  // Whether some configuration of TuneOptions::known was not measured, because the number of trials is limited or the host has stopped the
  // search; the caller then keeps the earlier result.
  bool leaves_known = false;
};

enum class Verdict : uint8_t { kContinue, kStop, kCancel };
struct TuneProgress {
  const std::vector<Trial>& trials;  // all trials so far; the last one has just been measured
  size_t best;                       // index of the fastest trial so far
  double seconds, limit;
};

struct TuneOptions {
  StrategyKind strategy = StrategyKind::kBeam;
  uint64_t seed = 0;
  double seconds = 30;
  size_t most_trials = SIZE_MAX;
  std::vector<Configuration> known;  // results of earlier searches; they are tried first, even after the time limit
  std::function<Verdict(const TuneProgress&)> progress;
};

/// Runs the search. Throws Error{kInternal} with the configuration in its message if a configuration changes the results: that is a bug of
/// harp or of the C compiler, so no result of the search is used. Throws kCancelled if the host cancels the search, and any error of
/// running a program. The untuned program is built and run even if the time limit is over.
TuneResult tune(const SearchSpace& space, Workshop& workshop, const TuneOptions& options);

/// The median of the samples, and the difference between their third and first quartile.
struct Summary {
  double median, spread;
};
Summary summarise(std::vector<double> samples);

}  // namespace harp::tune
