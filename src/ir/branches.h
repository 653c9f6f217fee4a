// The branches of a kernel's Ifs, and for each value the innermost branch that contains all its uses. Branches have numbers; number 0 is
// the kernel outside of all Ifs. (branches.cpp)
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

class Branches {
 public:
  Branches() = default;
  explicit Branches(const Body& kernel);

  /// Returns the number of a branch, given by the list of its statements.
  int number_of(const Body& branch) const { return numbers_.at(&branch); }
  /// Tests whether all uses of the value are in this branch, which is not number 0.
  bool contains_uses(int branch, const UOp* u) const;

 private:
  void add_body(const Body& body, int branch);
  void add_use(const UOp* root, int branch);
  int common(int a, int b) const;

  std::vector<int> parents_ = {0};  // by number: the innermost branch around it
  std::unordered_map<const Body*, int> numbers_;
  std::unordered_map<const UOp*, int> of_uses_;
};

}  // namespace harp::ir
