// What a set of random cases has exercised: shares of traits, how often every row of the tables was used, and which pairs of producer,
// consumer and dtype met.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "fuzz/generator.h"

namespace harp::fuzz {

class Coverage {
 public:
  void add(const Case& test);

  uint64_t cases() const { return cases_; }
  double percent(Trait trait) const;
  /// Live nodes of this op in all cases together.
  uint64_t uses(Op op) const { return uses_[static_cast<size_t>(op)]; }
  /// Share of the legal (producer, consumer, dtype between them) that occurred.
  double pairs_percent() const;
  /// Several lines for people.
  std::string report() const;

 private:
  uint64_t cases_ = 0;
  std::array<uint64_t, kTraitCount> traits_{};
  std::array<uint64_t, kOpCount> uses_{};
  std::set<std::tuple<Op, Op, DType>> pairs_;
};

}  // namespace harp::fuzz
