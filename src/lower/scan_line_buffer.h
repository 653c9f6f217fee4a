// Non-temporal stores for scans along rows that begin anywhere in a cache line: a block of running values goes to a temporary array first,
// and whole lines are copied from there. Loads are prefetched.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// Returns prefetches for the lines that these statements will load for later groups; empty if vectors are in a loop.
ir::Body line_prefetches(ir::Arena& arena, const ir::Body& loads);

class ScanLineBuffer {
 public:
  /// Creates the arrays for what `stores` stores; `along` is the position in a row. Returns none if the stores are not contiguous. A block
  /// has `most` elements.
  static std::optional<ScanLineBuffer> of(KernelContext& context, Accumulators& accumulators, const ir::Body& stores, Sym along,
                                          int64_t most);

  void declare(ir::Body& body) const;
  /// Redirects `stores`, which store one element, to the arrays, at this position of the block.
  void keep(ir::Body& stores, Sym place) const;
  /// Copies `count` elements to memory. `stores` give the address of the first one.
  void copy(const ir::Body& stores, Sym count, ir::Body& body) const;

 private:
  ScanLineBuffer(ir::Arena& arena, std::vector<int> arrays) : arena_(&arena), arrays_(std::move(arrays)) {}

  ir::Arena* arena_;
  std::vector<int> arrays_;  // one for each store
};

}  // namespace harp::lower
