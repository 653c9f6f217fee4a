// The search itself: configurations are built, compared with the untuned program bit for bit, and timed, until the time is up; then the
// best few and the untuned program take turns, and the winner is what is faster there. The first configuration is always the untuned one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "tune/strategy.h"

namespace harp::tune {

/// A program as one configuration makes it, with the arrays it runs on.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void run() = 0;
  /// How what the last run wrote differs from what the untuned program writes; "": in no bit.
  virtual std::string difference() = 0;
};

/// Makes subjects. An error counts against the configuration, but for kCancelled and kOutOfMemory, and but for the untuned one: these end
/// the search.
class Workshop {
 public:
  virtual ~Workshop() = default;
  virtual std::unique_ptr<Subject> make(const Configuration& configuration, Deadline deadline) = 0;
};

struct Trial {
  Configuration configuration;
  std::string failure;  // of the compiler; "": it was measured
  double median = 0;    // seconds of a run
  double spread = 0;    // seconds between the first and the third quartile
  int samples = 0;
  double compile_seconds = 0;  // of all that comes before the first run
  double expected = 1;         // by the cost model, of the untuned program's time
};

struct TuneResult {
  std::vector<Trial> trials;
  size_t best = 0;            // of the trials; 0: nothing is faster than the untuned program
  double speedup = 1;         // of the best over the untuned program, taking turns
  bool is_exhausted = false;  // the strategy had no more points
  bool leaves_known = false;  // something of what was known was not compared, for want of trials or because the host said stop: no reason
                              // to forget it
};

enum class Verdict : uint8_t { kContinue, kStop, kCancel };
struct TuneProgress {
  const std::vector<Trial>& trials;  // so far; the last one is new
  size_t best;                       // of them
  double seconds, limit;
};

struct TuneOptions {
  StrategyKind strategy = StrategyKind::kBeam;
  uint64_t seed = 0;
  double seconds = 30;
  size_t most_trials = SIZE_MAX;
  std::vector<Configuration> known;  // what an earlier search found: tried first, whatever the time
  std::function<Verdict(const TuneProgress&)> progress;
};

/// Errors: kInternal, naming the configuration, if one gives other bits than untuned (a bug of harp's or of the compiler's: nothing is to
/// be used then); kCancelled; what running the program throws. The untuned program, too, is built and run whatever the time.
TuneResult tune(const SearchSpace& space, Workshop& workshop, const TuneOptions& options);

/// The median of the samples, and the distance of their quartiles.
struct Summary {
  double median, spread;
};
Summary summarise(std::vector<double> samples);

}  // namespace harp::tune
