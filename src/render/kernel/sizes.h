// Names the sizes in the text of a kernel: the shape variables and, in some dialects, numbers that the host computes from them.
//
// A GPU needs about 100 instructions for a division of 64-bit integers, more than for most of the other work of a thread. So a kernel for a
// GPU has parameters for its divisions by sizes that are not known when it is compiled (Dialect::divided):
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

/// The sizes that occur in the text of a kernel. There size_name(i) is the value of `values[i]`, and reciprocal_name(i) the reciprocal of
/// `divisors[i]`.
struct UsedSizes {
  std::set<const SymAtom*> shape_variables;
  std::vector<Sym> values, divisors;
};

class Sizes {
 public:
  /// `shape_name` returns the name of a shape variable. `has_parameters`: whether the kernel has the parameters described above.
  Sizes(std::function<std::string(const SymAtom*)> shape_name, bool has_parameters)
      : shape_name_(std::move(shape_name)), has_parameters_(has_parameters) {}

  /// Tests whether the atom is an operation on sizes whose value is a parameter.
  bool is_passed(const SymAtom& atom) const;
  /// Tests whether the reciprocal of this divisor is a parameter.
  bool has_reciprocal(Sym divisor) const;

  // Return the name of a shape variable, of a value that is_passed(), and of the reciprocal of a divisor that has one. used() then has it.
  std::string shape_variable(const SymAtom* variable);
  std::string value(const SymAtom& atom);
  std::string reciprocal(Sym divisor);

  const UsedSizes& used() const { return used_; }

 private:
  const std::function<std::string(const SymAtom*)> shape_name_;
  const bool has_parameters_;
  UsedSizes used_;
};

/// Returns the names of element i of UsedSizes::values and of UsedSizes::divisors.
std::string size_name(size_t i);
std::string reciprocal_name(size_t i);

}  // namespace harp::render
