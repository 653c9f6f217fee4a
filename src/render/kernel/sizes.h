// Names the sizes in the text of a kernel: the shape variables and, in some dialects, numbers that the host computes from them.
//
// A GPU needs about 100 instructions for a division of 64-bit integers, and each thread executes little else. So a kernel has parameters
// for its divisions by sizes that are not known when it is compiled (Dialect::divided):
//
//   size0        the value of an expression of sizes that contains such a division, for example 1 % n
//   reciprocal0  the reciprocal (base/reciprocal.h) of a size by which positions are divided, so that a division is a multiplication
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/symbolic.h"

namespace harp::render {

/// The sizes that occur in the text of a kernel. Element i of `values` is called sizei there, element i of `divisors` has the reciprocal
/// `reciprocali`.
struct UsedSizes {
  std::set<const SymAtom*> shape_variables;
  std::vector<Sym> values, divisors;
};

class Sizes {
 public:
  /// `shape_name` returns the name of a shape variable. With `passed` the kernel has the parameters described above.
  Sizes(std::function<std::string(const SymAtom*)> shape_name, bool passed) : shape_name_(std::move(shape_name)), passed_(passed) {}

  /// Tests whether the atom is an operation on sizes whose value is a parameter.
  bool is_passed(const SymAtom& atom) const;
  /// Tests whether the reciprocal of this divisor is a parameter.
  bool has_reciprocal(Sym divisor) const;

  // Return names. What is named is added to used().
  std::string shape_variable(const SymAtom* variable);
  std::string value(const SymAtom& atom);
  std::string reciprocal(Sym divisor);

  const UsedSizes& used() const { return used_; }

 private:
  const std::function<std::string(const SymAtom*)> shape_name_;
  const bool passed_;
  UsedSizes used_;
};

/// Returns the names of element i of UsedSizes::values and of UsedSizes::divisors.
std::string size_name(size_t i);
std::string reciprocal_name(size_t i);

}  // namespace harp::render
