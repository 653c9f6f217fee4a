// Reads the goals of the benchmarks: goals.json has a text for every measurement. Goals are set before anything is tuned, so they are in a
// file of their own. A measurement without a goal fails a run, and so does a goal without a measurement, so that neither is forgotten.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One measurement, which is a row of the report. A peer is other software that does the same work; its value has the same unit. `ratio` is
/// how many times faster harp is than the peer.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;  // the name of the other software; empty: there is none
  std::optional<double> peer_value, ratio;
  // true: the other software could be installed on this machine but is not, so the goal counts as missed
  bool peer_missing = false;
  std::optional<double> max_ulp = {};  // for a mathematical function: the greatest error of the results, in units in the last place
};

/// A goal: "ratio>=0.85", "value<=25", several of these ("value<=0.4,ratio>=1.0"), or "information" for a measurement without a limit.
class Goal {
 public:
  /// Parses the text of a goal. Throws std::runtime_error if the text is not a goal.
  static Goal parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Tests whether a measurement meets all parts of the goal. Returns nothing for the goal "information", which is neither met nor missed.
  /// A condition on the ratio counts as missed if no ratio was measured.
  std::optional<bool> met(const Row& row) const;

 private:
  struct Bound {
    bool of_ratio, at_least;
    double bound;
    bool met(const Row& row) const;
  };

  std::string text_;
  std::vector<Bound> bounds_;
};

using Goals = std::map<std::string, Goal, std::less<>>;

Goals read_goals(const std::string& path);

/// Returns the mismatches between goals and the names of measurements, one line each: measurements without a goal, goals without a
/// measurement, and measurements with the same name.
std::vector<std::string> unmatched(const Goals& goals, const std::vector<std::string>& rows);

}  // namespace bench
