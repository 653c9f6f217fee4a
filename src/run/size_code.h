// Defines a symbolic size that is compiled to a short postfix program. A run evaluates it in nanoseconds and without allocations. (To
// evaluate the Sym itself, every variable would have to be looked up.) A SizeCode is compiled for one list of shape variables and refers to
// these by their index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/symbolic.h"

namespace harp {

class SizeCode {
 public:
  /// The constant 0.
  SizeCode() = default;
  /// Compiles the expression. When it is evaluated, `variables[i]` has the value values[i]. Throws Error{kInternal} if the expression uses
  /// a variable that is not in the list.
  SizeCode(Sym expression, std::span<const Sym> variables);

  bool is_constant() const { return steps_.empty(); }
  /// Returns the index of the variable if the expression is just one variable, else -1.
  int variable() const { return variable_; }
  /// Returns the value of the expression. Throws Error{kOverflow} if an intermediate result does not fit 64 bits.
  int64_t evaluate(std::span<const int64_t> values) const {
    if (variable_ >= 0) return values[static_cast<size_t>(variable_)];
    return steps_.empty() ? constant_ : evaluate_steps(values);
  }
  /// Returns the expression as text, with operators of C and the functions floor_div, floor_mod, min, max and select. select(condition, a,
  /// b) is a if condition >= 0, else b. `names[i]` is the name of variable i.
  std::string text(std::span<const std::string> names) const;

 private:
  enum class Kind : uint8_t { kConstant, kVariable, kAdd, kMul, kFloorDiv, kMod, kMin, kMax, kSelect };
  struct Step {
    Kind kind;
    int64_t value = 0;  // the constant, or the index of the variable
  };
  int64_t evaluate_steps(std::span<const int64_t> values) const;

  int64_t constant_ = 0;
  int variable_ = -1;
  std::vector<Step> steps_;
  size_t depth_ = 0;  // maximum number of values on the stack during evaluation
};

}  // namespace harp
