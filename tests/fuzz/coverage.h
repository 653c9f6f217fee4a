// The coverage of a set of random cases: how many of them have each trait (Trait), the number of graphs for every op of the table, and
// which combinations of producer, consumer and dtype occurred. A run of enough graphs fails if its coverage is too low.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fuzz/generator.h"
#include "fuzz/op_pairs.h"

namespace harp::fuzz {

class Coverage {
 public:
  void add(const Case& test);
  void add(const Coverage& others);

  uint64_t cases() const { return cases_; }
  double percent(Trait trait) const;
  /// The number of graphs with a live node of this op.
  uint64_t uses(Op op) const { return uses_[static_cast<size_t>(op)]; }
  /// The share of legal_pairs() that occurred.
  double pairs_percent() const;
  /// The legal pairs that did not occur.
  std::vector<OpPair> missing_pairs() const;
  /// What the coverage lacks, one line each. Empty if there were too few graphs to judge.
  std::vector<std::string> gaps() const;
  /// Several lines of text, including the gaps.
  std::string report() const;

 private:
  uint64_t cases_ = 0;
  std::array<uint64_t, kTraitCount> traits_{};
  std::array<uint64_t, kOpCount> uses_{};
  std::set<OpPair> pairs_;
};

}  // namespace harp::fuzz
