// Reading goals.json.
#include "bench/goals.h"

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace bench {

Goal Goal::parse(std::string_view text) {
  Goal goal;
  goal.text_ = text;
  if (text == "information") return goal;
  const auto starts = [&text](std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  const bool value = starts("value"), ratio = !value && starts("ratio");
  goal.subject_ = value ? Subject::kValue : Subject::kRatio;
  goal.at_least_ = starts(">=");
  const bool comparison = goal.at_least_ || starts("<=");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), goal.bound_);
  if (!(value || ratio) || !comparison || error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("the goal \"" + goal.text_ + R"(" is not like "ratio>=0.85", "value<=25" or "information")");
  return goal;
}

std::optional<bool> Goal::met(const Row& row) const {
  if (subject_ == Subject::kNone) return std::nullopt;
  if (row.peer_missing || (subject_ == Subject::kRatio && !row.ratio)) return false;
  const double measured = subject_ == Subject::kRatio ? *row.ratio : row.value;
  return at_least_ ? measured >= bound_ : measured <= bound_;
}

Goals read_goals(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const nlohmann::json json = nlohmann::json::parse(file);
  Goals goals;
  for (const auto& [name, text] : json.items()) goals.emplace(name, Goal::parse(text.get<std::string>()));
  return goals;
}

std::vector<std::string> unmatched(const Goals& goals, const std::vector<std::string>& rows) {
  std::vector<std::string> problems;
  std::set<std::string> seen;
  for (const std::string& row : rows) {
    if (!seen.insert(row).second) problems.push_back("two rows are called " + row);
    if (!goals.contains(row)) problems.push_back("the row " + row + " has no goal in goals.json");
  }
  for (const auto& [name, goal] : goals)
    if (!seen.contains(name)) problems.push_back("goals.json has a goal for " + name + ", which is no row");
  return problems;
}

}  // namespace bench
