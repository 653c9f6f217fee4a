// The search. It builds configurations, compares their results with the untuned program bit for bit, and times them until the time limit.
// Then it measures the best few and the untuned program in interleaved rounds; the fastest of these wins. The first configuration is always
// the untuned one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tune/strategy.h"

namespace harp::tune {

/// A program compiled with one configuration, with the arrays it runs on.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void run() = 0;
  /// Describes how the output of the last run differs from the untuned program's; "" if every bit is equal.
  virtual std::string difference() = 0;
};

/// Makes subjects. If this fails, the configuration becomes a failed trial, unless the error is kCancelled or kOutOfMemory or concerns the
/// untuned configuration; such an error ends the search.
class Workshop {
 public:
  virtual ~Workshop() = default;
  virtual std::unique_ptr<Subject> make(const Configuration& configuration, Deadline deadline) = 0;
};

struct Trial {
  Configuration configuration;
  std::string failure;  // the compiler's error; "" if the trial was measured
  double median = 0;    // seconds of a run
  double spread = 0;    // seconds between the first and the third quartile
  int samples = 0;
  double compile_seconds = 0;  // seconds of everything before the first run
  double expected = 1;         // the cost model's estimate, relative to the untuned program
};

struct TuneResult {
  std::vector<Trial> trials;
  size_t best = 0;            // an index into trials; 0: nothing is faster than the untuned program
  double speedup = 1;         // speedup of the best trial over the untuned program, in the interleaved rounds
  bool is_exhausted = false;  // whether the strategy ran out of points
  bool leaves_known = false;  // whether some known configuration was not compared (too few trials, or the host stopped the search), so that
                              // the old result is kept
};

enum class Verdict : uint8_t { kContinue, kStop, kCancel };
struct TuneProgress {
  const std::vector<Trial>& trials;  // the trials so far; the last one is new
  size_t best;                       // an index into trials
  double seconds, limit;
};

struct TuneOptions {
  StrategyKind strategy = StrategyKind::kBeam;
  uint64_t seed = 0;
  double seconds = 30;
  size_t most_trials = SIZE_MAX;
  std::vector<Configuration> known;  // results of earlier searches: tried first, even after the time limit
  std::function<Verdict(const TuneProgress&)> progress;
};

/// Errors: kInternal naming the configuration if its results differ from the untuned program's (a bug of harp or of the compiler, so no
/// result is used); kCancelled; any error of running the program. The untuned program is built and run whatever the time limit.
TuneResult tune(const SearchSpace& space, Workshop& workshop, const TuneOptions& options);

/// The median of the samples and the distance between their quartiles.
struct Summary {
  double median, spread;
};
Summary summarise(std::vector<double> samples);

}  // namespace harp::tune
