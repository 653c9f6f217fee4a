// Values of dimension expressions during one run: each shape variable has a number, so every Dim has one.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace harp::interp {

class Sizes {
 public:
  /// No variables: only constant dimensions have a value (what constant folding needs).
  Sizes() = default;
  /// values[i] belongs to dims.variables()[i].
  Sizes(const SymTable& dims, std::span<const int64_t> values);

  int64_t value(Dim dim) const;
  std::vector<int64_t> values(const Shape& shape) const;

 private:
  std::unordered_map<const SymAtom*, int64_t> values_;
};

}  // namespace harp::interp
