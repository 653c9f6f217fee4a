// Numbers the branches of all Ifs of a kernel, and finds for each value the innermost branch that contains all uses of the value. Number 0
// stands for the kernel outside of all Ifs. (branches.cpp)
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

class Branches {
 public:
  Branches() = default;
  explicit Branches(const Body& kernel);

  /// Returns the number of the branch whose statements are this list.
  int number_of(const Body& branch) const { return numbers_.at(&branch); }
  /// Tests whether all uses of the value are in this branch. The number of the branch must not be 0.
  bool contains_uses(int branch, const UOp* u) const;

 private:
  void add_body(const Body& body, int branch);
  void add_use(const UOp* root, int branch);
  int common(int a, int b) const;

  std::vector<int> parents_ = {0};  // parents_[n]: number of the innermost branch that encloses branch n
  std::unordered_map<const Body*, int> numbers_;
  std::unordered_map<const UOp*, int> of_uses_;
};

}  // namespace harp::ir
