// Proves, for verify_shared(), that two accesses to a shared accumulator do not use the same element. The proofs are conservative: a result
// of false means only that there is no proof. distinct_elements.cpp explains the methods.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// One read or write of a shared accumulator by a statement.
struct SharedAccess {
  int accumulator;
  Sym index, lane_step;
  int lanes;
  bool writes;
  const Loop* group;            // null: the access is outside of group loops, so every thread executes it
  std::vector<Sym> conditions;  // conditions (>= 0) of the Ifs inside the group loop that enclose the access
  // Variables whose values at this access may differ from their values at another access: the variables of a thread's own loops, and those
  // of enclosing loops whose current iteration has ended since. Every other variable has the same value for all threads and at both
  // accesses.
  std::set<const SymAtom*> varying;
};

using LoopsByVariable = std::unordered_map<const SymAtom*, const Loop*>;  // finds a loop by its variable

/// Compares accesses of one kernel.
class DistinctElements {
 public:
  /// `loops`: the loops that contain the accesses. Keeps references to both arguments; loops may be added later.
  DistinctElements(SymTable& syms, const LoopsByVariable& loops) : syms_(syms), loops_(loops) {}

  /// Tests whether it is proved that the two accesses have no element in common, whichever threads execute them (also if one thread
  /// executes both).
  bool never_share_an_element(const SharedAccess& a, const SharedAccess& b) const;
  /// Tests whether it is proved that two different threads never use the same element in these two accesses.
  bool threads_never_share_an_element(const SharedAccess& a, const SharedAccess& b) const;

 private:
  SymTable& syms_;
  const LoopsByVariable& loops_;
};

}  // namespace harp::ir
