// Lists the pairs of operations that can be adjacent in a graph: one op produces an array of some dtype and another consumes it. The list
// is derived from the op table. The generator draws from the list, so that all pairs are equally frequent. The coverage report says what
// share of the pairs occurred.
#pragma once

#include <vector>

#include "ops/ops.h"

namespace harp::fuzz {

struct OpPair {
  Op producer;
  Op consumer;
  DType dtype;  // dtype of the array that the producer passes to the consumer
  auto operator<=>(const OpPair&) const = default;
};

/// True if a graph in the text format can contain the op. The text format cannot contain native ops, because they call a function of the
/// host program (native_test.cpp covers them). Only the optimiser creates kSort.
constexpr bool is_in_graphs(Op op) { return op != Op::kNative && op != Op::kSort; }
/// All pairs that graphs can have, sorted.
const std::vector<OpPair>& legal_pairs();

}  // namespace harp::fuzz
