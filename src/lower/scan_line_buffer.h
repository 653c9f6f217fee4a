// Non-temporal stores for scans along rows that may begin anywhere in a cache line. The results of a block are first written to a temporary
// array, from which whole cache lines are copied to memory. The elements that the block will load are prefetched.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// Returns prefetches of the cache lines that the statements `loads` will load when they are executed for elements 8 KB further on. Returns
/// none if the statements contain loops.
ir::Body line_prefetches(ir::Arena& arena, const ir::Body& loads);

class ScanLineBuffer {
 public:
  /// Returns a buffer with an array of `most` elements, the maximum size of a block, for each of `stores`. The stores must be contiguous
  /// along the variable `along`, the position in a row. Returns nullopt if they are not, or if an accumulator cannot hold the stored dtype.
  static std::optional<ScanLineBuffer> of(KernelContext& context, Accumulators& accumulators, const ir::Body& stores, Sym along,
                                          int64_t most);

  void declare(ir::Body& body) const;
  /// Replaces `stores`, the stores of the outputs for one element, by statements that write the values to element `place` of the arrays.
  void keep(ir::Body& stores, Sym place) const;
  /// Emits copies of `count` elements from the arrays to memory. `stores` give the destination of the first element.
  void copy(const ir::Body& stores, Sym count, ir::Body& body) const;

 private:
  ScanLineBuffer(ir::Arena& arena, std::vector<int> arrays) : arena_(&arena), arrays_(std::move(arrays)) {}

  ir::Arena* arena_;
  std::vector<int> arrays_;  // the temporary arrays, one for each store
};

}  // namespace harp::lower
