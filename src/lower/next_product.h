// Prefetching for a batch of small products, each of which is a single block. While the tiles of one product are computed, the factors and
// results of the next product are prefetched, one cache line after every few terms. All prefetches at once would exceed the number of cache
// misses that a core can have in flight. (64 products of 64 x 64 x 64, from memory: 78 GFLOP/s without, 103 with prefetches.)
#pragma once

#include "lower/contraction_factors.h"

namespace harp::lower {

class NextProduct {
 public:
  NextProduct(ContractionBlock& block, ContractionFactors& factors) : block_(block), factors_(factors) {}

  /// Decides whether there is a next product and whether prefetching it pays. Requires that ContractionFactors has decided how the factors
  /// are read.
  void begin_block();

  /// The number of parts in which a tile processes its terms; all but the last have `terms_of_part` terms. 0: no prefetching.
  int64_t parts() const { return parts_; }
  int64_t terms_of_part() const;
  /// Returns the prefetches to execute in one part of a tile.
  ir::Body prefetch(Sym row_tile, Sym column_tile, Sym part);

 private:
  /// Prefetches the cache lines of `count` contiguous elements. `read` maps an element's number to its array and index.
  template <class Read>
  void prefetch_elements(int64_t count, Read read, ir::Body& body);

  ContractionBlock& block_;
  ContractionFactors& factors_;
  int64_t parts_ = 0;
};

}  // namespace harp::lower
