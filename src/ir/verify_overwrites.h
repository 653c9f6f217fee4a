// Declares the part of verify() that checks loads from memory that a statement of the same kernel may overwrite: a parameter that is also
// written, or that may be the same memory as a written one (Param::in_place).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/kernel_rules.h"

namespace harp::ir {

/// Checks the lists of statements of one kernel, which the caller visits: the kernel's own list and, inside it, those of loops and
/// branches.
class OverwriteRules : KernelRules {
 public:
  /// Keeps a reference to the kernel.
  explicit OverwriteRules(const Kernel& kernel) : KernelRules(kernel) {}

  /// Call this before the statements of a list are visited. Returns a number that leave() needs.
  size_t enter(const Body& statements);
  /// Call this after the statements of the list have been visited, with the number that enter() returned. Checks their loads.
  void leave(const Body& statements, size_t known);

  /// Tests whether a block copy in one of the lists that have been entered writes this parameter (stored_block).
  bool is_in_stored_block(int parameter) const { return std::ranges::find(stored_blocks_, parameter) != stored_blocks_.end(); }

 private:
  /// Checks a run of consecutive stores. The linearizer moves all loads of the run before its first store (ir/linearize.cpp), so no store
  /// may read elements that an earlier store of the run writes.
  void stores_together(std::span<const Store* const> run) const;
  /// Returns the statement as a Copy if it writes to a parameter that may be the same memory as a parameter that is read; null for any
  /// other statement.
  const Copy* stored_block(const Stmt& s) const;
  /// Checks that nothing reads what a stored block before it may have overwritten: only copies to parameters follow it in the list, and
  /// their sources are other arrays.
  void after_stored_blocks(const Body& statements) const;
  /// Checks the rule for parameters that may be the same memory. An element that a store may overwrite must be loaded at the index of a
  /// store in the same list of statements: the loads of a run of stores come before its first store (ir/linearize.cpp). Block copies may
  /// also overwrite such elements, subject to after_stored_blocks().
  void in_place(const Body& statements) const;

  const std::string& name_of(int parameter) const { return kernel_.params[static_cast<size_t>(parameter)].name; }

  // Parameters that are the destination of block copies in the enclosing lists of statements (stored_block).
  std::vector<int> stored_blocks_;
};

}  // namespace harp::ir
