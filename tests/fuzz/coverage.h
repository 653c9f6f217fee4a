// Records the coverage of a set of random graphs: how many of them have each property of the enum Trait, how many contain each op of
// ops.def, and which combinations of producer op, consumer op and dtype occur. A run with enough graphs fails if its coverage is too low.
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
  /// The number of graphs in which an output depends on a node of this op.
  uint64_t uses(Op op) const { return uses_[static_cast<size_t>(op)]; }
  /// The percentage of legal_pairs() that occurred.
  double pairs_percent() const;
  /// The pairs of legal_pairs() that did not occur.
  std::vector<OpPair> missing_pairs() const;
  /// The requirements that the coverage does not reach, one line for each. The list is empty if there were too few graphs to judge.
  std::vector<std::string> gaps() const;
  /// A readable report of several lines, which includes gaps().
  std::string report() const;

 private:
  uint64_t cases_ = 0;
  std::array<uint64_t, kTraitCount> traits_{};
  std::array<uint64_t, kOpCount> uses_{};
  std::set<OpPair> pairs_;
};

}  // namespace harp::fuzz
