// Non-temporal stores for scans along rows that may begin anywhere in a cache line. A block of running values goes to a temporary array
// first, from which whole cache lines are copied to memory. What the block loads is prefetched.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// Returns prefetches for the cache lines that these statements will load for later groups. Returns none if the statements contain loops.
ir::Body line_prefetches(ir::Arena& arena, const ir::Body& loads);

class ScanLineBuffer {
 public:
  /// Returns a buffer with an array for each of `stores`, whose position in a row is `along`. Returns none if the stores are not
  /// contiguous, or if an accumulator cannot hold their dtype. A block has at most `most` elements.
  static std::optional<ScanLineBuffer> of(KernelContext& context, Accumulators& accumulators, const ir::Body& stores, Sym along,
                                          int64_t most);

  void declare(ir::Body& body) const;
  /// Changes `stores`, which store one element, so that they write to the arrays at position `place` of the block.
  void keep(ir::Body& stores, Sym place) const;
  /// Emits copies of `count` elements from the arrays to memory. `stores` give the address of the first one.
  void copy(const ir::Body& stores, Sym count, ir::Body& body) const;

 private:
  ScanLineBuffer(ir::Arena& arena, std::vector<int> arrays) : arena_(&arena), arrays_(std::move(arrays)) {}

  ir::Arena* arena_;
  std::vector<int> arrays_;  // the temporary arrays, one for each store
};

}  // namespace harp::lower
