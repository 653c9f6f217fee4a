// Parses goals.json.
#include "bench/harness/goals.h"

#include <algorithm>
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
  do {
    Bound bound{};
    const bool value = starts("value");
    bound.of_ratio = !value && starts("ratio");
    bound.at_least = starts(">=");
    const bool comparison = bound.at_least || starts("<=");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.bound);
    if (!(value || bound.of_ratio) || !comparison || error != std::errc())
      throw std::runtime_error("invalid goal \"" + goal.text_ +
                               R"("; expected a goal such as "ratio>=0.85", "value<=25" or "information")");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    goal.bounds_.push_back(bound);
  } while (starts(","));
  if (!text.empty()) throw std::runtime_error("invalid goal \"" + goal.text_ + "\": expected its end, got \"" + std::string(text) + "\"");
  return goal;
}

bool Goal::Bound::met(const Row& row) const {
  if (row.peer_missing || (of_ratio && !row.ratio)) return false;
  const double measured = of_ratio ? *row.ratio : row.value;
  return at_least ? measured >= bound : measured <= bound;
}

std::optional<bool> Goal::met(const Row& row) const {
  if (bounds_.empty()) return std::nullopt;
  return std::ranges::all_of(bounds_, [&row](const Bound& bound) { return bound.met(row); });
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
    if (!seen.insert(row).second) problems.push_back("two rows have the name " + row);
    if (!goals.contains(row)) problems.push_back("the row " + row + " has no goal in goals.json");
  }
  for (const auto& [name, goal] : goals)
    if (!seen.contains(name)) problems.push_back("goals.json has a goal for " + name + ", but no benchmark has this row");
  return problems;
}

}  // namespace bench
