// Makes readable results of a tuning: a table, JSON and a plot (SVG).
#pragma once

#include <string>
#include <vector>

namespace harp::tool {

/// A copy of harp_tune_trial_info that owns its text.
struct TrialRow {
  std::string configuration, failure;
  // `median`, `spread` and `compile` are in seconds. `expected` is the cost model's prediction for this trial, divided by its prediction
  // for trial 0, the untuned program.
  double median = 0, spread = 0, compile = 0, expected = 0;
  int64_t samples = 0;
};

struct TrialReport {
  std::string graph;  // signature of the graph
  std::vector<TrialRow> trials;
  size_t best = 0;
  double speedup = 1, space_size = 1;
  bool exhausted = false, stored = false;
  std::string why_not_stored;
};

/// Returns a table of the `most` fastest trials, the untuned program and the winner, followed by the conclusion in words.
std::string table_of(const TrialReport& report, size_t most = 10);
std::string json_of(const TrialReport& report);
/// Returns an SVG that shows the time and the spread of each trial, the time of the untuned program, and the best time up to each trial.
std::string plot_of(const TrialReport& report);

}  // namespace harp::tool
