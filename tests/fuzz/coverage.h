// What a set of random cases has exercised: shares of traits, how many graphs every row of the op table is in, and which pairs of
// producer, consumer and dtype met. A run of enough graphs that leaves something out has tested less than it says, and fails.
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
  /// Graphs with a live node of this op.
  uint64_t uses(Op op) const { return uses_[static_cast<size_t>(op)]; }
  /// Share of legal_pairs() that occurred.
  double pairs_percent() const;
  /// Legal pairs that did not occur.
  std::vector<OpPair> missing_pairs() const;
  /// What too few graphs had, one line each; none if there were too few graphs to tell.
  std::vector<std::string> gaps() const;
  /// Several lines for people, the gaps among them.
  std::string report() const;

 private:
  uint64_t cases_ = 0;
  std::array<uint64_t, kTraitCount> traits_{};
  std::array<uint64_t, kOpCount> uses_{};
  std::set<OpPair> pairs_;
};

}  // namespace harp::fuzz
