// Traverses the UOps from which a value is computed.
#pragma once

#include <unordered_set>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Calls visit(u) once for each UOp u in `stack` and each of their transitive sources. Callers must not depend on the order of the calls.
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
