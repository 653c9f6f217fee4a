// Goals: goals.json has a text for every row. The goals are fixed before anything is tuned, so they have their own file. A row without a
// goal, or a goal without a row, fails a run, so that neither is forgotten.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One measurement. A peer is other software that does the same work. Its value has the row's unit; `ratio` is how much faster harp is.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;  // empty: no peer
  std::optional<double> peer_value, ratio;
  bool peer_missing = false;           // the peer could be installed but is not: the goal counts as missed
  std::optional<double> max_ulp = {};  // the greatest error of the results, for a mathematical function
};

/// A goal: "ratio>=0.85", "value<=25", several of these ("value<=0.4,ratio>=1.0"), or "information" for a row without a limit.
class Goal {
 public:
  /// Throws std::runtime_error on any other text.
  static Goal parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Empty for "information", which is neither met nor missed. Every part has to be met; a ratio that was not measured counts as missed.
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

/// The mismatches of rows and goals, one line each: rows without a goal, goals without a row, rows with the same name.
std::vector<std::string> unmatched(const Goals& goals, const std::vector<std::string>& rows);

}  // namespace bench
