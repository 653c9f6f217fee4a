// Declares the part of verify() that checks values (UOp): the operands, dtypes and lanes of each operation, and the variables, parameters
// and accumulators to which it refers. The class that checks statements (verify.cpp) derives from ValueRules.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/ir.h"
#include "ir/kernel_rules.h"

namespace harp::ir {

/// Checks the values that statements of one kernel use. Which variables and accumulators a value may use depends on where its statement is,
/// so the derived class, which visits the statements, keeps `open_` and `declared_` up to date.
class ValueRules : protected KernelRules {
 protected:
  /// `sites`: the number of the module's check sites. Keeps a reference to the kernel.
  ValueRules(const Kernel& kernel, int sites) : KernelRules(kernel), declared_(kernel.accumulators.size(), 0), sites_(sites) {}

  /// Throws an error if `condition` is false. The error's message contains `rule`, which says what is required, and the value u as text.
  void require_of(const UOp& u, bool condition, std::string_view rule) const {
    if (!condition) violated(rule, "; got ", describe(u));
  }

  /// Checks an entry of the kernel's list of accumulators; `number` is its index.
  void accumulator(const Accumulator& a, size_t number) const;
  /// Checks that the expression uses only variables of enclosing loops and definitions.
  void position(Sym e) const;
  /// Checks that `number` is a parameter with elements of this dtype.
  void buffer(int number, DType dtype) const;
  /// Checks the value and the values from which it is computed.
  void value(const UOp* root) const;

  std::vector<int> declared_;                // for each accumulator: the number of its declarations in enclosing lists of statements
  std::unordered_set<const SymAtom*> open_;  // the variables of enclosing loops and definitions

 private:
  void node(const UOp& u) const;
  void alu(const UOp& u) const;

  int sites_;
};

}  // namespace harp::ir
