// Traverses the UOps from which a value is computed.
#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Tests whether holds(u) is true for a UOp u in `stack` or one of their transitive sources. Calls holds(u) at most once for each UOp.
/// Callers must not depend on the order of the calls.
template <class Holds>
bool any_uop(std::vector<const UOp*> stack, Holds holds) {
  std::unordered_set<const UOp*> seen;
  while (!stack.empty()) {
    const UOp* u = stack.back();
    stack.pop_back();
    if (!seen.insert(u).second) continue;
    if (holds(u)) return true;
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
  return false;
}

/// Calls visit(u) once for each UOp u in `stack` and each of their transitive sources. Callers must not depend on the order of the calls.
template <class Visit>
void for_each_uop(std::vector<const UOp*> stack, Visit visit) {
  any_uop(std::move(stack), [&](const UOp* u) {
    visit(u);
    return false;
  });
}

}  // namespace harp::ir
