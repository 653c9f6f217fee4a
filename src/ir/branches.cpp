#include "ir/branches.h"

#include <algorithm>

namespace harp::ir {

Branches::Branches(const Body& kernel) {
  const std::vector<const Stmt*> all = statements_of(kernel);
  if (std::ranges::any_of(all, [](const Stmt* s) { return as<If>(s) != nullptr; })) add_body(kernel, 0);
}

bool Branches::contains_uses(int branch, const UOp* u) const {
  const auto found = of_uses_.find(u);
  return found != of_uses_.end() && common(branch, found->second) == branch;
}

void Branches::add_body(const Body& body, int branch) {
  for (const Stmt* s : body) {
    for_each_value(*s, [&](const UOp* root) { add_use(root, branch); });
    const bool is_choice = as<If>(s) != nullptr;
    for_each_body(*s, [&](const Body& inside) {
      if (is_choice) {
        numbers_[&inside] = static_cast<int>(parents_.size());
        parents_.push_back(branch);
      }
      add_body(inside, is_choice ? numbers_.at(&inside) : branch);
    });
  }
}

/// Records that the value and its transitive sources are used in this branch. The branch of a source always contains the branch of its
/// user, so the traversal stops at a value whose branch does not change.
void Branches::add_use(const UOp* root, int branch) {
  std::vector<const UOp*> stack = {root};
  while (!stack.empty()) {
    const UOp* u = stack.back();
    stack.pop_back();
    const auto [at, is_new] = of_uses_.try_emplace(u, branch);
    const int both = common(at->second, branch);
    if (!is_new && both == at->second) continue;
    at->second = both;
    stack.insert(stack.end(), u->sources.begin(), u->sources.end());
  }
}

/// Returns the innermost branch that contains both branch a and branch b. A branch has a larger number than the branches that enclose it.
int Branches::common(int a, int b) const {
  while (a != b) (a > b ? a : b) = parents_[static_cast<size_t>(std::max(a, b))];
  return a;
}

}  // namespace harp::ir
