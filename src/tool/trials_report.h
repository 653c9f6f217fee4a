// What tuning found, for reading: a table, JSON, and a picture.
#pragma once

#include <string>
#include <vector>

namespace harp::tool {

/// harp_tune_trial_info with texts of its own.
struct TrialRow {
  std::string configuration, failure;
  double median = 0, spread = 0, compile = 0, expected = 0;  // seconds; the last: over trial 0's
  int64_t samples = 0;
};

struct TrialReport {
  std::string graph;  // its signature
  std::vector<TrialRow> trials;
  size_t best = 0;
  double speedup = 1, space_size = 1;
  bool exhausted = false, stored = false;
  std::string why_not_stored;
};

/// The fastest `most` and the untuned one, a line each, and what comes of it.
std::string table_of(const TrialReport& report, size_t most = 10);
std::string json_of(const TrialReport& report);
/// SVG: a dot a trial with its spread, the untuned time, and the best so far.
std::string plot_of(const TrialReport& report);

}  // namespace harp::tool
