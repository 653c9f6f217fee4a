// Which operations can meet in a graph: an array of some dtype that one op produces and another consumes. Derived from the op table;
// the generator draws from this list, so that no pair is rarer than another, and the coverage report counts against it.
#pragma once

#include <vector>

#include "ops/ops.h"

namespace harp::fuzz {

struct OpPair {
  Op producer;
  Op consumer;
  DType dtype;  // of the array between them
  auto operator<=>(const OpPair&) const = default;
};

/// Is it in graphs that are kept as texts? No text carries a function (native_test.cpp), and what the optimiser makes comes later.
constexpr bool is_in_graphs(Op op) { return op != Op::kNative && op != Op::kSort; }
/// All that graphs can have, sorted.
const std::vector<OpPair>& legal_pairs();

}  // namespace harp::fuzz
