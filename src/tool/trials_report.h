// Readable results of a tuning: a table, JSON and a plot.
#pragma once

#include <string>
#include <vector>

namespace harp::tool {

/// A copy of harp_tune_trial_info that owns its text.
struct TrialRow {
  std::string configuration, failure;
  double median = 0, spread = 0, compile = 0, expected = 0;  // in seconds, except `expected`: the prediction, relative to that of trial 0
  int64_t samples = 0;
};

struct TrialReport {
  std::string graph;  // the graph's signature
  std::vector<TrialRow> trials;
  size_t best = 0;
  double speedup = 1, space_size = 1;
  bool exhausted = false, stored = false;
  std::string why_not_stored;
};

/// Returns a table of the fastest `most` trials and the untuned one, followed by the conclusion.
std::string table_of(const TrialReport& report, size_t most = 10);
std::string json_of(const TrialReport& report);
/// Returns an SVG that shows the time and the spread of each trial, the untuned time, and the best time so far.
std::string plot_of(const TrialReport& report);

}  // namespace harp::tool
