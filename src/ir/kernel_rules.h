// Declares the base of the classes that check the rules of verify(). It makes the error of a rule that a kernel violates.
#pragma once

#include "base/error.h"
#include "ir/ir.h"

namespace harp::ir {

/// Base class of those that check rules for one kernel.
class KernelRules {
 protected:
  /// Keeps a reference to the kernel.
  explicit KernelRules(const Kernel& kernel) : kernel_(kernel) {}

  /// Throws Error{kInternal}. `rule` says what is required, and what the kernel has instead.
  template <class... Words>
  [[noreturn]] void violated(const Words&... rule) const {
    fail(Code::kInternal, "IR of ", kernel_.name, " violates a rule: ", rule...);
  }
  template <class... Words>
  void require(bool condition, const Words&... rule) const {
    if (!condition) violated(rule...);
  }

  const Kernel& kernel_;
};

}  // namespace harp::ir
