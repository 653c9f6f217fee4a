// Finds the expressions of a custom function's body that are positions: i64 values that are made of constants, sizes, the element's index
// and the counters of loops, and that provably do not overflow. They become size expressions (Sym), for which the index algebra can prove
// inequalities, for example that an index is inside its array.
#pragma once

#include <optional>
#include <vector>

#include "graph/body.h"
#include "graph/graph.h"

namespace harp {

struct BodyPosition {
  Sym value;
  WideInt lo, hi;  // bounds of the value, both inclusive
};

class BodyPositions {
 public:
  static constexpr WideInt kMostSize = (WideInt{1} << 61) - 1;  // upper bound of sizes and indices

  /// `index`: the index of the element along each axis. `table`: the table that contains all expressions of an analysis; null: the graph's
  /// table contains them.
  BodyPositions(const Node& custom, std::vector<Sym> index, SymTable* table = nullptr);

  /// Returns the expression with this number as a position (a value that is made of constants, sizes, indices and loop counters, and that
  /// cannot overflow); nothing if it is not a position.
  std::optional<BodyPosition> of(int expression) const;
  /// Returns the position that set() has given to the variable; nothing if the variable has none.
  const std::optional<BodyPosition>& of_variable(int variable) const { return variables_[static_cast<size_t>(variable)]; }
  void set(int variable, std::optional<BodyPosition> position) { variables_[static_cast<size_t>(variable)] = position; }
  /// Tests whether a position may have this value. The limit leaves headroom for arithmetic on positions.
  static bool fits(WideInt value) { return -(WideInt{1} << 62) <= value && value <= WideInt{1} << 62; }
  /// Returns a - b; nothing if it may be too large for a position.
  static std::optional<BodyPosition> difference(const BodyPosition& a, const BodyPosition& b);

  /// Returns the size of the axis that `size`, an expression of kind kSize, refers to.
  Sym size_of_axis(const BodyExpression& size) const;
  /// Returns the size `dim` of an array, as an expression of table_ if there is such a table.
  Sym size(Dim dim) const { return table_ != nullptr ? table_->import(dim) : dim; }

 private:
  const Node& node_;
  const ElementBody& body_;
  const std::vector<Sym> index_;
  SymTable* const table_;
  std::vector<std::optional<BodyPosition>> variables_;
};

}  // namespace harp
