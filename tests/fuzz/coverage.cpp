#include "fuzz/coverage.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"

namespace harp::fuzz {
namespace {

// The required coverage in percent, and the number of graphs from which it is required: with fewer graphs, some feature may be missing by
// chance.
constexpr uint64_t kEnoughForShares = 1000, kEnoughForPairs = 40'000;
constexpr double kLeastTrait = 10, kLeastOp = 1, kMinPairs = 95;  // percent

double percent_of(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

/// Formats a percentage as in "12.3 %". Rounds down, so that a value just below a required percentage is not printed as that percentage.
std::string print_percent(double percent) {
  const auto tenths = static_cast<int64_t>(std::floor(percent * 10));
  return cat(tenths / 10, ".", tenths % 10, " %");
}

}  // namespace

void Coverage::add(const Case& test) {
  ++cases_;
  const auto traits = traits_of(test);
  for (size_t i = 0; i < traits.size(); ++i) traits_[i] += traits[i];
  std::array<bool, kOpCount> used{};
  for (const Node* node : test.graph->live_nodes()) {
    used[static_cast<size_t>(node->op)] = true;
    for (const Node* source : node->sources) pairs_.insert({source->op, node->op, source->dtype});
  }
  for (size_t op = 0; op < used.size(); ++op) uses_[op] += used[op];
}

void Coverage::add(const Coverage& others) {
  cases_ += others.cases_;
  for (size_t i = 0; i < traits_.size(); ++i) traits_[i] += others.traits_[i];
  for (size_t op = 0; op < uses_.size(); ++op) uses_[op] += others.uses_[op];
  pairs_.insert(others.pairs_.begin(), others.pairs_.end());
}

double Coverage::percent(Trait trait) const { return percent_of(traits_[trait], cases_); }

std::vector<OpPair> Coverage::missing_pairs() const {
  std::vector<OpPair> missing;
  std::set_difference(legal_pairs().begin(), legal_pairs().end(), pairs_.begin(), pairs_.end(), std::back_inserter(missing));
  return missing;
}

double Coverage::pairs_percent() const {
  const uint64_t legal = legal_pairs().size();
  return percent_of(legal - missing_pairs().size(), legal);
}

std::vector<std::string> Coverage::gaps() const {
  std::vector<std::string> gaps;
  const auto check = [&](std::string_view what, double got, double least) {
    if (got < least) gaps.push_back(cat(what, ": ", print_percent(got), ", not ", static_cast<int64_t>(least), " %"));
  };
  if (cases_ >= kEnoughForShares) {
    for (size_t i = 0; i < kTraitCount; ++i) check(cat("graphs with ", kTraitNames[i]), percent(static_cast<Trait>(i)), kLeastTrait);
    for (size_t op = 0; op < kOpCount; ++op)
      if (is_in_graphs(static_cast<Op>(op))) check(cat("graphs with ", kOps[op].name), percent_of(uses_[op], cases_), kLeastOp);
  }
  if (cases_ >= kEnoughForPairs) check("pairs of operations", pairs_percent(), kMinPairs);
  return gaps;
}

std::string Coverage::report() const {
  std::string out = cat(cases_, " graphs; share of");
  for (size_t i = 0; i < kTraitCount; ++i)
    append(out, cat(i == 0 ? " " : ", ", kTraitNames[i], " ", print_percent(percent(static_cast<Trait>(i)))));
  append(out, cat("\nproducer x consumer x dtype: ", legal_pairs().size() - missing_pairs().size(), " of ", legal_pairs().size(),
                  " legal ones, ", print_percent(pairs_percent()), "\ngraphs by op, rarest first:"));
  std::vector<size_t> order(kOpCount);
  for (size_t op = 0; op < order.size(); ++op) order[op] = op;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return uses_[a] < uses_[b]; });
  for (size_t i = 0; i < order.size(); ++i) append(out, cat(i % 10 == 0 ? "\n  " : ", ", kOps[order[i]].name, " ", uses_[order[i]]));
  append(out, "\n");
  for (const std::string& gap : gaps()) append(out, cat("too few ", gap, "\n"));
  return out;
}

}  // namespace harp::fuzz
