// Prefetches for a batch of small matrix products, each of which is a single cache block. While the tiles of one product are computed, the
// factors and results of the next product are prefetched. The loop over the terms of a tile is divided into parts, each of which begins
// with the prefetches of a few cache lines. If all prefetches were issued at once, they would exceed the number of cache misses that a core
// can have in flight. (64 products of 64 x 64 x 64 in memory: 78 GFLOP/s without prefetches, 103 with.)
#pragma once

#include "lower/contraction_factors.h"

namespace harp::lower {

class NextProduct {
 public:
  NextProduct(ContractionBlock& block, ContractionFactors& factors) : block_(block), factors_(factors) {}

  /// Decides whether the factors of the next product are prefetched. Must be called after ContractionFactors has decided how the factors
  /// are read.
  void begin_block();

  /// Returns the number of parts into which the terms of a tile are divided; all but the last part have terms_of_part() terms. 0: there are
  /// no prefetches.
  int64_t parts() const { return parts_; }
  int64_t terms_of_part() const;
  /// Returns the prefetches that the current product executes in part number `part` of a tile.
  ir::Body prefetch(Sym row_tile, Sym column_tile, Sym part);

 private:
  /// Appends prefetches of the cache lines of `count` contiguous elements. read(number) returns the parameter and the index of an element.
  template <class Read>
  void prefetch_elements(int64_t count, Read read, ir::Body& body);

  ContractionBlock& block_;
  ContractionFactors& factors_;
  int64_t parts_ = 0;
};

}  // namespace harp::lower
