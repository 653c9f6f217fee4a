// Walks over the UOps that a value is computed from.
#pragma once

#include <unordered_set>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Calls visit(const UOp*) once for each of the UOps in `stack` and of those that they are computed from. Callers must not depend on the
/// order.
template <class Visit>
void for_each_uop(std::vector<const UOp*> stack, Visit visit) {
  std::unordered_set<const UOp*> seen;
  while (!stack.empty()) {
    const UOp* u = stack.back();
    stack.pop_back();
    if (!seen.insert(u).second) continue;
    visit(u);
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
}

}  // namespace harp::ir
