// Goals, as they stand in goals.json: one line of text for every row. They are frozen before anything is tuned, so they live in a file of
// their own, and a row without a goal, or a goal without a row, fails a run: neither can be forgotten or quietly dropped.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One measurement. A peer is what else does the same work; its value has the row's unit, and `ratio` says how much faster harp is.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;  // empty: none
  std::optional<double> peer_value, ratio;
  bool peer_missing = false;           // it can be installed and is not: the goal is missed, whatever it is about
  std::optional<double> max_ulp = {};  // the greatest error of harp's results, of a function
};

/// "ratio>=0.85", "value<=25", several of these ("value<=0.4,ratio>=1.0"), or "information" for a row that is there to be looked at.
class Goal {
 public:
  /// Throws std::runtime_error on any other text.
  static Goal parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Empty for "information": such a goal is neither met nor missed. A ratio that was not measured misses, and so does one part of several.
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

/// What does not fit together, one line each: rows without goal, goals without row, a row named twice.
std::vector<std::string> unmatched(const Goals& goals, const std::vector<std::string>& rows);

}  // namespace bench
