// The pairs of operations that can be adjacent in a graph: one op produces an array of some dtype and another consumes it. Derived from the
// op table. The generator draws from this list, so that all pairs are equally frequent, and the coverage report counts against it.
#pragma once

#include <vector>

#include "ops/ops.h"

namespace harp::fuzz {

struct OpPair {
  Op producer;
  Op consumer;
  DType dtype;  // dtype of the array between them
  auto operator<=>(const OpPair&) const = default;
};

/// True if graphs as text can contain the op. Text cannot contain a function (native_test.cpp), and kSort is created by the optimiser.
constexpr bool is_in_graphs(Op op) { return op != Op::kNative && op != Op::kSort; }
/// All pairs that graphs can have, sorted.
const std::vector<OpPair>& legal_pairs();

}  // namespace harp::fuzz
