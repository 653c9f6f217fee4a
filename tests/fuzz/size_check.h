// Sizes have an oracle of their own. The interpreter gets its sizes and the starts of its slices from the same normal forms as the compiled
// path, so a simplifier that is wrong makes both wrong in the same way; plain integer arithmetic shares nothing with it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/symbolic.h"
#include "graph/graph.h"

namespace harp::fuzz {

/// Some expressions over two shape variables and two loop variables, made from a seed, beside their values at a few points.
class SizeExpressions {
 public:
  explicit SizeExpressions(uint64_t seed);

  /// The normal forms, one a line: where they agree, two builds of harp simplify alike.
  std::string normal_forms() const;
  /// The first expression whose value, bounds or sign are not what arithmetic says; "" if there is none.
  std::string first_mistake() const;

 private:
  using Point = std::array<int64_t, 4>;  // n, m, i, j
  struct Expression {
    Sym form;
    std::vector<int64_t> values;  // at each point, computed step by step
  };
  std::string mistake_in(const Expression& expression) const;

  SymTable table_;
  std::vector<Point> points_;
  std::vector<Expression> expressions_;
};

/// What a run would make of the shapes that the graph's inputs have for these values of its variables, where it is not the values; "" if it
/// finds them all, those by name that follow from no input.
std::string binding_mistake(const Graph& graph, const std::vector<int64_t>& values);

}  // namespace harp::fuzz
