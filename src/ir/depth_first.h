// The order in which values are computed and named: sources before users, otherwise as the expressions are written, from left to right. The
// order of creation would not do, because it depends on the compiler that harp is built with: in `add(mul(a, b), exp(c))` the compiler may
// evaluate either argument first. The text of a program is part of its cache key and must not depend on that.
#pragma once

#include <utility>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Appends the root, and before it all values that it is computed from, to `order`. Calls enter(u) at each use of a value u; if that
/// returns true, visits the sources of u and then appends u. enter must return true at most once for each value. Iterative, because the
/// expressions of a kernel can be a thousand levels deep.
template <class Enter>
void append_depth_first(const UOp* root, Enter enter, std::vector<const UOp*>& order) {
  std::vector<std::pair<const UOp*, size_t>> stack;  // each value with the number of its next source
  if (enter(root)) stack.emplace_back(root, 0);
  while (!stack.empty()) {
    auto& [u, next] = stack.back();
    if (next == u->sources.size()) {
      order.push_back(u);
      stack.pop_back();
    } else if (const UOp* source = u->sources[next++]; enter(source)) {
      stack.emplace_back(source, 0);
    }
  }
}

}  // namespace harp::ir
