// Generated code computes and names values in the order that this file defines: the sources of a value come before the value, from left to
// right. The order in which the UOps were created is unsuitable, because it depends on the compiler that harp is built with: in `add(mul(a,
// b), exp(c))` the compiler may evaluate either argument first. The generated text is part of the cache key of a program, so it must not
// depend on that compiler.
#pragma once

#include <utility>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Appends the values from which `root` is computed, and then `root`, to `order`; every value comes after its sources. Calls enter(u) at
/// each use of a value u. If enter(u) returns true, visits the sources of u and then appends u, so enter must return true at most once for
/// each value. The traversal is iterative, because the expressions of a kernel can be a thousand levels deep.
template <class Enter>
void append_depth_first(const UOp* root, Enter enter, std::vector<const UOp*>& order) {
  // Values whose sources are being visited, each with the index of the source to visit next.
  std::vector<std::pair<const UOp*, size_t>> stack;
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
