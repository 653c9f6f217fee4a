// An independent check of size arithmetic. The interpreter gets its sizes and the starts of slices from the same normal forms as the
// compiled program, so an error in their simplification makes both wrong in the same way. This check uses plain integer arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/symbolic.h"
#include "graph/graph.h"

namespace harp::fuzz {

/// Random expressions over two shape variables and two loop variables, with the values of each expression for several values of the
/// variables.
class SizeExpressions {
 public:
  explicit SizeExpressions(uint64_t seed);

  /// The normal forms of the expressions, one per line. If two builds of harp print the same text, they simplify expressions in the same
  /// way.
  std::string normal_forms() const;
  /// Describes the first expression whose value, bounds or sign differ from plain arithmetic; "" if there is none.
  std::string first_mistake() const;

 private:
  using Point = std::array<int64_t, 4>;  // values of n, m, i, j
  struct Expression {
    Sym form;
    std::vector<int64_t> values;  // the value at each point, computed step by step in plain arithmetic
  };
  std::string mistake_in(const Expression& expression) const;

  SymTable table_;
  std::vector<Point> points_;
  std::vector<Expression> expressions_;
};

/// Computes the shapes of the inputs for `values` of the shape variables and lets harp determine the variables from these shapes. Describes
/// the first variable for which harp finds another value; returns "" if there is none. Variables that no input shape determines are passed
/// by name.
std::string binding_mistake(const Graph& graph, const std::vector<int64_t>& values);

}  // namespace harp::fuzz
