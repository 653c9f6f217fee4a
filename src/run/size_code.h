// A symbolic size compiled to a short postfix program, so that a run evaluates it in nanoseconds without allocating. (Walking the Sym needs
// a look-up for every variable.) A SizeCode belongs to one list of shape variables and refers to them by position.
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
  /// `variables[i]` is read from values[i]; Error{kInternal} if the expression uses another variable.
  SizeCode(Sym expression, std::span<const Sym> variables);

  bool is_constant() const { return steps_.empty(); }
  /// The position of the variable if the expression is exactly one variable, else -1.
  int variable() const { return variable_; }
  /// Throws Error{kOverflow} if an intermediate result does not fit 64 bits.
  int64_t evaluate(std::span<const int64_t> values) const {
    if (variable_ >= 0) return values[static_cast<size_t>(variable_)];
    return steps_.empty() ? constant_ : evaluate_steps(values);
  }
  /// The expression as text: operators of C, and the functions floor_div, floor_mod, min, max and select(condition, a, b), which is a if
  /// condition >= 0. `names[i]` stands for variable i.
  std::string text(std::span<const std::string> names) const;

 private:
  enum class Kind : uint8_t { kConstant, kVariable, kAdd, kMul, kFloorDiv, kMod, kMin, kMax, kSelect };
  struct Step {
    Kind kind;
    int64_t value = 0;  // the constant, or the position of the variable
  };
  int64_t evaluate_steps(std::span<const int64_t> values) const;

  int64_t constant_ = 0;
  int variable_ = -1;
  std::vector<Step> steps_;
  size_t depth_ = 0;  // maximum depth of the operand stack
};

}  // namespace harp
